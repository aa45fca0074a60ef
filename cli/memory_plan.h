// SPDX-License-Identifier: Apache-2.0
// Computes what a run will hold in memory before it is started: the program, what the engine has
// for this layout (index, frames, queues, or the whole lists), and the workload's arrays.
//
// An engine that reads from disk is constructed and asked; this reads nothing but the layout's
// index and touches none of its frames. For an engine that keeps the graph in memory, the lists are
// computed. The workload's arrays are found by running the workload on an engine that has a sample
// of vertices and does nothing (two samples, because some arrays grow with the vertices and some do
// not). Nothing else is counted: not the answer, the frontiers or the stacks.
#pragma once

#include <cstdint>

#include "cli/run_record.h"
#include "engines/engine.h"
#include "storage/layout/opened_graph.h"
#include "workloads/workload.h"

namespace outcore {

struct MemoryPlan {
  std::uint64_t program = 0;  // set by the caller
  NamedBytes engine;          // by name
  NamedBytes arrays;          // of the workload, by name

  // The part of the engine's memory that --frames bounds: frames, or the resident chunks of a
  // mapped file.
  [[nodiscard]] std::uint64_t frames() const;
  [[nodiscard]] std::uint64_t all() const;
};

// Throws whatever the engine's constructor throws, for instance for frames that are too small.
MemoryPlan plan_memory(const EngineEntry& engine, const OpenedGraph& layout,
                       const EngineOptions& options, const Workload& workload,
                       const Parameters& parameters);

// Those of the arrays that stay in memory where the others lie in files.
NamedBytes left_in_memory(const NamedBytes& arrays, const StateFiles& files);

// The frames of a request that leaves them to its limit of memory. Throws a usage Error where none
// are left.
std::uint64_t frames_of_memory(const RunRequest& request, const EngineEntry& engine,
                               const OpenedGraph& layout, const Workload& workload,
                               const Parameters& parameters);

}  // namespace outcore
