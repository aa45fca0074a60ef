// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/field_lines.h"

#include <fmt/format.h>

#include "common/parse_number.h"

namespace outcore {

namespace {

std::string shown(std::string_view field) {
  constexpr std::size_t kMost = 40;
  return field.empty() ? "an empty field" : fmt::format("'{}'", field.substr(0, kMost));
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

bool read_end(LineCursor& line, std::string_view field, std::uint64_t& id) {
  const auto number = parse_number<std::uint64_t>(without_blanks(without_quotes(field)));
  id = number.value_or(0);
  if (number && id <= kGreatestTextId) return true;
  return line.refuse_text(shown(field),
                          fmt::format("a vertex id (0 to {}), or --ids string", kGreatestTextId));
}

bool read_end(LineCursor& line, std::string_view field, RawName& name) {
  name = RawName::of_field(field);
  return !name.text.empty() || line.refuse_text("an empty field", "an id");
}

bool read_weight(LineCursor& line, std::string_view field, float& weight) {
  const std::string_view text = without_blanks(without_quotes(field));
  return parse_weight(text.data(), text.data() + text.size(), weight) ||
         line.refuse_text(shown(field), "a weight (a finite number)");
}

bool refuse_quotes(LineCursor& line, std::string_view field) {
  return line.refuse_text(shown(field), "a field whose quotes end before the line does");
}

}  // namespace outcore
