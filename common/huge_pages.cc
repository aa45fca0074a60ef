// SPDX-License-Identifier: Apache-2.0
// Large arrays get huge pages where the kernel allows it (transparent_hugepage: madvise or always).
// Programs access their state of each vertex at random, and with 4 KB pages most of these accesses
// first walk the page table. All such arrays are std::vectors, so one replacement of the allocation
// covers them all.
//
// Sanitizers bring their own allocators, which are left alone.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#include "common/huge_pages.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace {

using outcore::kHugePage;
constexpr std::size_t kLarge = 2 * kHugePage;  // large enough that rounding up adds little

void* allocate(std::size_t bytes) {
  if (bytes < kLarge) return std::malloc(bytes == 0 ? 1 : bytes);
  const std::size_t rounded = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* memory = std::aligned_alloc(kHugePage, rounded);
  // Only advice: if the kernel refuses it, pages are small.
  if (memory != nullptr) madvise(memory, rounded, MADV_HUGEPAGE);
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
  void* memory = allocate(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
#endif
