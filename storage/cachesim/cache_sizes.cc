// SPDX-License-Identifier: Apache-2.0
#include "storage/cachesim/cache_sizes.h"

#include <fmt/format.h>

#include <cstdlib>

#include "common/error.h"
#include "common/sizes.h"

namespace outcore {

namespace {

constexpr const char* kOption = "--sizes";

CacheSize single_size(const std::string& text, std::uint64_t raw_bytes) {
  CacheSize size{.bytes = parse_size(text, kOption, raw_bytes), .percent = {}};
  if (text.back() == '%') size.percent = std::strtod(text.c_str(), nullptr);
  return size;
}

void append_range(const std::string& text, std::size_t dots, std::uint64_t raw_bytes,
                  std::vector<CacheSize>& sizes) {
  const CacheSize low = single_size(text.substr(0, dots), raw_bytes);
  const CacheSize high = single_size(text.substr(dots + 2), raw_bytes);
  if (!low.percent || !high.percent || !(*low.percent < *high.percent)) {
    throw usage_error(
        fmt::format("{} {}: a range goes up, from a percentage to a percentage, such as 1%..20%",
                    kOption, text));
  }
  for (int i = 0; i < kSizesInRange; ++i) {
    const double percent = *low.percent + (*high.percent - *low.percent) * i / (kSizesInRange - 1);
    sizes.push_back(
        {static_cast<std::uint64_t>(percent / 100 * static_cast<double>(raw_bytes)), percent});
  }
}

}  // namespace

std::vector<CacheSize> parse_cache_sizes(const std::vector<std::string>& texts,
                                         std::uint64_t raw_bytes, std::uint32_t unit_bytes) {
  std::vector<CacheSize> sizes;
  for (const std::string& text : texts) {
    const std::size_t dots = text.find("..");
    if (dots == std::string::npos) {
      sizes.push_back(single_size(text, raw_bytes));
    } else {
      append_range(text, dots, raw_bytes, sizes);
    }
    for (const CacheSize& size : sizes) {
      if (size.bytes >= unit_bytes) continue;
      throw usage_error(fmt::format("{} {}: {} bytes hold not even one unit of {} bytes", kOption,
                                    text, size.bytes, unit_bytes));
    }
  }
  return sizes;
}

}  // namespace outcore
