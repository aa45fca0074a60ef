// SPDX-License-Identifier: Apache-2.0
// Users name vertices by the ids or the names of the file that they imported; workloads know
// canonical ones.
#pragma once

#include <string>
#include <vector>

#include "storage/container/container.h"
#include "workloads/workload.h"

namespace outcore {

// The assignments with every vertex that they name (Parameter::Kind::vertex) in canonical ids.
// Throws a usage error for a vertex that the graph does not have; one that is called `source` was
// given as `source_option` says, others by --set.
std::vector<std::string> in_canonical_ids(const Workload& workload,
                                          std::vector<std::string> assignments,
                                          const std::string& source_option, Container& container);

// The same the other way: vertices that an answer's summary names.
void name_by_file_ids(nlohmann::json& summary, Container& container);

}  // namespace outcore
