// SPDX-License-Identifier: Apache-2.0
// What wcc and wcc-sample share: labels as an answer, and their verifier.
#pragma once

#include "workloads/workload.h"

namespace outcore {

// `label`, by layout id: the least canonical id of the vertex's component.
Answer components_answer(const Graph& graph, std::vector<VertexId>&& label);
Verdict verify_components(const Canonical& canonical, const Answer& answer,
                          const Parameters& parameters);

}  // namespace outcore
