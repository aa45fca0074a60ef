// SPDX-License-Identifier: Apache-2.0
// The memory nodes of a machine, as far as a store places lists and binds threads (XPGraph, section
// III-D). Tests hand in nodes that the machine has not.
//
// Any thread may call anything.
#pragma once

#include <cstddef>
#include <cstdint>

namespace outcore::evolving {

class MemoryNodes {
 public:
  virtual ~MemoryNodes() = default;
  [[nodiscard]] virtual unsigned count() const = 0;
  // The calling thread runs on the processors of this node, until free_thread().
  virtual void bind_thread(unsigned node) = 0;
  virtual void free_thread() = 0;
  // Pages of this memory are allocated on this node, unless they were touched before.
  virtual void place(std::byte* memory, std::uint64_t bytes, unsigned node) = 0;

  // Those of this machine, by libnuma.
  static MemoryNodes& of_machine();
};

}  // namespace outcore::evolving
