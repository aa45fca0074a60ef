// SPDX-License-Identifier: Apache-2.0
// Users name vertices by the ids or names in the file that they imported. Workloads use canonical
// ids.
#pragma once

#include <string>
#include <vector>

#include "storage/container/container.h"
#include "workloads/workload.h"

namespace outcore {

// The assignments with all vertices that they name (Parameter::Kind::vertex) as canonical ids.
// Throws a usage error for a vertex that the graph does not have. The error shows a parameter
// called `source` as given by `source_option`, and others as given by --set.
std::vector<std::string> in_canonical_ids(const Workload& workload,
                                          std::vector<std::string> assignments,
                                          const std::string& source_option, Container& container);

// The reverse, for the vertices in an answer's summary.
void name_by_file_ids(nlohmann::json& summary, Container& container);

}  // namespace outcore
