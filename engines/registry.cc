// SPDX-License-Identifier: Apache-2.0
#include "common/named.h"
#include "engines/async_block/async_block.h"
#include "engines/binning/binning.h"
#include "engines/chunk_mmap/chunk_mmap.h"
#include "engines/concurrent/concurrent.h"
#include "engines/engine_entry.h"
#include "engines/evolving/evolving.h"
#include "engines/grid/grid.h"
#include "engines/in_memory/in_memory.h"
#include "engines/psw/psw.h"
#include "engines/sync_subgraph/sync_subgraph.h"

namespace outcore {

namespace {

std::vector<EngineEntry>& registered_engines() {
  static std::vector<EngineEntry> entries = {
      engine_entry<AsyncBlockEngine>(
          "async_block", "blocks by priority, reused while active, without rounds (after ACGraph)"),
      engine_entry<BinningEngine>(
          "binning", "pages in order, scattered into bins that one thread applies (after Blaze)"),
      engine_entry<ChunkMmapEngine>(
          "chunk_mmap",
          "lists in chunks of a mapped file, used in place as an in-memory "
          "system would (after ChunkGraph)"),
      engine_entry<ConcurrentEngine>("concurrent",
                                     "rounds over blocks with k_r reads in flight (after CAVE)"),
      engine_entry<EvolvingEngine>(
          "evolving", "rounds over a snapshot of a store of a graph that changes (after XPGraph)"),
      engine_entry<GridEngine>(
          "grid", "edges streamed column by column of a grid of blocks (after GridGraph)"),
      engine_entry<InMemoryEngine>("in_memory", "the whole graph in memory, OpenMP: the reference"),
      engine_entry<PswEngine>(
          "psw", "memory shards and sliding windows, values on edges (after GraphChi)"),
      engine_entry<SyncSubgraphEngine>(
          "sync_subgraph",
          "intervals that are loaded, constructed and updated in turn (after LOSC)"),
  };
  return entries;
}

}  // namespace

const std::vector<EngineEntry>& engines() { return registered_engines(); }

void add_engine(EngineEntry entry) { registered_engines().push_back(std::move(entry)); }

const EngineEntry& find_engine(const std::string& spec) {
  return find_named("engine", engines(), spec_name(spec));
}

Parameters engine_settings(const std::string& spec) {
  return find_engine(spec).settings(spec_assignments(spec));
}

}  // namespace outcore
