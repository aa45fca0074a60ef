// SPDX-License-Identifier: Apache-2.0
// The graph of a container as a snapshot of a store, for tests: what stands is the same, and the
// lists lie as they do after different lives.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "common/hash.h"
#include "storage/container/container.h"
#include "storage/evolving/opened_store.h"
#include "storage/evolving/store.h"
#include "storage/evolving/stored_lists.h"
#include "tests/toy_durable_store.h"

namespace outcore {

enum class StoreLife : std::uint8_t {
  logged,     // nothing has left the log
  buffered,   // full buffers are blocks of chains, the others still buffers
  compacted,  // each list is one block
  // Other edges came and went, some edges came twice and went once, and removals found nothing:
  // some of it is flushed, some buffered, and the last part is only logged.
  changed,
  // On the disk, in one run.
  stored,
  // On the disk the same as `changed`: the flushed and the buffered part are runs.
  stored_in_parts
};
inline constexpr std::array kStoreLives = {StoreLife::logged,    StoreLife::buffered,
                                           StoreLife::compacted, StoreLife::changed,
                                           StoreLife::stored,    StoreLife::stored_in_parts};

namespace toy_store_details {

using evolving::LogEdge;

inline LogEdge removal(LogEdge edge) { return {edge.source, edge.target | evolving::kRemoval}; }

// An edge that comes and goes beside `edge`.
inline LogEdge passing(const LogEdge& edge, VertexId vertices) {
  return {edge.target, static_cast<VertexId>(mix(edge.source) % vertices)};
}

// In the order of their hashes, so that lists come in no order. Of a symmetric graph `once`, or at
// both ends.
inline std::vector<LogEdge> edges_of(Container& container, bool once) {
  std::vector<LogEdge> edges;
  const CsrView out = container.csr(Direction::out);
  for (VertexId v = 0; v < out.vertices(); ++v) {
    for (const VertexId u : out.list(v)) {
      if (!once || !container.facts().symmetric || v <= u) edges.push_back({v, u});
    }
  }
  std::stable_sort(edges.begin(), edges.end(), [](const LogEdge& a, const LogEdge& b) {
    return mix(a.source * 31 + a.target) < mix(b.source * 31 + b.target);
  });
  return edges;
}

// All but the last few edges, with others that pass; what is left of it then goes, or comes.
inline std::array<std::vector<LogEdge>, 3> life_of(std::span<const LogEdge> edges,
                                                   VertexId vertices) {
  const std::span<const LogEdge> early = edges.first(edges.size() - edges.size() / 8);
  std::vector<LogEdge> first;
  std::vector<LogEdge> last(edges.begin() + static_cast<std::ptrdiff_t>(early.size()), edges.end());
  for (std::size_t i = 0; i < early.size(); ++i) {
    first.push_back(early[i]);
    if (i % 3 == 0) first.push_back(passing(early[i], vertices));
    if (i % 5 == 0) first.push_back(early[i]);
  }
  std::vector<LogEdge> second;
  for (std::size_t i = 0; i < early.size(); ++i) {
    std::vector<LogEdge>& when = i % 2 == 0 ? second : last;
    if (i % 3 == 0) when.push_back(removal(passing(early[i], vertices)));
    if (i % 5 == 0) when.push_back(removal(early[i]));
  }
  return {first, second, last};
}

// A durable store of one run, or of two and a log.
inline std::unique_ptr<evolving::OpenedStore> on_disk(Container& container, bool in_parts) {
  const VertexId vertices = container.facts().vertices;
  const std::filesystem::path folder = container.folder() / "stored";
  std::vector<LogEdge> edges = edges_of(container, false);
  in_parts = in_parts && !edges.empty();
  // A store knows its vertices by their updates.
  if (edges.empty() && vertices > 0) edges = {{0, 0}, removal({0, 0})};
  evolving::remake_store(folder, vertices);
  evolving::RealDisk disk(folder);
  {
    evolving::DurableStore store(disk, {.access = evolving::Access::write},
                                 [](std::span<const evolving::Update>) {});
    const auto [first, second, last] = life_of(edges, vertices);
    evolving::take(store, in_parts ? first : edges, true);
    if (in_parts) {
      evolving::take(store, second, true);
      evolving::take(store, last, false);
    }
    store.close();
  }
  return std::make_unique<evolving::OpenedStore>(evolving::open_stored_lists(folder, {}));
}

}  // namespace toy_store_details

inline std::unique_ptr<evolving::OpenedStore> toy_store(Container& container, StoreLife life) {
  using namespace toy_store_details;
  if (life == StoreLife::stored || life == StoreLife::stored_in_parts) {
    return on_disk(container, life == StoreLife::stored_in_parts);
  }
  const VertexId vertices = container.facts().vertices;
  evolving::Store store({.symmetric = container.facts().symmetric,
                         .threads = 2,
                         .log_edges = std::uint64_t{1} << 21,
                         .threshold = std::uint64_t{1} << 20,
                         .bulk_bytes = std::uint64_t{1} << 16});
  const std::vector<LogEdge> edges = edges_of(container, true);
  if (life == StoreLife::changed) {
    const auto [first, second, last] = life_of(edges, vertices);
    store.add_edges(first);
    store.flush_all();
    store.add_edges(second);
    store.buffer_all();
    store.add_edges(last);
  } else {
    store.add_edges(edges);
    if (life != StoreLife::logged) store.buffer_all();
    if (life == StoreLife::compacted) store.compact_all();
  }
  const std::shared_ptr<evolving::Snapshot> snapshot = store.snapshot();
  snapshot->prepare(2);
  return std::make_unique<evolving::OpenedStore>(container.folder() / "store", snapshot, vertices);
}

}  // namespace outcore
