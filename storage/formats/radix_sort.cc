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

template <typename Record>
std::array<std::uint32_t, kWords<Record>> differing_bits(std::span<const Record> records) {
  std::array<std::uint32_t, kWords<Record>> differing{};
  const Record first = records.front();
  for (const Record& record : records) {
    for (unsigned w = 0; w < kWords<Record>; ++w)
      differing[w] |= word_of(record, w) ^ word_of(first, w);
  }
  return differing;
}

// One stable pass: each thread counts and then moves its own contiguous part of `from`.
template <typename Record>
void sort_by_digit(std::span<const Record> from, std::span<Record> to, unsigned word,
                   unsigned shift, std::vector<Histogram>& histograms) {
  const std::size_t parts = histograms.size();
  const auto part_begin = [&](std::size_t part) { return from.size() * part / parts; };
  const auto digit = [word, shift](const Record& record) {
    return (word_of(record, word) >> shift) & (kDigits - 1);
  };
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

template <typename Record>
void radix_sort(std::span<Record> records, std::span<Record> scratch, unsigned threads) {
  assert(scratch.size() == records.size());
  if (records.size() < kSmall) {
    std::sort(records.begin(), records.end());
    return;
  }
  const auto differing = differing_bits<Record>(records);
  std::vector<Histogram> histograms(std::max(threads, 1U));
  std::span<Record> from = records;
  std::span<Record> to = scratch;
  for (unsigned word = 0; word < kWords<Record>; ++word) {
    for (unsigned shift = 0; shift < 32;) {
      if ((differing[word] >> shift & 1) == 0) {
        ++shift;
        continue;
      }
      sort_by_digit<Record>(from, to, word, shift, histograms);
      std::swap(from, to);
      shift += kDigitBits;
    }
  }
  if (from.data() != records.data()) std::copy(from.begin(), from.end(), records.begin());
}

template void radix_sort(std::span<EdgeKey>, std::span<EdgeKey>, unsigned);
template void radix_sort(std::span<WeightedKey>, std::span<WeightedKey>, unsigned);

}  // namespace outcore
