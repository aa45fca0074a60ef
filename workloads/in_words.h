// SPDX-License-Identifier: Apache-2.0
// A summary as a sentence. A workload's `sentence` has places in braces for what its summary says:
//
//   {source}         as it is: a vertex, a list of them, a number in four digits
//   {#reached}       a count: 82,168
//   {#depth level}   a count with its noun: 1 level, 8 levels
//
// and {#vertices}, the graph's. What stands in brackets is left out where the summary lacks one of
// its places.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace outcore {

// Where there is no sentence, or the summary lacks what it needs, the summary as it is.
std::string in_words(const std::string& sentence, nlohmann::json summary, std::uint64_t vertices);

}  // namespace outcore
