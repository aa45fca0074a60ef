// SPDX-License-Identifier: Apache-2.0
#include "common/parse_json.h"

#include <fmt/format.h>

#include <istream>

#include "common/error.h"

namespace outcore {

namespace {

constexpr const char* kAdvice = "build the graph or layout again";

// JSON values are copied and compared recursively, so deep nesting would overflow the stack.
nlohmann::json::parser_callback_t refuse_depth(const std::filesystem::path& path) {
  return [path](int depth, nlohmann::json::parse_event_t /*event*/, nlohmann::json& /*value*/) {
    constexpr int kDeepest = 64;
    if (depth <= kDeepest) return true;
    throw bad_input(Place::file(path), fmt::format("JSON deeper than {} levels", kDeepest),
                    "a flat document", kAdvice);
  };
}

template <typename Text>
nlohmann::json parse(Text& text, const std::filesystem::path& path) {
  try {
    nlohmann::json json = nlohmann::json::parse(text, refuse_depth(path));
    if (json.is_object()) return json;
    throw bad_input(Place::file(path), fmt::format("JSON, but {}", json.type_name()), "an object",
                    kAdvice);
  } catch (const nlohmann::json::out_of_range& e) {
    throw bad_input(Place::file(path), e.what(), "numbers in range", kAdvice);
  } catch (const nlohmann::json::parse_error& e) {
    throw bad_input(Place::offset(path, e.byte), "broken JSON", "a JSON document", kAdvice);
  }
}

}  // namespace

nlohmann::json parse_json(std::istream& text, const std::filesystem::path& path) {
  return parse(text, path);
}

nlohmann::json parse_json(std::string_view text, const std::filesystem::path& path) {
  return parse(text, path);
}

}  // namespace outcore
