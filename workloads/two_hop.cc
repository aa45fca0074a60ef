// SPDX-License-Identifier: Apache-2.0
/*
Kernel: queries for neighbours of neighbours (two-hop)
Returns: for each vertex the sum of the hashes of what its queries met, 0 if there were none

The queries of one-hop, each of which then reads the list of each neighbour in its list too, as
often as it stands there.
*/
#include "workloads/hops.h"
#include "workloads/registry.h"

namespace outcore {

Workload two_hop_workload() {
  return hops_workload("two-hop", "the neighbours of random vertices, and theirs", "4096", 2);
}

}  // namespace outcore
