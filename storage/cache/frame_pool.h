// SPDX-License-Identifier: Apache-2.0
// The memory that blocks are read into: one arena of equal slots per worker, allocated once.
//
// A FramePool owns the arenas. Each arena is one piece on its worker's memory node, so that a
// channel can register it whole (Backend::open_channel), and asks for huge pages. An arena belongs
// to one worker and is not thread-safe. Slots are page-aligned and stay where they are until the
// pool is destroyed, which must happen after the channels that read into it. Units: bytes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/numa.h"

namespace outcore {

class FrameArena {
 public:
  FrameArena(std::size_t slots, std::size_t slot_bytes, unsigned worker);

  // All slots, as one piece.
  [[nodiscard]] std::span<std::byte> memory() const {
    return {memory_.get(), slots_ * slot_bytes_};
  }
  [[nodiscard]] std::size_t slots() const { return slots_; }
  [[nodiscard]] std::size_t slot_bytes() const { return slot_bytes_; }

 private:
  std::size_t slots_;
  std::size_t slot_bytes_;
  numa::Memory memory_;
};

class FramePool {
 public:
  // Divides `bytes` evenly into slots for the workers. Throws a usage error if a worker would get
  // none. REQUIRES: slot_bytes is a multiple of the page size.
  FramePool(std::size_t bytes, std::size_t slot_bytes, unsigned workers);
  [[nodiscard]] FrameArena& arena(unsigned worker) { return arenas_[worker]; }
  [[nodiscard]] std::size_t bytes() const;  // of all slots

 private:
  std::vector<FrameArena> arenas_;
};

}  // namespace outcore
