// SPDX-License-Identifier: Apache-2.0
// Frames from what a limit of memory leaves, for engines that can use as many as they are given
// and whose user gave none: beside the process itself, the index of the layout, the arrays of the
// program, and what rounds keep of each vertex.
#pragma once

#include <cstdint>

#include "common/ids.h"

namespace outcore {

// What takes memory beside frames, as the account of memory names it.
struct BesideFrames {
  std::uint64_t index_bytes = 0;
  std::uint64_t state_bytes = 0;  // the program's arrays that are not in files
  VertexId ids = 0;               // of the layout
  bool messages_in_files = false;
};

// Throws a usage Error that names the least limit which leaves something.
std::uint64_t frames_left(std::uint64_t memory_bytes, const BesideFrames& beside);

}  // namespace outcore
