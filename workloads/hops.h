// SPDX-License-Identifier: Apache-2.0
// What one-hop and two-hop share: their queries, and the verifier.
#pragma once

#include <cstdint>
#include <string>

#include "workloads/workload.h"

namespace outcore {

// A query reads the list of its vertex, and with two hops the list of each neighbour in it.
// `count`: of queries, if nothing else is said.
Workload hops_workload(const std::string& name, const std::string& help, const std::string& count,
                       std::uint32_t hops);

}  // namespace outcore
