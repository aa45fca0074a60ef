// SPDX-License-Identifier: Apache-2.0
// A run on the store of a graph that changes, in place of a graph's folder.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_record.h"
#include "storage/container/container.h"
#include "storage/evolving/canonical_lists.h"
#include "storage/layout/opened_graph.h"
#include "workloads/workload.h"

namespace outcore {

// Is it the folder of a store, on a disk or in persistent memory?
bool is_store(const std::filesystem::path& folder);

// The run's graph. A store is not opened yet, so little is known of it: the container says that any
// id may be in it and that it has an edge. Opening the store finds what is wrong with that.
Container container_of(const RunRequest& request);

// The number of updates in the store's runs, or in all of persistent memory. A percentage of the
// store is a share of these.
std::uint64_t flushed_updates(const std::filesystem::path& store);

// Throws a usage Error if the engine cannot read the store, or the run asks for something that a
// store does not have. A store has no layouts; `layout` becomes the word that people are shown.
void settle_store(RunRequest& request, const EngineEntry& engine, const Workload& workload);

// The files that opening a store, or one of its runs, reads through the page cache.
std::vector<std::filesystem::path> files_of_store(const std::filesystem::path& folder);
// What all files of a store, or of one of its runs, take.
std::uint64_t bytes_of_store(const std::filesystem::path& folder);

struct StoreOfRun {
  std::unique_ptr<OpenedGraph> graph;
  GraphFacts facts;
  std::uint64_t prefix = 0;
  std::string checksum;
  nlohmann::json record;  // "store" of the run's record
};
// For an engine of lists, the run itself is opened, in place.
StoreOfRun open_store(const RunRequest& request, const EngineEntry& engine);

// The lists against which the answer is verified. They are made from the stream if the request
// names it, else from the store's files, but in another way than the engine's lists.
evolving::CanonicalLists canonical_lists(const RunRequest& request, const GraphFacts& facts,
                                         std::uint64_t prefix);

}  // namespace outcore
