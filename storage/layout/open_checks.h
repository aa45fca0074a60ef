// SPDX-License-Identifier: Apache-2.0
// What is made sure of when a layout is opened: that nothing which follows its index, its table of
// ids or its levels leaves the files. Checksums do not see to that: they say that a file is as it
// was written, not who wrote it. What stands in the blocks is `outcore check`'s to say; reading a
// piece stays within its block whatever is there (pieces.h).
//
// All throw bad_input that names the first broken place. They cost a pass over what Layout has just
// read.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "storage/layout/layout.h"

namespace outcore {

// Lists of one direction, "out" or "in", whose blocks have so many `slots`: each lies in them, or
// in the index.
void check_index(const ListIndex::Parts& parts, VertexId id_space, std::uint64_t slots,
                 const std::filesystem::path& folder, const std::string& prefix);

// The layout id of each of so many vertices, from the table at `path` the other way round, which
// names each once.
std::vector<VertexId> inverse_of(std::span<const VertexId> original, VertexId vertices,
                                 const std::filesystem::path& path);

// The levels of a direction of so many blocks: those of the pack's parameters, one behind the
// other.
void check_levels(std::span<const ChunkLevel> levels, const LayoutChoices& choices,
                  std::uint64_t blocks, const std::filesystem::path& path);

}  // namespace outcore
