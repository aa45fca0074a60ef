// SPDX-License-Identifier: Apache-2.0
// Checks a snapshot against its stream, which is read again and applied the slow way: all updates
// are sorted by edge, in the order of arrival, and each edge's copies are counted. The store's
// lists are not used for that. Memory: 16 bytes an update.
#pragma once

#include <cstdint>
#include <filesystem>

#include "storage/evolving/snapshot.h"
#include "storage/evolving/stream.h"

namespace outcore::evolving {

struct CheckedStore {
  std::uint64_t edges = 0;            // that stand
  std::uint64_t removals_missed = 0;  // of edges that were not there
};

// Throws Error (wrong_answer) that says what differs: out-lists, in-lists, degrees, counts.
// REQUIRES: the snapshot is prepared.
CheckedStore check_store(const Snapshot& snapshot, const std::filesystem::path& stream,
                         const StreamOptions& options);

}  // namespace outcore::evolving
