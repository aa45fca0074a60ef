// SPDX-License-Identifier: Apache-2.0
// Which weights a workload uses: the parameter `weights` of sssp and spmv.
//
// For a graph without weights, they are whole numbers from 1 to 255 (GAP's range) hashed from the
// original end points, the same in both directions and for every engine. A weighted graph has its
// own, which the layout must hold; hashed ones can be asked for there too.
#pragma once

#include <string>

#include "workloads/workload.h"

namespace outcore {

Parameter weights_parameter();

// Are the graph's own weights wanted? `weighted` says whether it has any. Throws a usage error if
// they are asked for and the graph has none.
bool wants_given_weights(const std::string& workload, const Parameters& parameters, bool weighted);

// Throws a usage error if `least`, the smallest of the graph's own weights, is negative: then they
// cannot be lengths.
void check_lengths(const std::string& workload, float least);

// Do the wanted weights come with the edges? Otherwise they are hashed. Throws a usage error if the
// graph's own are wanted and the layout does not hold them.
bool weights_are_stored(const std::string& workload, const Graph& graph,
                        const Parameters& parameters);

}  // namespace outcore
