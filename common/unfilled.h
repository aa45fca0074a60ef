// SPDX-License-Identifier: Apache-2.0
// A vector whose new elements are uninitialised, for arrays that several workers fill. The kernel
// clears a page for the thread that writes to it first. If one thread filled the array, clearing
// would take it longer than the work that follows.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace outcore {

template <typename T>
struct UnfilledAllocator : std::allocator<T> {
  template <typename U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <typename U, typename... Args>
  void construct(U* at, Args&&... args) {
    ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
  }
};

template <typename T>
using Unfilled = std::vector<T, UnfilledAllocator<T>>;

}  // namespace outcore
