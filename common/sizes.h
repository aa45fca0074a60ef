// SPDX-License-Identifier: Apache-2.0
// Sizes as people write them: "4096", "4K", "64M", "1.5G" (powers of 1024), and "6%" of a whole.
#pragma once

#include <cstdint>
#include <string>

namespace outcore {

// Throws a usage Error that names `option` when the text is not a size. Percentages need whole > 0.
std::uint64_t parse_size(const std::string& text, const std::string& option,
                         std::uint64_t whole = 0);

// "6%" is 0.06. Throws a usage Error that names `option` when the text is not a percentage.
double parse_percentage(const std::string& text, const std::string& option);

// "1.5 GiB"
std::string human_size(std::uint64_t bytes);

// "1,048,576"
std::string with_commas(std::uint64_t number);

}  // namespace outcore
