// SPDX-License-Identifier: Apache-2.0
// Memory that keeps what it is told to keep when power is lost. The store writes to it by plain
// stores; tests put a memory in its place that loses power (tests/crash/sim_memory.h).
//
// What is kept is what was flushed by a thread before a fence() of the same thread, once that
// fence() has returned. Any other line of 64 bytes that was written may be kept or not, since
// caches write back when they like; of such a line each aligned 8 bytes are whole, old or new. The
// store relies on nothing else: neither on the order in which lines are kept, nor on whole lines.
//
// Any thread may call anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace outcore::evolving {

class PersistentMemory {
 public:
  static constexpr std::uint64_t kLine = 64;

  virtual ~PersistentMemory() = default;
  [[nodiscard]] virtual std::byte* base() const = 0;
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
  // REQUIRED before the first write to a range: its bytes are 0, and there is room for them. Throws
  // Error (io) where there is not.
  virtual void make_room(std::uint64_t offset, std::uint64_t bytes) = 0;
  // The lines of this range leave the cache (clwb).
  virtual void flush(const void* at, std::uint64_t bytes) = 0;
  // Waits for what this thread has flushed (sfence).
  virtual void fence() = 0;
  // Does power that is lost leave what is said above? False for an ordinary file that stands in.
  [[nodiscard]] virtual bool is_persistent() const = 0;
  [[nodiscard]] virtual bool serves_threads() const { return true; }
  // For messages.
  [[nodiscard]] virtual std::filesystem::path path() const = 0;
};

}  // namespace outcore::evolving
