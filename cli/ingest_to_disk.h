// SPDX-License-Identifier: Apache-2.0
// `outcore ingest --store`: a stream goes into a store on a disk, which keeps what it acknowledges.
#pragma once

#include "cli/ingest_args.h"
#include "cli/ingest_record.h"
#include "storage/evolving/store_spec.h"

namespace outcore {

// REQUIRES: spec.on_disk. Throws a usage Error for wishes that contradict one another before
// anything is written.
IngestOutcome ingest_to_disk(const IngestArgs& args, const evolving::StoreSpec& spec);

}  // namespace outcore
