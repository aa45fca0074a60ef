// SPDX-License-Identifier: Apache-2.0
// Reads a text edge list front to back, several threads parsing pieces of one window at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "common/files.h"

namespace outcore {

using TextEdge = std::pair<std::uint64_t, std::uint64_t>;

inline constexpr std::uint64_t kGreatestTextId = ~std::uint64_t{0} - 1;

// Hands over the edges in the file's order, in batches. Throws bad_input with the line of the first
// thing that is no edge. `what` names the pass in progress reports.
void read_text_edges(const File& file, unsigned threads, const std::string& what,
                     const std::function<void(std::span<const TextEdge>)>& sink);

}  // namespace outcore
