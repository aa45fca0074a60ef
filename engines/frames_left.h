// SPDX-License-Identifier: Apache-2.0
// Frames from what a limit of memory leaves, for engines that can use as many as they are given
// and whose user gave none: beside the process itself, the index of the layout, and what programs
// and rounds keep of each vertex.
#pragma once

#include <cstdint>

#include "common/ids.h"

namespace outcore {

// What takes memory beside frames.
struct BesideFrames {
  std::uint64_t index_bytes = 0;   // with the order table, of layouts that have one
  VertexId ids = 0;                // of the layout
  bool states_in_files = false;    // arrays of programs, and messages
  std::uint64_t least_frames = 0;  // EngineTraits
};

// Throws a usage Error that names the least limit which leaves something, unless `least_frames` do.
std::uint64_t frames_left(std::uint64_t memory_bytes, const BesideFrames& beside);

}  // namespace outcore
