// SPDX-License-Identifier: Apache-2.0
// Users name vertices by the ids or names in the file that they imported. Workloads use canonical
// ids.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/container/container.h"
#include "workloads/workload.h"

namespace outcore {

// What a file calls vertices: as the imported file did, or by the graph's own numbers, as formats
// do that have no place for ids (csr64, sg, adj).
enum class Called : std::uint8_t { as_imported, by_number };

// Finds vertices by what a file calls them. Refers to the container.
class VertexFinder {
 public:
  explicit VertexFinder(Container& container, Called called = Called::as_imported);

  [[nodiscard]] std::optional<VertexId> by_id(std::uint64_t id) const;
  // By its name if vertices have names, else by its id.
  [[nodiscard]] std::optional<VertexId> by_text(std::string_view text) const;
  [[nodiscard]] bool named() const { return !names_.empty(); }
  // "the graph has 5, with ids from 7 to 9000000000 in its file"
  [[nodiscard]] std::string vertices_there_are() const;

 private:
  VertexId count_;
  std::span<const std::uint64_t> ids_;  // ascending; empty: vertices have their own numbers
  Names names_;
};

// The assignments with all vertices that they name (Parameter::Kind::vertex) as canonical ids.
// Throws a usage error for a vertex that the graph does not have. The error shows a parameter
// called `source` as given by `source_option`, and others as given by --set.
std::vector<std::string> in_canonical_ids(const Workload& workload,
                                          std::vector<std::string> assignments,
                                          const std::string& source_option, Container& container);

// The reverse, for the vertices in an answer's summary.
void name_by_file_ids(nlohmann::json& summary, Container& container);

}  // namespace outcore
