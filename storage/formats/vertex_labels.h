// SPDX-License-Identifier: Apache-2.0
// What the imported file calls a graph's vertices: names, ids, or the vertices' own numbers. Refers
// to the container.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "storage/container/container.h"
#include "storage/formats/output_file.h"

namespace outcore {

// The text as a field of a table (fields.h): quoted if necessary.
std::string quoted(std::string_view text, char separator);

class VertexLabels {
 public:
  explicit VertexLabels(Container& container) : ids_(container.ids()), names_(container.names()) {}

  [[nodiscard]] bool named() const { return !names_.empty(); }
  [[nodiscard]] std::uint64_t id(VertexId v) const { return ids_.empty() ? v : ids_[v]; }
  [[nodiscard]] std::string_view name(VertexId v) const { return names_[v]; }
  [[nodiscard]] std::string text(VertexId v) const {
    return named() ? std::string(name(v)) : std::to_string(id(v));
  }
  // Writes the label as a field of a table; with a blank as separator, names are not quoted.
  void put(OutputFile& file, VertexId v, char separator) const {
    if (!named()) {
      file.number(id(v));
    } else if (separator == ' ') {
      file.text(name(v));
    } else {
      file.text(quoted(name(v), separator));
    }
  }

 private:
  std::span<const std::uint64_t> ids_;
  Names names_;
};

}  // namespace outcore
