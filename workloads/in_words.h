// SPDX-License-Identifier: Apache-2.0
// Turns a summary into a sentence. A workload's `sentence` has places in braces for the summary's
// values:
//
//   {source}         as it is: a vertex, a list of them, a number in four digits
//   {#reached}       a count: 82,168
//   {#depth level}   a count with its noun: 1 level, 8 levels
//
// and {#vertices} for the number of vertices of the graph. A part in brackets is left out if the
// summary lacks one of its values.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace outcore {

// Returns the summary itself if there is no sentence or the summary lacks what it needs.
std::string in_words(const std::string& sentence, nlohmann::json summary, std::uint64_t vertices);

}  // namespace outcore
