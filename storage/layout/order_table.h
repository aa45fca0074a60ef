// SPDX-License-Identifier: Apache-2.0
// ChunkGraph's table idx -> vid (section 3.3): ids in the order in which their lists lie in the
// blocks, so that a pass over all of them touches the blocks from front to back. Ids without a list
// in the blocks follow, ascending. Memory: 4 bytes per vertex.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "storage/layout/layout.h"
#include "storage/layout/parts.h"

namespace outcore {

// Writes <prefix>.order, n u32, and adds it to the table `files`. `positions` is by layout id;
// lists of up to `inline_edges` are in no block.
void write_order_table(const std::filesystem::path& folder, const std::string& prefix,
                       const NumberedGraph& graph, std::span<const std::uint64_t> positions,
                       std::uint64_t inline_edges, nlohmann::json& files);

// Throws bad_input for the first id that is in the wrong place.
void check_order_table(const Layout& layout, Direction direction);

}  // namespace outcore
