// SPDX-License-Identifier: Apache-2.0
// What wcc and wcc-sample share: turning labels into an answer, and their verifier.
#pragma once

#include "workloads/workload.h"

namespace outcore {

// The answer for labels given by layout id: the label of a vertex is the smallest canonical id of
// its component. Overwrites `labels`.
Answer components_answer(const Graph& graph, std::span<VertexId> labels);
Verdict verify_components(const Canonical& canonical, const Answer& answer,
                          const Parameters& parameters);

}  // namespace outcore
