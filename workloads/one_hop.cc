// SPDX-License-Identifier: Apache-2.0
/*
Kernel: queries for neighbours (one-hop)
Returns: for each vertex the sum of the hashes of what its queries met, 0 if there were none

`count` queries begin at random vertices that have out-edges, and each reads the list of its vertex;
a vertex may be drawn more than once. `direction` says which lists: those of out-edges, those of
in-edges, or one after the other.

A query meets neighbours in no order, so it adds up a hash of each one's canonical id, modulo 2^32.
Queries do not depend on one another, and an engine has as many under way as it has room for.

[1] XPGraph, MICRO 2022, section V-D: queries of 2^24 random vertices of non-zero degree.
*/
#include "workloads/hops.h"
#include "workloads/registry.h"

namespace outcore {

Workload one_hop_workload() {
  return hops_workload("one-hop", "the neighbours of random vertices", "16777216", 1);
}

}  // namespace outcore
