// SPDX-License-Identifier: Apache-2.0
// Graphs that are not symmetric and should be.
#pragma once

#include "storage/container/container.h"
#include "workloads/workload.h"

namespace outcore {

// Throws a usage Error for a directed graph where the workload needs a symmetric one. It names the
// command that makes a new graph beside this one, of the same edges, weights and ids in both
// directions, and that overwrites nothing.
void check_symmetric(const Workload& workload, const Container& container);
// Throws one if the workload goes along in-edges, which the engine cannot in this graph.
void check_reverse(const EngineEntry& engine, const Workload& workload, const Container& container);

}  // namespace outcore
