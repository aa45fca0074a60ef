// SPDX-License-Identifier: Apache-2.0
#include "common/parse_json.h"

#include <fmt/format.h>

#include <cstddef>
#include <istream>
#include <iterator>
#include <string>

#include "common/error.h"

namespace outcore {

namespace {

constexpr const char* kAdvice = "build the graph or layout again";

// The parser's callbacks know the depth too, but with one each object goes through all that stand
// before it in its array, and the record of a run of 500,000 rounds took a minute.
bool is_deeper_than(std::size_t most, std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++at;  // what follows does not end it
    if (in_string) continue;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && depth > 0) --depth;
    if (depth > most) return true;
  }
  return false;
}

}  // namespace

nlohmann::json parse_json(std::istream& text, const std::filesystem::path& path) {
  const std::string whole(std::istreambuf_iterator<char>(text), {});
  return parse_json(whole, path);
}

nlohmann::json parse_json(std::string_view text, const std::filesystem::path& path) {
  // JSON values are copied and compared recursively, so deep nesting would overflow the stack.
  constexpr std::size_t kDeepest = 64;
  if (is_deeper_than(kDeepest, text)) {
    throw bad_input(Place::file(path), fmt::format("JSON deeper than {} levels", kDeepest),
                    "a flat document", kAdvice);
  }
  try {
    nlohmann::json json = nlohmann::json::parse(text);
    if (json.is_object()) return json;
    throw bad_input(Place::file(path), fmt::format("JSON, but {}", json.type_name()), "an object",
                    kAdvice);
  } catch (const nlohmann::json::out_of_range& e) {
    throw bad_input(Place::file(path), e.what(), "numbers in range", kAdvice);
  } catch (const nlohmann::json::parse_error& e) {
    throw bad_input(Place::offset(path, e.byte), "broken JSON", "a JSON document", kAdvice);
  }
}

}  // namespace outcore
