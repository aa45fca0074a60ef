// SPDX-License-Identifier: Apache-2.0
// Can an engine do what a run asks of it, and does a layout hold it? Both are told before an engine
// is built, which may read the whole graph; a layout's faults with the command that builds another.
#pragma once

#include <string>
#include <vector>

#include "cli/run_record.h"
#include "storage/container/container.h"
#include "storage/layout/opened_graph.h"
#include "workloads/workload.h"

namespace outcore {

// The names of the engines that can run it.
std::vector<std::string> engines_for(const Workload& workload);

// Throws a usage error for what the engine can do on no layout: it lacks what the workload needs,
// or leaves no trace where one is wanted.
void check_engine_suits(const EngineEntry& engine, const Workload& workload, bool wants_trace);

// The choices with all that the run asks for beyond them: heads, the graph's weights. Throws a
// usage error where the graph itself cannot give it.
LayoutChoices suitable_choices(const RunRequest& request, const Parameters& parameters,
                               Container& container, LayoutChoices choices);

// The layouts of the graph that the engine reads and the workload can take.
std::vector<std::string> suitable_layouts(const RunRequest& request, const Parameters& parameters,
                                          Container& container, const EngineEntry& engine);

// Of these the one with the fewest bytes, as less is to be read; a remark says so where there are
// several. Throws a usage error that names the command which builds one where there is none.
std::string usual_layout(const RunRequest& request, const Parameters& parameters,
                         Container& container, const EngineEntry& engine);

// Throws a usage error where these are other choices than the layout's.
void check_layout_suits(const RunRequest& request, const Parameters& parameters,
                        Container& container, const OpenedGraph& layout);

}  // namespace outcore
