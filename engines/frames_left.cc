// SPDX-License-Identifier: Apache-2.0
#include "engines/frames_left.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/sizes.h"

namespace outcore {

namespace {

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;
// The process before a run takes 12 MB; stacks, rings of requests, and memory that the allocator
// keeps are the rest. It is a constant, so that the same run has the same frames.
constexpr std::uint64_t kProcess = 24 * kMega;
// Bytes per vertex, the most that the accounts of memory of six programs have on Kronecker 22: a
// message is 8 (mis); the queue of a selected round's blocks takes 2.5, frontiers, listeners and
// what workers collect 1.9.
constexpr std::uint64_t kMessage = 8;
constexpr std::uint64_t kRounds = 5;
constexpr std::uint64_t kLeast = kMega;  // the least that deserves to be called frames

}  // namespace

std::uint64_t frames_left(std::uint64_t memory_bytes, const BesideFrames& beside) {
  const std::uint64_t round = (kRounds + (beside.messages_in_files ? 0 : kMessage)) * beside.ids;
  const std::uint64_t taken = kProcess + beside.index_bytes + beside.state_bytes + round;
  const std::uint64_t least = std::max(kLeast, beside.least_frames);
  if (memory_bytes >= taken + least) return memory_bytes - taken;
  if (beside.least_frames > 0) return least;
  throw usage_error(fmt::format(
      "--memory {} leaves nothing for frames: the process takes {}, the index {}, the program's "
      "arrays {} and rounds of {} vertices {}; give --memory {}M or more, or choose --frames",
      human_size(memory_bytes), human_size(kProcess), human_size(beside.index_bytes),
      human_size(beside.state_bytes), with_commas(beside.ids), human_size(round),
      (taken + kLeast) / kMega + 1));
}

}  // namespace outcore
