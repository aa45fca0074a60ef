// SPDX-License-Identifier: Apache-2.0
#include "workloads/in_words.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "common/sizes.h"

namespace outcore {

namespace {

std::string plain(const nlohmann::json& value) {
  constexpr std::size_t kMost = 8;
  constexpr std::size_t kShown = 4;
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.4g}", value.get<double>());
  if (!value.is_array()) return value.dump();
  std::string text;
  const std::size_t shown = value.size() <= kMost ? value.size() : kShown;
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + plain(value[i]);
  return shown == value.size() ? text : fmt::format("{}, ... {} in all", text, value.size());
}

// Fills "source", "#reached" or "#depth level"; nothing if the summary lacks it.
std::optional<std::string> fill_place(std::string_view place, const nlohmann::json& summary) {
  const bool counts = place.starts_with('#');
  if (counts) place.remove_prefix(1);
  const std::string name(place.substr(0, place.find(' ')));
  if (!summary.contains(name)) return std::nullopt;
  const nlohmann::json& value = summary.at(name);
  if (!counts || !value.is_number_integer()) return plain(value);
  const auto count = value.get<std::uint64_t>();
  if (name.size() == place.size()) return with_commas(count);
  return fmt::format("{}{}{}", with_commas(count), place.substr(name.size()),
                     count == 1 ? "" : "s");
}

// Fills a text without brackets.
std::optional<std::string> fill(std::string_view text, const nlohmann::json& summary) {
  std::string filled;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    filled += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('}', open);
    const auto place = fill_place(text.substr(open + 1, close - open - 1), summary);
    if (!place) return std::nullopt;
    filled += *place;
    text.remove_prefix(close + 1);
  }
  return filled;
}

}  // namespace

std::string in_words(const std::string& sentence, nlohmann::json summary, std::uint64_t vertices) {
  std::string as_it_is = summary.dump();
  summary["vertices"] = vertices;
  std::string words;
  for (std::string_view left = sentence; !left.empty();) {
    const bool optional = left.front() == '[';
    const std::size_t end = left.find(optional ? ']' : '[');
    const auto part = fill(left.substr(optional ? 1 : 0, optional ? end - 1 : end), summary);
    if (!part && !optional) return as_it_is;
    words += part.value_or("");
    left.remove_prefix(std::min(left.size(), optional ? end + 1 : end));
  }
  return words.empty() ? as_it_is : words;
}

}  // namespace outcore
