// SPDX-License-Identifier: Apache-2.0
// Where lists get their memory from: in bulks, at addresses that never change. A place in it is a
// number of 32 bits, counted from the first address.
//
// Any thread may call anything.
#pragma once

#include <cstddef>
#include <cstdint>

namespace outcore::evolving {

class Bulks {
 public:
  virtual ~Bulks() = default;
  // As many bulks as hold `bytes`, in one piece, of a memory node. Throws Error where there are
  // none.
  virtual std::byte* take(std::uint64_t bytes, unsigned node) = 0;
  [[nodiscard]] virtual std::byte* base() const = 0;
  [[nodiscard]] virtual std::uint64_t bulk_bytes() const = 0;
  [[nodiscard]] virtual std::uint64_t taken_bytes() const = 0;
  [[nodiscard]] virtual std::uint64_t taken_bytes(unsigned node) const = 0;
  // What is taken is in DRAM.
  [[nodiscard]] virtual bool is_dram() const { return true; }
};

}  // namespace outcore::evolving
