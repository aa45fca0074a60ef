// SPDX-License-Identifier: Apache-2.0
// Where a search begins: a canonical id, "max-degree" (the smallest such id) or "random:SEED" (a
// vertex with edges). If it begins at several vertices at once, also joined ids: "3+17". The result
// does not depend on the engine or on how a layout numbers the vertices.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/engine.h"
#include "storage/container/container.h"
#include "workloads/workload.h"

namespace outcore {

// The ids in a text such as "3+17", ascending; nothing if the text is not made of ids.
std::optional<std::vector<std::uint64_t>> joined_ids(std::string_view text);

// The parameter that find_source reads. For find_sources, `how_many` names the parameter with their
// number.
Parameter source_parameter(const std::string& how_many = {});

// Throws a usage error for ids that do not exist.
VertexId find_source(Engine& engine, const std::string& text);
VertexId find_source(const CsrView& out, const std::string& text);

// The first `count` vertices by the same rule, in that order; fewer if fewer have edges. If `text`
// names ids, those in ascending order; if it names several, `count` must be their number or 1.
// Throws a usage error, also when more are wanted than `text` names.
std::vector<VertexId> find_sources(Engine& engine, const std::string& text, std::size_t count);
std::vector<VertexId> find_sources(const CsrView& out, const std::string& text, std::size_t count);

// The part of this check that needs no engine and does not know which ids exist. Throws a usage
// error unless `text`, given by `option`, can be `count` sources (unset: one, for find_source) of a
// graph with this many edges.
void check_source(const std::string& text, std::optional<std::size_t> count, EdgeIndex edges,
                  const std::string& option = "--source ");

}  // namespace outcore
