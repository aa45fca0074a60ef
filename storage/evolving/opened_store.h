// SPDX-License-Identifier: Apache-2.0
// A store as a graph that an engine opens: a snapshot of one in memory, in DRAM or persistent, or
// the lists of a durable one on a disk, where they lie (stored_lists.h). Ids are those of the
// stream, and a vertex that occurs in no update has no edges. In a symmetric store each edge stands
// at both ends.
#pragma once

#include <memory>

#include "storage/evolving/optane_model.h"
#include "storage/evolving/snapshot.h"
#include "storage/evolving/stored_lists.h"
#include "storage/layout/opened_graph.h"

namespace outcore::evolving {

class OpenedStore final : public OpenedGraph {
 public:
  static constexpr GraphKind kKind = GraphKind::store;

  // `folder` names the store in messages. Ids are below `vertices`, or those of the snapshot if
  // there are more of them. `model` counts what lists are read, if there is one. REQUIRES: the
  // snapshot is prepared.
  OpenedStore(std::filesystem::path folder, std::shared_ptr<const Snapshot> snapshot,
              VertexId vertices = 0, std::shared_ptr<OptaneModel> model = nullptr);
  // On the disk.
  explicit OpenedStore(StoredLists stored);

  // The lists on the disk; null if they are in memory.
  [[nodiscard]] const StoredLists* stored() const { return stored_.get(); }
  // REQUIRES of this, model() and list_bytes(): in memory.
  [[nodiscard]] const Snapshot& snapshot() const { return *snapshot_; }
  // Null: the lists are in DRAM.
  [[nodiscard]] const OptaneModel* model() const { return model_.get(); }
  // The records of vertices; on the disk, what is known of the lists.
  [[nodiscard]] std::uint64_t index_bytes() const override;
  // Buffers and chains, as far as they are in DRAM.
  [[nodiscard]] std::uint64_t list_bytes() const;
  void forget_lists() override {
    snapshot_.reset();
    stored_.reset();
  }

 private:
  // Before the snapshot, whose chain tells it what is read.
  std::shared_ptr<OptaneModel> model_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::unique_ptr<const StoredLists> stored_;
};

}  // namespace outcore::evolving
