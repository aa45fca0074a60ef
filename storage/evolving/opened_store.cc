// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/opened_store.h"

#include <algorithm>
#include <utility>

#include "storage/evolving/snapshot_view.h"

namespace outcore::evolving {

namespace {

CommonFacts facts_of(const Snapshot& snapshot, VertexId vertices) {
  CommonFacts facts;
  facts.vertices = std::max(vertices, snapshot.vertices());
  facts.id_space = facts.vertices;
  facts.edges = snapshot.edges();
  facts.symmetric = snapshot.symmetric();
  facts.raw_bytes = facts.edges * sizeof(VertexId);
  return facts;
}

}  // namespace

OpenedStore::OpenedStore(std::filesystem::path folder, std::shared_ptr<const Snapshot> snapshot,
                         VertexId vertices, std::shared_ptr<OptaneModel> model)
    : OpenedGraph(std::move(folder), kKind, facts_of(*snapshot, vertices)),
      model_(std::move(model)),
      snapshot_(std::move(snapshot)) {}

OpenedStore::OpenedStore(StoredLists stored)
    : OpenedGraph(stored.lists().folder(), kKind, stored.lists().facts()),
      stored_(std::make_unique<const StoredLists>(std::move(stored))) {}

std::uint64_t OpenedStore::index_bytes() const {
  if (stored_) return stored_->memory_bytes();
  const std::uint64_t partitions =
      (std::uint64_t{snapshot_->vertices()} + kPartitionVertices - 1) >> kPartitionBits;
  return partitions * sizeof(Partition) * (facts().symmetric ? 1 : 2);
}

std::uint64_t OpenedStore::list_bytes() const {
  const SnapshotView view(*snapshot_, Direction::out);
  return view.pool().taken_bytes() + view.chain().dram_bytes();
}

}  // namespace outcore::evolving
