// SPDX-License-Identifier: Apache-2.0
// Where a search begins: a canonical id, "max-degree" (the least such id) or "random:SEED" (a
// vertex that has edges); where it begins at several vertices at once, also ids that are joined,
// "3+17". The same vertices whoever is asked and however a layout numbers them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/engine.h"
#include "storage/container/container.h"
#include "workloads/workload.h"

namespace outcore {

// The ids that such a text names, ascending; nothing where it is said otherwise.
std::optional<std::vector<std::uint64_t>> joined_ids(std::string_view text);

// The parameter that find_source reads; for find_sources `how_many` names the one that counts them.
Parameter source_parameter(const std::string& how_many = {});

// Throws a usage error for ids that do not exist.
VertexId find_source(Engine& engine, const std::string& text);
VertexId find_source(const CsrView& out, const std::string& text);

// The `count` vertices that come first by the same rule, in that order; fewer when not so many have
// edges. Or those that `text` names, in ascending order: where it names several, `count` is their
// number or 1. Throws a usage error also when more are wanted than it names.
std::vector<VertexId> find_sources(Engine& engine, const std::string& text, std::size_t count);
std::vector<VertexId> find_sources(const CsrView& out, const std::string& text, std::size_t count);

// The part of that which needs no engine, and does not know which ids there are: throws a usage
// error unless `text`, given as `option` says, can be `count` sources (none: one, find_source) of a
// graph of so many edges.
void check_source(const std::string& text, std::optional<std::size_t> count, EdgeIndex edges,
                  const std::string& option = "--source ");

}  // namespace outcore
