// SPDX-License-Identifier: Apache-2.0
// OPT: evicts the unit whose next use is furthest in the future (Belady 1966 [1]). On a given
// sequence of accesses to units of equal size, no policy that loads on demand misses less. With
// several threads the sequence is one *interleaving*; another run would have had another one.
//
// No engine knows the whole future, so there is nothing here to run. How often OPT misses can be
// computed from the past alone: storage/cachesim/optimal.h does so while it reads the trace.
//
// [1] L. A. Belady. A study of replacement algorithms for a virtual-storage computer. IBM Systems
//     Journal 5(2), 1966.
#include "storage/cache/policies/policy.h"

namespace outcore {

extern const PolicyKind opt_policy = {"opt",
                                      "Belady: evicts the unit that is used furthest in the future",
                                      Knowledge::future, nullptr};

}  // namespace outcore
