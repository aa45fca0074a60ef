// SPDX-License-Identifier: Apache-2.0
// How tests run every workload on toys: parameters that suit small graphs, and which combinations
// are impossible there.
#pragma once

#include <string>
#include <vector>

#include "workloads/workload.h"

namespace outcore {

// Queries enough for a toy: the millions of the defaults tell no more of it.
inline std::vector<std::string> few_queries(const Workload& workload) {
  if (workload.name == "one-hop") return {"count=300"};
  if (workload.name == "two-hop") return {"count=30"};
  return {};
}

// Several passes; a core small enough for toys to have one; a few short walks; queries from a few
// sources.
inline Parameters toy_parameters(const Workload& workload, std::vector<std::string> set = {}) {
  if (workload.name == "lcc") set.emplace_back("kept=3000");
  if (workload.name == "kcore") set.emplace_back("k=3");
  if (workload.name == "ppr") set.emplace_back("sources=3");
  if (workload.name == "random-walk") set.insert(set.end(), {"walkers=20", "steps=5"});
  for (std::string& queries : few_queries(workload)) set.push_back(std::move(queries));
  return {workload.name, workload.parameters, set};
}

// These, and every other form, order, direction and kind of query that the workload has.
inline std::vector<Parameters> toy_forms(const Workload& workload) {
  std::vector<Parameters> forms = {toy_parameters(workload)};
  for (const Parameter& spec : workload.parameters) {
    const bool is_form = spec.name == "form" || spec.name == "order" || spec.name == "direction" ||
                         spec.name == "query" || spec.name == "edges" || spec.name == "sinks";
    if (!is_form) continue;
    for (const std::string& choice : spec.choices) {
      if (choice == spec.fallback) continue;
      forms.push_back(toy_parameters(workload, {spec.name + "=" + choice}));
    }
  }
  return forms;
}

// What the command line refuses before an engine is built: a directed graph if a symmetric one is
// needed, a source if no vertex has edges.
inline bool refused_on(const Workload& workload, bool symmetric, EdgeIndex edges) {
  const auto is_source = [](const Parameter& spec) { return spec.name == "source"; };
  const auto& parameters = workload.parameters;
  return (workload.needs_symmetric && !symmetric) ||
         (edges == 0 && std::any_of(parameters.begin(), parameters.end(), is_source));
}

}  // namespace outcore
