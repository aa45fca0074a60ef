// SPDX-License-Identifier: Apache-2.0
// A run on the store of a graph that changes, in place of a graph's folder.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/run_record.h"
#include "storage/container/container.h"
#include "storage/evolving/canonical_lists.h"
#include "storage/layout/opened_graph.h"
#include "workloads/workload.h"

namespace outcore {

// The run's graph. Of a store that is not opened yet little is known: any id may be in it, and it
// has an edge. What is wrong of it is found when it is opened.
Container container_of(const RunRequest& request);

// How many updates its runs hold: what a share of a store that is not opened refers to.
std::uint64_t flushed_updates(const std::filesystem::path& store);

// Throws a usage Error if the engine cannot read the store, or the run asks for what a store does
// not have. Sets `layout`, which a store has none of, to a word for people.
void settle_store(RunRequest& request, const EngineEntry& engine, const Workload& workload);

// The files that opening a store, or one of its runs, reads; and their bytes.
std::vector<std::filesystem::path> files_of_store(const std::filesystem::path& folder);
std::uint64_t bytes_of_store(const std::filesystem::path& folder);

struct StoreOfRun {
  std::unique_ptr<OpenedGraph> graph;
  GraphFacts facts;
  std::uint64_t prefix = 0;
  nlohmann::json record;  // "store" of the run's record
};
// For an engine of lists, the run itself is opened, in place.
StoreOfRun open_store(const RunRequest& request, const EngineEntry& engine);

// What the answer is verified against: made of the stream that the request names, or else of the
// store's files by another way than the engine's lists were.
evolving::CanonicalLists canonical_lists(const RunRequest& request, const GraphFacts& facts,
                                         std::uint64_t prefix);

}  // namespace outcore
