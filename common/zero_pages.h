// SPDX-License-Identifier: Apache-2.0
// An array of zeros that takes memory only where something was written, in huge pages where the
// kernel allows it. For state of which whole ranges stay zero: vertices without edges stand
// together in many layouts, and are half of a Kronecker graph's.
//
// Copies share the array.
#pragma once

#include <sys/mman.h>

#include <memory>
#include <new>
#include <type_traits>

namespace outcore {

template <typename T>
class ZeroPages {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit ZeroPages(std::size_t size) {
    if (size == 0) return;
    const std::size_t bytes = size * sizeof(T);
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = {static_cast<T*>(memory), [bytes](T* all) { munmap(all, bytes); }};
    // Advice: where it is refused, pages are small ones.
    madvise(memory, bytes, MADV_HUGEPAGE);
  }

  T& operator[](std::size_t i) { return memory_.get()[i]; }
  const T& operator[](std::size_t i) const { return memory_.get()[i]; }

 private:
  std::shared_ptr<T> memory_;
};

}  // namespace outcore
