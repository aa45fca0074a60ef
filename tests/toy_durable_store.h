// SPDX-License-Identifier: Apache-2.0
// A small durable store, for tests: the first updates of a stream in two runs, the rest in the log.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <vector>

#include "storage/evolving/durable/durable_store.h"
#include "storage/evolving/durable/real_disk.h"
#include "storage/evolving/log_edge.h"

namespace outcore::evolving {

// What updates do to the lists of one direction.
class UpdateChanges final : public ChangeSource {
 public:
  UpdateChanges(std::span<const LogEdge> updates, Direction direction) {
    for (const LogEdge& logged : updates) {
      const Update update = as_update(logged);
      const bool out = direction == Direction::out;
      lists_[out ? update.source : update.target].push_back(
          {out ? update.target : update.source, update.removes});
    }
  }
  bool next(VertexId& vertex, std::vector<PairChange>& changes) override {
    changes.clear();
    while (changes.empty() && !lists_.empty()) {
      vertex = lists_.begin()->first;
      changes_of(lists_.begin()->second, changes);
      lists_.erase(lists_.begin());
    }
    return !changes.empty();
  }

 private:
  std::map<VertexId, std::vector<ListUpdate>> lists_;
};

inline void take(DurableStore& store, std::span<const LogEdge> updates, bool flush) {
  std::vector<Update> plain;
  for (const LogEdge& logged : updates) plain.push_back(as_update(logged));
  store.append(plain);
  const std::uint64_t last = store.commit();
  UpdateChanges out(updates, Direction::out);
  UpdateChanges in(updates, Direction::in);
  if (flush) store.flush(last, store.limit(), out, in);
}

// REQUIRES: the log, of 64 pages, holds the stream.
inline void make_toy_store(const std::filesystem::path& folder, std::span<const LogEdge> stream,
                           std::size_t flushed, VertexId vertices) {
  std::filesystem::remove_all(folder);
  RealDisk::make(folder);
  RealDisk disk(folder);
  DurableStore::create(disk, {.limit = vertices, .log_pages = 64});
  DurableStore store(disk, {.access = Access::write}, [](std::span<const Update>) {});
  take(store, stream.first(flushed / 2), true);
  take(store, stream.subspan(flushed / 2, flushed - flushed / 2), true);
  take(store, stream.subspan(flushed), false);
  store.close();
}

inline void compact_store(const std::filesystem::path& folder) {
  RealDisk disk(folder);
  DurableStore(disk, {.access = Access::write}, [](std::span<const Update>) {}).compact();
}

}  // namespace outcore::evolving
