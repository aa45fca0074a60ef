// SPDX-License-Identifier: Apache-2.0
// Lines of fields with a separator between them: CSV (RFC 4180, but a field holds no line break)
// and TSV.
//
// A field may stand in double quotes; within them the separator is a character like any other, and
// "" stands for one quote. Blanks around a name belong to it, around a number they do not; a \r at
// the line's end is no part of its last field. Views are into the line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/formats/import.h"
#include "storage/formats/text_lines.h"

namespace outcore {

// The fields of one line, from left to right.
class FieldCursor {
 public:
  FieldCursor(const char* line, char separator) : at_(line), separator_(separator) {}

  // Is there another one? A line always has a first one, which may be empty.
  [[nodiscard]] bool more() const { return at_ != nullptr; }
  // As it stands there, with its quotes. REQUIRES: more().
  std::string_view next() {
    const char* const begin = at_;
    const char* end = begin;
    if (*end == '"') {
      for (++end; *end != '\n' && (*end != '"' || *(end + 1) == '"'); ++end) {
        if (*end == '"') ++end;
      }
    }
    while (*end != separator_ && *end != '\n') ++end;
    at_ = *end == '\n' ? nullptr : end + 1;
    if (*end == '\n' && end > begin && *(end - 1) == '\r') --end;
    return {begin, static_cast<std::size_t>(end - begin)};
  }

 private:
  const char* at_;
  char separator_;
};

// Is the field as next() gave it well formed: without quotes, or in them from its beginning to its
// end?
bool is_whole(std::string_view field);
// Without the quotes around it. Of one that holds quotes itself nothing is changed: it is the only
// kind that still begins with a quote, and unquoted() makes the text of it.
std::string_view without_quotes(std::string_view field);
std::string unquoted(std::string_view field);

// Which columns of a file are an edge's ends and its weight, counted from 0.
struct EdgeColumns {
  std::size_t source = 0;
  std::size_t target = 1;
  std::optional<std::size_t> weight;
};

// What stands above the records: lines that begin with # and are left out, then the header if there
// is one.
struct FieldHead {
  std::uint64_t lines = 0;  // before the first record
  char separator = ',';
  std::string raw;  // these lines
  EdgeColumns columns;
};

// "src,dst,weight" in parts. Throws a usage Error unless there are two or three.
std::vector<std::string> column_names(const std::string& columns);
// The columns of a table whose columns have these names: those that are wished for by name or by
// number (from 1), else those called source and target (src and dst, from and to) and weight, else
// the first two. Throws a usage Error, or bad_input at `place`, where there are none.
EdgeColumns choose_columns(const std::vector<std::string>& names, const ColumnWishes& wishes,
                           const Place& place);

// Reads the head of a text whose separator is one of `separators`, the first that its first line
// has. Leaves the source at the first record.
FieldHead read_field_head(ByteSource& source, const ColumnWishes& wishes,
                          std::string_view separators);

}  // namespace outcore
