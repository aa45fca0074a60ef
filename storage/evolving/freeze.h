// SPDX-License-Identifier: Apache-2.0
// Writes a snapshot as a container: the graph that `outcore import` makes of the first P updates,
// whose every file but the manifest's provenance is the same. Ingest may go on meanwhile.
#pragma once

#include <filesystem>

#include "storage/container/builder.h"
#include "storage/evolving/snapshot.h"

namespace outcore::evolving {

struct FreezeOptions {
  std::uint64_t memory = std::uint64_t{256} << 20;  // of the sort; the snapshot's own comes on top
  unsigned threads = 1;
  bool force = false;  // replace an existing graph
};

// REQUIRES: the snapshot is prepared. A snapshot without edges is refused as `import` refuses a
// file without edges.
BuildCounts freeze(const Snapshot& snapshot, const std::filesystem::path& folder,
                   const FreezeOptions& options);

}  // namespace outcore::evolving
