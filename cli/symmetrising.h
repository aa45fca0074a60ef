// SPDX-License-Identifier: Apache-2.0
// Refuses directed graphs for workloads that need symmetric ones.
#pragma once

#include "storage/container/container.h"
#include "workloads/workload.h"

namespace outcore {

// Throws a usage Error for a directed graph if the workload needs a symmetric one. The error names
// the command that makes a new graph beside this one, with the same ids and weights and each edge
// in both directions. That command overwrites nothing.
void check_symmetric(const Workload& workload, const Container& container);
// Throws a usage Error if the workload goes along in-edges and the engine cannot in this graph.
void check_reverse(const EngineEntry& engine, const Workload& workload, const Container& container);

}  // namespace outcore
