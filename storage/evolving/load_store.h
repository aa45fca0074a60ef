// SPDX-License-Identifier: Apache-2.0
// Opens a durable store (durable/) for queries: its lists come into memory as they would be after a
// recovery (XPGraph, section III-B), and a snapshot of them is prepared. Runs are what is flushed.
// The updates that only the log has are taken in again: they are buffered, and the last of them,
// less than a threshold, stay in the log. What a run removes from older ones stays a removal in the
// lists. A store of one run is compacted, so its lists are single blocks here too.
//
// A durable store is directed. If it is opened as a symmetric one (lists=symmetric), each edge that
// stands is at both ends, and the lists are compact.
//
// Nothing is written. Memory: that of the store in memory, and 12 bytes an update of the log.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "storage/evolving/opened_store.h"
#include "storage/evolving/store_spec.h"

namespace outcore::evolving {

struct LoadOptions {
  StoreSpec spec;  // how the lists lie in memory
  unsigned threads = 1;
  std::optional<std::uint64_t> prefix;  // the first so many updates; unset: all
};

struct LoadedStore {
  std::unique_ptr<OpenedStore> graph;
  std::uint64_t prefix = 0;
  std::uint64_t runs = 0;
  std::uint64_t tombstones = 0;       // removals in runs, of copies in older ones
  std::uint64_t removals_missed = 0;  // of copies that did not exist
  // Where the entries of the out-lists are now.
  std::uint64_t logged = 0;
  std::uint64_t buffered = 0;
  std::uint64_t flushed = 0;
};

// Throws bad_input for damage, and a usage Error for a prefix that the store cannot give: beyond
// its updates, or before those that runs hold together.
LoadedStore load_store(const std::filesystem::path& folder, const LoadOptions& options);

}  // namespace outcore::evolving
