// SPDX-License-Identifier: Apache-2.0
// Computes the frames from what a memory limit leaves, for engines that can use any number of
// frames and whose user gave none: the limit minus the process itself, the layout's index, the
// program's arrays, and what rounds keep for each vertex.
#pragma once

#include <cstdint>

#include "common/ids.h"

namespace outcore {

// What needs memory besides frames, as the account of memory names it.
struct BesideFrames {
  std::uint64_t index_bytes = 0;  // with the order table, of layouts that have one
  std::uint64_t state_bytes = 0;  // the program's arrays that are not in files
  VertexId ids = 0;               // of the layout
  bool messages_in_files = false;
  std::uint64_t least_frames = 0;  // EngineTraits
};

// Throws a usage Error with the smallest limit that leaves something, unless there are
// `least_frames`.
std::uint64_t frames_left(std::uint64_t memory_bytes, const BesideFrames& beside);

}  // namespace outcore
