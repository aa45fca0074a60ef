// SPDX-License-Identifier: Apache-2.0
#include "engines/frames_left.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/sizes.h"

namespace outcore {

namespace {

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;
// The binary, its threads' stacks and the rings of its requests: 12 MB without any graph, and the
// same again for memory that is allocated and freed meanwhile.
constexpr std::uint64_t kProcess = 24 * kMega;
// Bytes per vertex: two arrays of a program (ranks and what was heard, 8 bytes), a message (4 or
// 8), the bits of frontiers and listeners. Searches need less.
constexpr std::uint64_t kInMemory = 18;
constexpr std::uint64_t kBitsAlone = 2;  // if the arrays are in files
constexpr std::uint64_t kLeast = kMega;  // the least that deserves to be called frames

}  // namespace

std::uint64_t frames_left(std::uint64_t memory_bytes, const BesideFrames& beside) {
  const std::uint64_t each = beside.states_in_files ? kBitsAlone : kInMemory;
  const std::uint64_t vertices = each * beside.ids;
  const std::uint64_t taken = kProcess + beside.index_bytes + vertices;
  if (memory_bytes >= taken + kLeast) return memory_bytes - taken;
  throw usage_error(fmt::format(
      "--memory {} leaves nothing for frames: the process takes {}, the index {} and {} vertices "
      "{}; give --memory {}M or more, or choose --frames",
      human_size(memory_bytes), human_size(kProcess), human_size(beside.index_bytes),
      with_commas(beside.ids), human_size(vertices), (taken + kLeast) / kMega + 1));
}

}  // namespace outcore
