// SPDX-License-Identifier: Apache-2.0
// Large arrays stand on huge pages where the kernel allows it (transparent_hugepage: madvise or
// always). What programs keep of each vertex is read and written at random: with pages of 4 KB most
// of these accesses first walk the page table. All such arrays are std::vectors, so this is done
// once for all, where memory is allocated.
//
// Sanitizers bring allocators of their own, which stay as they are.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#include "common/huge_pages.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace {

using outcore::kHugePage;
constexpr std::size_t kLarge = 2 * kHugePage;  // what rounding up adds is little beside it

void* allocate(std::size_t bytes) {
  if (bytes < kLarge) return std::malloc(bytes == 0 ? 1 : bytes);
  const std::size_t rounded = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* memory = std::aligned_alloc(kHugePage, rounded);
  // Advice: where it is refused, pages are small ones.
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
