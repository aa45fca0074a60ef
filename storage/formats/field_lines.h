// SPDX-License-Identifier: Apache-2.0
// The grammar of a line of fields (fields.h): two of the columns are an edge's ends, and one may be
// its weight.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <type_traits>

#include "storage/formats/fields.h"
#include "storage/formats/named_edges.h"
#include "storage/formats/text_lines.h"

namespace outcore {

// Each reads one value from its field. If the field is not one, the line refuses it; returns false.
bool read_end(LineCursor& line, std::string_view field, std::uint64_t& id);
bool read_end(LineCursor& line, std::string_view field, RawName& name);
bool read_weight(LineCursor& line, std::string_view field, float& weight);
// Refuses a field with quotes that do not end.
bool refuse_quotes(LineCursor& line, std::string_view field);

// A line of fields with the columns of the ends and perhaps of the weight.
template <typename Edge>
struct FieldLine {
  using Record = Edge;
  static constexpr bool kFromFirstCharacter = true;
  static constexpr bool kWeighted =
      std::is_same_v<Edge, WeightedTextEdge> || std::is_same_v<Edge, WeightedNamedEdge>;
  char separator;
  EdgeColumns columns;

  LineKind parse(LineCursor& line, Edge& edge) const {
    if (line.front() == '\r' && *(line.word() + 1) == '\n') return LineKind::nothing;
    FieldCursor fields(line.word(), separator);
    std::size_t left = kWeighted ? 3 : 2;
    for (std::size_t column = 0; left > 0; ++column) {
      if (!fields.more()) {
        line.refuse_text(fmt::format("{} columns", column), "as many as the first line has");
        return LineKind::refused;
      }
      const std::string_view field = fields.next();
      if (!is_wanted(column)) continue;
      if (!read(line, column, field, edge)) return LineKind::refused;
      left -= column == columns.source ? 1 : 0;
      left -= column == columns.target ? 1 : 0;
      left -= kWeighted && column == columns.weight ? 1 : 0;
    }
    return LineKind::record;
  }

 private:
  [[nodiscard]] bool is_wanted(std::size_t column) const {
    return column == columns.source || column == columns.target ||
           (kWeighted && column == columns.weight);
  }

  bool read(LineCursor& line, std::size_t column, std::string_view field, Edge& edge) const {
    if (!is_whole(field)) return refuse_quotes(line, field);
    if (column == columns.source && !read_end(line, field, edge.source)) return false;
    if (column == columns.target && !read_end(line, field, edge.target)) return false;
    if constexpr (kWeighted) {
      if (column == columns.weight && !read_weight(line, field, edge.weight)) return false;
    }
    return true;
  }
};

}  // namespace outcore
