// SPDX-License-Identifier: Apache-2.0
// What the report tells of each level of chunks, and of super vertices' pages, in columns of its
// own and in those of all levels together (configs/columns.yaml).
#pragma once

#include "engines/chunk_mmap/edge_map.h"
#include "engines/chunk_mmap/residency.h"

namespace outcore {

// What the workers did with chunks of `table`.
void tell_touched(const ChunkTable& table, const Mapper::Counts& done, EngineReport& report);
// What became of one direction's chunks.
void tell_residency(const Residency& residency, EngineReport& report);
// Of a level whose chunks nobody manages: what the page cache holds of it.
void tell_resident(const ChunkTable& table, std::size_t level, std::uint64_t bytes,
                   EngineReport& report);

}  // namespace outcore
