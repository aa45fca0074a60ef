// SPDX-License-Identifier: Apache-2.0
// Where a search begins: a canonical id, "max-degree" (the least such id) or "random:SEED" (a
// vertex that has edges). The same vertices whoever is asked and however a layout numbers them.
#pragma once

#include <string>
#include <vector>

#include "engines/engine.h"
#include "storage/container/container.h"
#include "workloads/workload.h"

namespace outcore {

// The parameter that find_source reads.
ParameterSpec source_parameter();

// Throws a usage error for ids that do not exist.
VertexId find_source(Engine& engine, const std::string& text);
VertexId find_source(const CsrView& out, const std::string& text);

// The `count` vertices that come first by the same rule, in that order; fewer when not so many have
// edges. Throws a usage error also when several are wanted and `text` names one vertex.
std::vector<VertexId> find_sources(Engine& engine, const std::string& text, std::size_t count);
std::vector<VertexId> find_sources(const CsrView& out, const std::string& text, std::size_t count);

// The part of that which needs no engine: throws a usage error unless `text`, given as `option`
// says, can be a source of a graph of so many vertices and edges.
void check_source(const std::string& text, VertexId vertices, EdgeIndex edges,
                  const std::string& option = "--source ");

}  // namespace outcore
