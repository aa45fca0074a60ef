// SPDX-License-Identifier: Apache-2.0
// A small durable store, for tests: the first updates of a stream in two runs, the rest in the log.
#pragma once

#include <algorithm>
#include <filesystem>
#include <span>
#include <vector>

#include "storage/evolving/durable/durable_store.h"
#include "storage/evolving/durable/real_disk.h"
#include "storage/evolving/durable/sorted_stretch.h"
#include "storage/evolving/log_edge.h"

namespace outcore::evolving {

inline void take(DurableStore& store, std::span<const LogEdge> updates, bool flush) {
  if (updates.empty()) return;
  std::vector<Update> plain;
  for (const LogEdge& logged : updates) plain.push_back(as_update(logged));
  std::uint64_t last = store.acknowledged();
  for (std::span<const Update> rest = plain; !rest.empty(); last = store.commit()) {
    rest = rest.subspan(store.append(rest));
  }
  if (!flush) return;
  const Stretch stretch{updates, {}};
  store.flush(last, store.limit(), *sorted_now(stretch, Direction::out),
              *sorted_now(stretch, Direction::in));
}

// An empty store, whose log has room for 500,000 updates.
inline void remake_store(const std::filesystem::path& folder, VertexId vertices,
                         unsigned id_bytes = 4, const std::string& codec = "raw") {
  std::filesystem::remove_all(folder);
  RealDisk::make(folder);
  RealDisk disk(folder);
  DurableStore::create(disk, {.limit = std::max<VertexId>(1, vertices),
                              .log_pages = 1024,
                              .id_bytes = id_bytes,
                              .codec = codec});
}

// REQUIRES: the log, of 64 pages, holds the stream.
inline void make_toy_store(const std::filesystem::path& folder, std::span<const LogEdge> stream,
                           std::size_t flushed, VertexId vertices, unsigned id_bytes = 4,
                           const std::string& codec = "raw") {
  std::filesystem::remove_all(folder);
  RealDisk::make(folder);
  RealDisk disk(folder);
  DurableStore::create(disk,
                       {.limit = vertices, .log_pages = 64, .id_bytes = id_bytes, .codec = codec});
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
