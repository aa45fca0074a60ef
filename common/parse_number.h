// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace outcore {

// The number that the whole text is; nothing when it is anything else, or too large.
template <typename T>
std::optional<T> parse_number(std::string_view text) {
  T number{};
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [rest, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

}  // namespace outcore
