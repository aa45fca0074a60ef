// SPDX-License-Identifier: Apache-2.0
// An array of zeros that uses memory only where something was written, in huge pages where the
// kernel allows it. It suits state of which whole ranges stay zero: vertices without edges lie
// together in many layouts, and they are half of the vertices of a Kronecker graph.
//
// Copies share the array.
#pragma once

#include <sys/mman.h>

#include <memory>
#include <type_traits>

#include "common/numa.h"

namespace outcore {

template <typename T>
class ZeroPages {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit ZeroPages(std::size_t size) {
    if (size == 0) return;
    memory_ = numa::allocate(size * sizeof(T));
    // Only advice: if the kernel refuses it, pages are small.
    madvise(memory_.get(), size * sizeof(T), MADV_HUGEPAGE);
  }

  T& operator[](std::size_t i) { return reinterpret_cast<T*>(memory_.get())[i]; }
  const T& operator[](std::size_t i) const { return reinterpret_cast<const T*>(memory_.get())[i]; }

 private:
  std::shared_ptr<std::byte[]> memory_;
};

}  // namespace outcore
