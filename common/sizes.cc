// SPDX-License-Identifier: Apache-2.0
#include "common/sizes.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "common/error.h"

namespace outcore {

std::uint64_t parse_size(const std::string& text, const std::string& option, std::uint64_t whole) {
  const auto refuse = [&](const std::string& why) {
    return usage_error(fmt::format("{} {}: {}; write a size such as 4096, 64K, 512M, 1.5G{}",
                                   option, text, why, whole > 0 ? " or 6%" : ""));
  };
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || !std::isfinite(number)) throw refuse("not a number");
  if (number < 0) throw refuse("negative");
  const std::string unit(end);
  double scale = 1;
  if (unit == "K" || unit == "k" || unit == "KiB") {
    scale = 1024.0;
  } else if (unit == "M" || unit == "m" || unit == "MiB") {
    scale = 1024.0 * 1024;
  } else if (unit == "G" || unit == "g" || unit == "GiB") {
    scale = 1024.0 * 1024 * 1024;
  } else if (unit == "%") {
    if (whole == 0) throw refuse("a percentage has no meaning here");
    scale = static_cast<double>(whole) / 100;
  } else if (!unit.empty()) {
    throw refuse(fmt::format("unknown unit '{}'", unit));
  }
  const double bytes = number * scale;
  if (bytes > 9e18) throw refuse("too large");
  return static_cast<std::uint64_t>(bytes);
}

double parse_percentage(const std::string& text, const std::string& option) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || std::string(end) != "%" || !std::isfinite(number) || number < 0) {
    throw usage_error(fmt::format("{} {}: write a percentage such as 6%", option, text));
  }
  return number / 100;
}

std::string human_size(std::uint64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string with_commas(std::uint64_t number) {
  std::string text = fmt::format("{}", number);
  for (std::size_t digits = 3; digits < text.size(); digits += 4) {
    text.insert(text.size() - digits, 1, ',');
  }
  return text;
}

}  // namespace outcore
