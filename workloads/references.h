// SPDX-License-Identifier: Apache-2.0
// What several verifiers share: serial references over the canonical lists, and the comparison of
// numbers within a tolerance. Programs use none of it.
#pragma once

#include <string>
#include <vector>

#include "workloads/workload.h"

namespace outcore {

// The core number of each vertex of a symmetric graph, by bucket order (V. Batagelj, M. Zaversnik,
// "An O(m) Algorithm for Cores Decomposition of Networks", 2003). A loop is a neighbour that never
// leaves before its vertex; each of parallel edges counts.
std::vector<std::uint32_t> core_numbers(const CsrView& lists);

// Levels of a breadth-first search with a queue; kNoLevel for vertices without a path.
std::vector<std::uint32_t> levels_from(const CsrView& out, VertexId source);

// Passes if |found - expected| is at most what is allowed at every vertex; names the first vertex
// where it is more. NaN is always wrong.
Verdict compare_within(const std::string& how, const std::vector<float>& found,
                       const std::vector<double>& expected, const std::vector<double>& allowed);

}  // namespace outcore
