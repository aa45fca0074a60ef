// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/radix_sort.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>
#include <vector>

namespace outcore {

namespace {

constexpr unsigned kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
constexpr std::size_t kSmall = 4096;  // below, counting digits costs more than comparing
using Histogram = std::array<std::size_t, kDigits>;

std::uint64_t differing_bits(std::span<const std::uint64_t> keys) {
  std::uint64_t differing = 0;
  const std::uint64_t first = keys.front();
#pragma omp simd reduction(| : differing)
  for (std::size_t i = 0; i < keys.size(); ++i) differing |= keys[i] ^ first;
  return differing;
}

// One stable pass: each thread counts and then moves its own contiguous part of `from`.
void sort_by_digit(std::span<const std::uint64_t> from, std::span<std::uint64_t> to, unsigned shift,
                   std::vector<Histogram>& histograms) {
  const std::size_t parts = histograms.size();
  const auto part_begin = [&](std::size_t part) { return from.size() * part / parts; };
  const auto digit = [shift](std::uint64_t key) { return (key >> shift) & (kDigits - 1); };
#pragma omp parallel for num_threads(static_cast <int>(parts)) schedule(static, 1)
  for (std::size_t part = 0; part < parts; ++part) {
    histograms[part].fill(0);
    for (std::size_t i = part_begin(part); i < part_begin(part + 1); ++i) {
      ++histograms[part][digit(from[i])];
    }
  }
  std::size_t sum = 0;
  for (std::size_t d = 0; d < kDigits; ++d) {
    for (Histogram& histogram : histograms) sum += std::exchange(histogram[d], sum);
  }
#pragma omp parallel for num_threads(static_cast <int>(parts)) schedule(static, 1)
  for (std::size_t part = 0; part < parts; ++part) {
    Histogram& next = histograms[part];
    for (std::size_t i = part_begin(part); i < part_begin(part + 1); ++i) {
      to[next[digit(from[i])]++] = from[i];
    }
  }
}

}  // namespace

void radix_sort(std::span<std::uint64_t> keys, std::span<std::uint64_t> scratch, unsigned threads) {
  assert(scratch.size() == keys.size());
  if (keys.size() < kSmall) {
    std::sort(keys.begin(), keys.end());
    return;
  }
  const std::uint64_t differing = differing_bits(keys);
  std::vector<Histogram> histograms(std::max(threads, 1U));
  std::span<std::uint64_t> from = keys;
  std::span<std::uint64_t> to = scratch;
  for (unsigned shift = 0; shift < 64;) {
    if ((differing >> shift & 1) == 0) {
      ++shift;
      continue;
    }
    sort_by_digit(from, to, shift, histograms);
    std::swap(from, to);
    shift += kDigitBits;
  }
  if (from.data() != keys.data()) std::copy(from.begin(), from.end(), keys.begin());
}

}  // namespace outcore
