// SPDX-License-Identifier: Apache-2.0
// Can an engine do what a run asks, and does a layout hold what the run needs? Both are checked
// before an engine is constructed, because an engine may read the whole graph. An error about a
// layout names the command that builds a suitable one.
#pragma once

#include <string>
#include <vector>

#include "cli/run_record.h"
#include "storage/container/container.h"
#include "storage/layout/opened_graph.h"
#include "workloads/workload.h"

namespace outcore {

// Throws a usage error for what the engine can do on no layout: it lacks what the workload needs,
// or it cannot write the trace that was asked for.
void check_engine_suits(const EngineEntry& engine, const Workload& workload, bool wants_trace);

// `choices` plus everything else that the run needs: heads, the graph's weights. Throws a usage
// error if the graph itself cannot provide it.
LayoutChoices suitable_choices(const RunRequest& request, const Parameters& parameters,
                               Container& container, LayoutChoices choices);

// The layouts of the graph that the engine reads and the workload can take.
std::vector<std::string> suitable_layouts(const RunRequest& request, const Parameters& parameters,
                                          Container& container, const EngineEntry& engine);

// The only suitable layout. If there is none, throws a usage error with the command that builds
// one; if there are several, one that lists them.
std::string only_suitable_layout(const RunRequest& request, const Parameters& parameters,
                                 Container& container, const EngineEntry& engine);

// Throws a usage error if the layout's choices differ from those that the run needs.
void check_layout_suits(const RunRequest& request, const Parameters& parameters,
                        Container& container, const OpenedGraph& layout);

}  // namespace outcore
