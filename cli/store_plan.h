// SPDX-License-Identifier: Apache-2.0
// What runs on a store of a graph that changes will have in memory, for each medium.
#pragma once

#include <string>
#include <vector>

#include "cli/planner.h"
#include "cli/run_record.h"

namespace outcore {

struct StorePlan {
  GraphFacts facts;
  std::vector<PlannedRun> runs;  // `layout` names the medium
};

// With medium=ssd, or pmem, the store is opened, as a run would, and the engine is asked. With
// medium=dram the lists are computed, of what stands: buffers and the log's tail take more.
// REQUIRES: the graph of the request is a store.
StorePlan plan_store(const RunRequest& request);

}  // namespace outcore
