// SPDX-License-Identifier: Apache-2.0
// Opens a store in a folder for queries, and prepares a snapshot of it.
//
// The lists of a durable store (durable/) come into memory as they would be after a recovery
// (XPGraph, section III-B). Runs are what is flushed.
// The updates that only the log has are taken in again: they are buffered, and the last of them,
// less than a threshold, stay in the log. What a run removes from older ones stays a removal in the
// lists. A store of one run is compacted, so its lists are single blocks here too.
//
// A durable store is directed. If it is opened as a symmetric one (lists=symmetric), each edge that
// stands is at both ends, and the lists are compact.
//
// A store in persistent memory (pmem_store.h) is recovered, and its lists are read out of the
// mapped file (medium=pmem). Or what stands is copied into a store in memory, where lists are
// compact.
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
  // Of a store in persistent memory: false if an ordinary file stands in.
  std::optional<bool> is_persistent;
};

// Throws bad_input for damage, and a usage Error for a prefix that the store cannot give: beyond
// its updates, or before those that runs or chains hold together.
LoadedStore load_store(const std::filesystem::path& folder, const LoadOptions& options);

}  // namespace outcore::evolving
