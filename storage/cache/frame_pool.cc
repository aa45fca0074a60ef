// SPDX-License-Identifier: Apache-2.0
#include "storage/cache/frame_pool.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include "common/error.h"
#include "common/sizes.h"

namespace outcore {

namespace {

// Decoders of packed lists read a few bytes past a block, so a page follows the last slot.
constexpr std::size_t kPadding = 4096;

}  // namespace

FrameArena::FrameArena(std::size_t slots, std::size_t slot_bytes, unsigned worker)
    : slots_(slots),
      slot_bytes_(slot_bytes),
      memory_(numa::allocate(slots * slot_bytes + kPadding, worker)) {
  // Saves TLB misses where the kernel grants it. Only advice, so a refusal is not an error.
  ::madvise(memory_.get(), slots * slot_bytes, MADV_HUGEPAGE);
}

FramePool::FramePool(std::size_t bytes, std::size_t slot_bytes, unsigned workers) {
  const std::size_t slots = bytes / slot_bytes;
  if (slots < workers) {
    throw usage_error(fmt::format(
        "--frames of {} hold {} frames of {}; {} threads need at least {}", human_size(bytes),
        slots, human_size(slot_bytes), workers, human_size(workers * slot_bytes)));
  }
  arenas_.reserve(workers);
  for (unsigned worker = 0; worker < workers; ++worker) {
    const std::size_t extra = worker < slots % workers ? 1 : 0;
    arenas_.emplace_back(slots / workers + extra, slot_bytes, worker);
  }
}

std::size_t FramePool::bytes() const {
  std::size_t bytes = 0;
  for (const FrameArena& arena : arenas_) bytes += arena.memory().size();
  return bytes;
}

}  // namespace outcore
