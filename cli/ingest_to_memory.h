// SPDX-License-Identifier: Apache-2.0
// `outcore ingest` without --store: a stream goes into a store in memory, which ends with the
// program. With medium=pmem the memory is that of a folder, and keeps what it acknowledges.
#pragma once

#include "cli/ingest_args.h"
#include "cli/ingest_record.h"
#include "storage/evolving/store_spec.h"

namespace outcore {

// Completes the spec's knobs: its medium, and a log by the size of the stream. REQUIRES:
// !spec.on_disk.
IngestOutcome ingest_to_memory(const IngestArgs& args, evolving::StoreSpec& spec);

}  // namespace outcore
