// SPDX-License-Identifier: Apache-2.0
// Lines of fields with a separator: CSV (RFC 4180, but without line breaks in a field) and TSV.
//
// A field may be in double quotes. Within them the separator is an ordinary character, and "" means
// one quote. Blanks around a name belong to the name; blanks around a number are ignored. A \r at
// the end of the line does not belong to the last field. Views point into the line.
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

  // Is there another field? A line always has a first one, which may be empty.
  [[nodiscard]] bool more() const { return at_ != nullptr; }
  // The next field as it is written, with its quotes. REQUIRES: more().
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

// Is a field as returned by next() well-formed: without quotes, or quoted from beginning to end?
bool is_whole(std::string_view field);
// Removes the quotes around a field. A field that contains quotes is returned unchanged. It is the
// only kind of result that begins with a quote, and unquoted() gives its text.
std::string_view without_quotes(std::string_view field);
std::string unquoted(std::string_view field);

// The columns of an edge's ends and its weight, counted from 0.
struct EdgeColumns {
  std::size_t source = 0;
  std::size_t target = 1;
  std::optional<std::size_t> weight;
};

// What precedes the records: ignored lines that begin with #, then the header if there is one.
struct FieldHead {
  std::uint64_t lines = 0;  // before the first record
  char separator = ',';
  std::string raw;  // these lines
  EdgeColumns columns;
};

// Splits "src,dst,weight". Throws a usage Error unless there are two or three names.
std::vector<std::string> column_names(const std::string& columns);
// The columns of a table with columns of these names: those that are asked for by name or number
// (from 1); otherwise the ones called source and target (src and dst, from and to) and weight;
// otherwise the first two. Throws a usage Error, or bad_input at `place`, if they do not exist.
EdgeColumns choose_columns(const std::vector<std::string>& names, const ColumnWishes& wishes,
                           const Place& place);

// Reads the head of a text. Its separator is the one of `separators` that occurs first in its first
// line. Leaves the source at the first record.
FieldHead read_field_head(ByteSource& source, const ColumnWishes& wishes,
                          std::string_view separators);

}  // namespace outcore
