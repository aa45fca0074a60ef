// SPDX-License-Identifier: Apache-2.0
// Which weights a workload takes: the parameter `weights` of sssp and spmv.
//
// The weights of a graph that has none are whole numbers from 1 to 255 hashed from the original end
// points (GAP's range), the same both ways and for every engine. Those of a weighted graph are its
// own, which the layout then has to hold; asked for, hashed ones are taken there too.
#pragma once

#include <string>

#include "workloads/workload.h"

namespace outcore {

Parameter weights_parameter();

// Are the graph's own weights wanted? `weighted`: it has some. Throws a usage error when they are
// asked for and the graph has none.
bool wants_given_weights(const std::string& workload, const Parameters& parameters, bool weighted);

// Throws a usage error unless the graph's own weights, of which this is the least, can be lengths.
void check_lengths(const std::string& workload, float least);

// Do the weights that are wanted come with the edges? Else they are hashed. Throws a usage error
// when the graph's own are wanted and the layout does not hold them.
bool weights_are_stored(const std::string& workload, const Graph& graph,
                        const Parameters& parameters);

}  // namespace outcore
