// SPDX-License-Identifier: Apache-2.0
// Computes the frames from what a memory limit leaves, for engines that can use any number of
// frames and whose user gave none: the limit minus the process itself, the layout's index, and what
// programs and rounds keep for each vertex.
#pragma once

#include <cstdint>

#include "common/ids.h"

namespace outcore {

// What needs memory besides frames.
struct BesideFrames {
  std::uint64_t index_bytes = 0;
  VertexId ids = 0;              // of the layout
  bool states_in_files = false;  // programs' arrays, and messages
};

// Throws a usage Error with the smallest limit that leaves something.
std::uint64_t frames_left(std::uint64_t memory_bytes, const BesideFrames& beside);

}  // namespace outcore
