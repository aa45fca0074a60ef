// SPDX-License-Identifier: Apache-2.0
// A vector whose new elements hold nothing in particular, for arrays that several workers fill: the
// kernel gives a page of memory to whoever writes it first and clears it on the way, which for one
// thread takes longer than what is then written.
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
