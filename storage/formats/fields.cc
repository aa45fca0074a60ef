// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "common/error.h"
#include "common/named.h"
#include "common/parse_number.h"

namespace outcore {

namespace {

// Pairs of names under which the ends of an edge are known, in small letters.
constexpr std::array<std::array<const char*, 2>, 5> kEnds = {{{"source", "target"},
                                                              {"src", "dst"},
                                                              {"from", "to"},
                                                              {"source_id", "target_id"},
                                                              {"src_id", "dst_id"}}};

std::vector<std::string> fields_of(const std::string& line, char separator) {
  const std::string text = line + '\n';
  std::vector<std::string> fields;
  for (FieldCursor cursor(text.data(), separator); cursor.more();) {
    fields.push_back(unquoted(cursor.next()));
  }
  return fields;
}

bool is_number(const std::string& field) { return parse_number<std::uint64_t>(field).has_value(); }

// The position of the column with this name, or with this number.
std::optional<std::size_t> find_column(const std::vector<std::string>& names,
                                       const std::string& name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  const auto number = parse_number<std::size_t>(name);
  if (number && *number >= 1 && *number <= names.size()) return *number - 1;
  return std::nullopt;
}

std::size_t known_column(const std::vector<std::string>& names, const std::string& name,
                         const Place& place) {
  if (const auto column = find_column(names, name)) return *column;
  throw bad_input(place, fmt::format("the columns {}", fmt::join(names, ", ")),
                  fmt::format("a column called '{}', or of that number, as --columns says", name));
}

// Is it "3,5", which gives columns by number, not by name?
bool are_numbers(const std::string& columns) {
  const std::vector<std::string> names = column_names(columns);
  return std::all_of(names.begin(), names.end(), is_number);
}

// Decides without being told. A header has names of columns, so none of its fields is a number.
bool looks_like_header(const std::vector<std::string>& fields, const ColumnWishes& wishes) {
  if (!wishes.columns.empty() && !are_numbers(wishes.columns)) return true;
  return wishes.named() || std::none_of(fields.begin(), fields.end(), is_number);
}

char separator_of(const std::string& line, std::string_view separators) {
  for (const char separator : separators) {
    if (fields_of(line, separator).size() > 1) return separator;
  }
  return separators.front();
}

}  // namespace

bool is_whole(std::string_view field) {
  if (field.empty() || field.front() != '"') return true;
  if (field.size() < 2 || field.back() != '"') return false;
  for (std::size_t i = 1; i + 1 < field.size(); ++i) {
    if (field[i] != '"') continue;
    ++i;  // the second quote of ""
    if (i + 1 == field.size() || field[i] != '"') return false;
  }
  return true;
}

std::string_view without_quotes(std::string_view field) {
  if (field.empty() || field.front() != '"') return field;
  const std::string_view inside = field.substr(1, field.size() - 2);
  return inside.find('"') == std::string_view::npos ? inside : field;
}

std::string unquoted(std::string_view field) {
  field = without_quotes(field);
  if (field.empty() || field.front() != '"') return std::string(field);
  std::string text;
  for (std::size_t i = 1; i + 1 < field.size(); ++i) {
    text += field[i];
    if (field[i] == '"') ++i;
  }
  return text;
}

std::vector<std::string> column_names(const std::string& columns) {
  std::vector<std::string> names = fields_of(columns, ',');
  const bool named = std::none_of(names.begin(), names.end(),
                                  [](const std::string& name) { return name.empty(); });
  if (named && (names.size() == 2 || names.size() == 3)) return names;
  throw usage_error(fmt::format(
      "--columns {}: expected the columns of both ends and perhaps of the weight, by name or by "
      "number (from 1): src,dst or src,dst,weight or 1,2",
      columns));
}

EdgeColumns choose_columns(const std::vector<std::string>& names, const ColumnWishes& wishes,
                           const Place& place) {
  if (names.size() < 2) {
    throw bad_input(place, fmt::format("one column, '{}'", names.empty() ? "" : names.front()),
                    "two or more, with the ends of an edge");
  }
  if (!wishes.columns.empty()) {
    const std::vector<std::string> wished = column_names(wishes.columns);
    EdgeColumns columns{known_column(names, wished[0], place),
                        known_column(names, wished[1], place), std::nullopt};
    if (wished.size() == 3) columns.weight = known_column(names, wished[2], place);
    return columns;
  }
  std::vector<std::string> lower;
  for (const std::string& name : names) lower.push_back(lower_case(name));
  EdgeColumns columns;
  for (const auto& [source, target] : kEnds) {
    const auto from = std::find(lower.begin(), lower.end(), source);
    const auto to = std::find(lower.begin(), lower.end(), target);
    if (from == lower.end() || to == lower.end()) continue;
    columns.source = static_cast<std::size_t>(from - lower.begin());
    columns.target = static_cast<std::size_t>(to - lower.begin());
    break;
  }
  const auto weight = std::find(lower.begin(), lower.end(), "weight");
  if (weight != lower.end()) columns.weight = static_cast<std::size_t>(weight - lower.begin());
  return columns;
}

FieldHead read_field_head(ByteSource& source, const ColumnWishes& wishes,
                          std::string_view separators) {
  HeaderLines lines(source);
  FieldHead head;
  for (std::string line; lines.next(line);) {
    const bool comment = line.empty() || line == "\r" || line.front() == '#';
    if (comment) {
      head.raw += line + '\n';
      head.lines = lines.lines();
      continue;
    }
    head.separator = separator_of(line, separators);
    std::vector<std::string> fields = fields_of(line, head.separator);
    const bool header = wishes.header.value_or(looks_like_header(fields, wishes));
    if (header) {
      head.lines = lines.lines();
      head.raw += line + '\n';
    } else {
      source.put_back(line + '\n');
      for (std::size_t i = 0; i < fields.size(); ++i) fields[i] = std::to_string(i + 1);
    }
    head.columns = choose_columns(fields, wishes, Place::line(source.file().path(), lines.lines()));
    return head;
  }
  throw no_edges(source.file().path());
}

}  // namespace outcore
