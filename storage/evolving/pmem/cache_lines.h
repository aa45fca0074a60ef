// SPDX-License-Identifier: Apache-2.0
// The instructions by which stores to persistent memory are made to last: a line leaves the cache
// (clwb; clflush on processors without it), and a fence waits for the lines that have left.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace outcore::evolving::cache_lines {

#if defined(__x86_64__)

inline constexpr bool kKnown = true;  // for this kind of processor

__attribute__((target("clwb"))) inline void clwb(void* line) { _mm_clwb(line); }

inline void write_back(const void* at, std::uint64_t bytes) {
  static const bool has_clwb = __builtin_cpu_supports("clwb") != 0;
  constexpr std::uintptr_t kLine = 64;
  auto* const first = static_cast<std::byte*>(const_cast<void*>(at));
  std::byte* line = first - reinterpret_cast<std::uintptr_t>(at) % kLine;
  for (; line < first + bytes; line += kLine) {
    if (has_clwb) clwb(line);
    if (!has_clwb) _mm_clflush(line);
  }
}

inline void fence() { _mm_sfence(); }

#else

inline constexpr bool kKnown = false;
inline void write_back(const void* /*at*/, std::uint64_t /*bytes*/) {}
inline void fence() {}

#endif

}  // namespace outcore::evolving::cache_lines
