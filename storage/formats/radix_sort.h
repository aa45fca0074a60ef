// SPDX-License-Identifier: Apache-2.0
// Sorts 64-bit keys, ascending, with `threads` threads: least significant digit first, by windows
// of 11 bits over those bits only in which keys differ (edges of a graph of 2^22 vertices: 4
// passes).
#pragma once

#include <cstdint>
#include <span>

namespace outcore {

// `scratch` must be as long as `keys`; its contents are lost.
void radix_sort(std::span<std::uint64_t> keys, std::span<std::uint64_t> scratch, unsigned threads);

}  // namespace outcore
