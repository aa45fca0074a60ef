// SPDX-License-Identifier: Apache-2.0
// What wcc and wcc-sample share: labels as an answer, and their verifier.
#pragma once

#include "workloads/workload.h"

namespace outcore {

// The label of a vertex is the least canonical id of its component; by layout id. What the labels
// stood in is used for other things.
Answer components_answer(const Graph& graph, std::span<VertexId> labels);
Verdict verify_components(const Canonical& canonical, const Answer& answer,
                          const Parameters& parameters);

}  // namespace outcore
