// SPDX-License-Identifier: Apache-2.0
// OPT: evicts the unit whose next use lies furthest ahead (Belady 1966 [1]). No policy that loads
// on demand misses less on the same sequence of accesses to units of equal size, which with several
// threads means *this interleaving*, not the run that might have been.
//
// No engine knows the whole future, so there is nothing here to run. How often OPT misses follows
// from the past alone: storage/cachesim/optimal.h counts it as the trace goes by.
//
// [1] L. A. Belady. A study of replacement algorithms for a virtual-storage computer. IBM Systems
//     Journal 5(2), 1966.
#include "storage/cache/policies/policy.h"

namespace outcore {

extern const PolicyKind opt_policy = {"opt", "Belady: evicts what is used furthest in the future",
                                      Knowledge::future, nullptr};

}  // namespace outcore
