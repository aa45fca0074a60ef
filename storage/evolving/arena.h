// SPDX-License-Identifier: Apache-2.0
// Memory that grows in bulks and never moves: its addresses are reserved at once, and bulks of them
// are made usable as threads ask. So a place in it is a number of 32 bits.
//
// Any thread may call take() and the counts; no thread may use an arena while release_all() runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace outcore::evolving {

class Arena {
 public:
  // Throws Error (memory) where so much address space cannot be reserved.
  Arena(std::uint64_t reserved_bytes, std::uint64_t bulk_bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // The next bulks, as many as hold `bytes`, in one piece. Throws Error (memory) when the reserved
  // addresses are used up.
  std::byte* take(std::uint64_t bytes);
  // Every bulk is free again. The memory stays with the process, for the next take().
  void release_all();

  [[nodiscard]] std::byte* base() const { return base_; }
  [[nodiscard]] std::uint64_t bulk_bytes() const { return bulk_; }
  [[nodiscard]] std::uint64_t taken_bytes() const;
  [[nodiscard]] std::uint64_t most_taken_bytes() const;

 private:
  std::uint64_t reserved_;
  std::uint64_t bulk_;
  std::byte* base_ = nullptr;
  mutable std::mutex mutex_;  // of what follows
  std::uint64_t taken_ = 0;
  std::uint64_t usable_ = 0;  // at the beginning of the reserved addresses
};

}  // namespace outcore::evolving
