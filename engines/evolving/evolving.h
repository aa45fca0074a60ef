// SPDX-License-Identifier: Apache-2.0
// Queries on a graph that changes: XPGraph (Wang, He, Zong et al., MICRO 2022). The graph is a
// snapshot of a store, exactly the first P updates of its stream; ingest may go on meanwhile.
//
// A list is read where the store has it, in pieces: what is logged, then the vertex buffer, then
// the chain, block by block, the newest first (section IV-B). What was removed is left out before
// degrees are used (storage/evolving/standing_lists.h). The loops are those of `in_memory`
// (engines/memory/), so that a difference between the two is one of the lists. Programs run in
// rounds, as in the paper. Where lists are placed on several memory nodes, a round's vertices are
// divided by the nodes of their lists, and read by threads that are bound there (section III-D);
// the count `vertices_by_node` says how many were.
//
// A store that stays on the disk (medium=ssd) is read by another engine of lists (on_disk.h).
//
// With a model of Optane in front of the lists, one thread reads, because the model counts accesses
// in their order. The report's counts have what the queries moved.
#pragma once

#include "engines/evolving/snapshot_pieces.h"
#include "engines/memory/memory_engine.h"
#include "storage/evolving/opened_store.h"

namespace outcore {

extern template class MemoryEngine<SnapshotPieces>;

class EvolvingEngine final : public MemoryEngine<SnapshotPieces> {
 public:
  using Reads = evolving::OpenedStore;
  static constexpr EngineTraits kTraits = {
      .pull = true, .drive = true, .keeps_graph_in_memory = true, .traces = false, .openmp = true};
  // With medium=ssd those of the engine on the disk.
  static EngineTraits traits_with(const Parameters& settings);
  // Those of the store, which is opened with them.
  static std::vector<Parameter> parameters();
  // This engine, or the one on the disk, as the store was opened.
  static std::unique_ptr<Engine> make(const evolving::OpenedStore& store,
                                      const EngineOptions& options);

  EvolvingEngine(const evolving::OpenedStore& store, const EngineOptions& options);

  [[nodiscard]] EngineTraits traits() const override { return kTraits; }
  void converge(Program& program, Frontier&& frontier) override;
  [[nodiscard]] EngineReport report() const override;

 private:
  const evolving::OpenedStore& store_;
  evolving::OptaneCounters model_before_;  // at the construction
};

}  // namespace outcore
