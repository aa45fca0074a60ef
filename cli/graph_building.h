// SPDX-License-Identifier: Apache-2.0
// What the verbs that make a graph from edges share: their memory limit, and the line that they
// print at the end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "storage/container/builder.h"

namespace outcore {

// The value of --memory. Throws a usage Error for less than a sort needs.
std::uint64_t parse_sort_memory(const std::string& text);

// A line for people or, with `json`, an object for programs:
// "graphs/mine: 948,464 edges read, 78,303 loops, 365,931 met again; stored as 82,168 vertices and
// 1,008,460 edges, symmetric; 0.41 s"
void print_built(const std::filesystem::path& folder, const BuildCounts& counts, double seconds,
                 bool json);

// "3 loops and 12 parallel edges"; empty if there are none.
std::string repeats_text(const EdgeRepeats& repeats);
// The same after " with ".
std::string with_repeats(const EdgeRepeats& repeats);

}  // namespace outcore
