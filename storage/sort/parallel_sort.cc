// SPDX-License-Identifier: Apache-2.0
#include "storage/sort/parallel_sort.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace outcore {

namespace {

constexpr unsigned kDigitBits = 12;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
constexpr std::size_t kSmall = 4096;  // below this, counting digits costs more than comparing
constexpr std::size_t kLine = 64;     // of the processor's caches

// Where each digit's records go, and the records that wait until a group of whole cache lines is
// full. Writing lines past the caches is twice as fast as scattering records: no line is read
// first, and thousands of half-written lines do not evict each other.
template <typename Record>
class Scatter {
 public:
  static constexpr std::size_t kGroup = sizeof(Record) == 8 ? 8 : 16;
  static_assert(kGroup * sizeof(Record) % kLine == 0);

  std::array<std::size_t, kDigits> next{};  // first the counts, then the places

  // Four tables are used in turn: equal digits in sequence, as in sorted records, would wait for
  // each other's increments.
  template <typename Digit>
  void count(std::span<const Record> records, const Digit& digit) {
    next.fill(0);
    constexpr std::size_t kPart = std::size_t{1} << 30;  // counts fit 32 bits
    for (; !records.empty(); records = records.subspan(std::min(kPart, records.size()))) {
      const std::span<const Record> part = records.first(std::min(kPart, records.size()));
      for (auto& table : counts_) table.fill(0);
      std::size_t i = 0;
      for (; i + 4 <= part.size(); i += 4) {
        ++counts_[0][digit(part[i])];
        ++counts_[1][digit(part[i + 1])];
        ++counts_[2][digit(part[i + 2])];
        ++counts_[3][digit(part[i + 3])];
      }
      for (; i < part.size(); ++i) ++counts_[0][digit(part[i])];
      for (const auto& table : counts_) {
        for (std::size_t d = 0; d < kDigits; ++d) next[d] += table[d];
      }
    }
  }

  void begin(std::span<Record> to) {
    to_ = to.data();
    aligned_ = reinterpret_cast<std::uintptr_t>(to_) % kLine == 0;
    first_ = next;
  }
  void put(std::size_t digit, const Record& record) {
    const std::size_t at = next[digit]++;
    groups_[digit].records[at % kGroup] = record;
    if (at % kGroup == kGroup - 1) flush(digit, at + 1 - kGroup, at + 1);
  }
  void end() {
    for (std::size_t digit = 0; digit < kDigits; ++digit) {
      flush(digit, next[digit] / kGroup * kGroup, next[digit]);
    }
#ifdef __SSE2__
    _mm_sfence();
#endif
  }

 private:
  struct alignas(kLine) Group {
    std::array<Record, kGroup> records;
  };

  // Writes this digit's part of a group that begins at `begin`; another thread has the rest.
  void flush(std::size_t digit, std::size_t begin, std::size_t end) {
    const Group& group = groups_[digit];
#ifdef __SSE2__
    if (aligned_ && begin >= first_[digit] && end - begin == kGroup) {
      const auto* const from = reinterpret_cast<const __m128i*>(&group);
      auto* const line = reinterpret_cast<__m128i*>(to_ + begin);
      for (std::size_t i = 0; i < sizeof(Group) / sizeof(__m128i); ++i) {
        _mm_stream_si128(line + i, _mm_load_si128(from + i));
      }
      return;
    }
#endif
    for (std::size_t at = std::max(begin, first_[digit]); at < end; ++at) {
      to_[at] = group.records[at % kGroup];
    }
  }

  Record* to_ = nullptr;
  bool aligned_ = false;
  std::array<std::size_t, kDigits> first_{};
  std::array<std::array<std::uint32_t, kDigits>, 4> counts_;
  std::array<Group, kDigits> groups_;
};

template <typename Record>
std::array<std::uint32_t, kKeyWords<Record>> differing_bits(std::span<const Record> records) {
  std::array<std::uint32_t, kKeyWords<Record>> differing{};
  const Record first = records.front();
  for (const Record& record : records) {
    for (unsigned w = 0; w < kKeyWords<Record>; ++w) {
      differing[w] |= word_of(record, w) ^ word_of(first, w);
    }
  }
  return differing;
}

// One stable pass: each thread counts and then moves its own contiguous part of `from`.
template <typename Record>
void sort_by_digit(std::span<const Record> from, std::span<Record> to, unsigned word,
                   unsigned shift, std::vector<Scatter<Record>>& scatters) {
  const std::size_t parts = scatters.size();
  const auto part_begin = [&](std::size_t part) { return from.size() * part / parts; };
  const auto digit = [word, shift](const Record& record) {
    return (word_of(record, word) >> shift) & (kDigits - 1);
  };
#pragma omp parallel for num_threads(static_cast <int>(parts)) schedule(static, 1)
  for (std::size_t part = 0; part < parts; ++part) {
    scatters[part].count(from.subspan(part_begin(part), part_begin(part + 1) - part_begin(part)),
                         digit);
  }
  std::size_t sum = 0;
  for (std::size_t d = 0; d < kDigits; ++d) {
    for (Scatter<Record>& scatter : scatters) sum += std::exchange(scatter.next[d], sum);
  }
#pragma omp parallel for num_threads(static_cast <int>(parts)) schedule(static, 1)
  for (std::size_t part = 0; part < parts; ++part) {
    Scatter<Record>& scatter = scatters[part];
    scatter.begin(to);
    for (std::size_t i = part_begin(part); i < part_begin(part + 1); ++i) {
      scatter.put(digit(from[i]), from[i]);
    }
    scatter.end();
  }
}

// The position of the digit that ends with a word's highest differing bit; 0 if fewer bits differ.
unsigned highest_digit(std::uint32_t differing) {
  return std::max(static_cast<unsigned>(std::bit_width(differing)), kDigitBits) - kDigitBits;
}

// Distributes the records by their highest digit, then sorts each digit's, which fit one core's
// cache.
std::span<EdgeKey> deal_and_sort(std::span<EdgeKey> records, std::span<EdgeKey> scratch,
                                 std::vector<Scatter<EdgeKey>>& scatters,
                                 const std::array<std::uint32_t, 2>& differing) {
  const unsigned word = differing[1] != 0 ? 1 : 0;
  sort_by_digit<EdgeKey>(records, scratch, word, highest_digit(differing[word]), scatters);
  const std::array<std::size_t, kDigits>& ends = scatters.back().next;
#pragma omp parallel for num_threads(static_cast <int>(scatters.size())) schedule(dynamic, 16)
  for (std::size_t digit = 0; digit < kDigits; ++digit) {
    const std::size_t begin = digit == 0 ? 0 : ends[digit - 1];
    hwy::Sorter()(scratch.data() + begin, ends[digit] - begin, hwy::SortAscending());
  }
  return scratch;
}

template <typename Record>
std::span<Record> radix_sort(std::span<Record> records, std::span<Record> scratch,
                             std::vector<Scatter<Record>>& scatters,
                             const std::array<std::uint32_t, kKeyWords<Record>>& differing,
                             unsigned first_word) {
  for (unsigned word = first_word; word < kKeyWords<Record>; ++word) {
    // The bits from the lowest to the highest differing one, in digits of about equal width.
    if (differing[word] == 0) continue;
    const auto begin = static_cast<unsigned>(std::countr_zero(differing[word]));
    const auto end = static_cast<unsigned>(std::bit_width(differing[word]));
    const unsigned digits = (end - begin + kDigitBits - 1) / kDigitBits;
    for (unsigned digit = 0; digit < digits; ++digit) {
      const unsigned shift = begin + (end - begin) * digit / digits;
      sort_by_digit<Record>(records, scratch, word, shift, scatters);
      std::swap(records, scratch);
    }
  }
  return records;
}

}  // namespace

template <typename Record>
std::span<Record> parallel_sort(std::span<Record> records, std::span<Record> scratch,
                                unsigned threads, SortBy by) {
  assert(scratch.size() == records.size());
  constexpr unsigned kUpper = kKeyWords<Record> - 1;
  if (records.size() < kSmall) {
    if (by == SortBy::all) {
      std::sort(records.begin(), records.end());
    } else {
      std::stable_sort(records.begin(), records.end(), [](const Record& a, const Record& b) {
        return word_of(a, kUpper) < word_of(b, kUpper);
      });
    }
    return records;
  }
  const auto differing = differing_bits<Record>(records);
  std::vector<Scatter<Record>> scatters(std::max(threads, 1U));
  if constexpr (std::is_same_v<Record, EdgeKey>) {
    if (by == SortBy::all) return deal_and_sort(records, scratch, scatters, differing);
  }
  return radix_sort<Record>(records, scratch, scatters, differing, by == SortBy::all ? 0 : kUpper);
}

template std::span<EdgeKey> parallel_sort(std::span<EdgeKey>, std::span<EdgeKey>, unsigned, SortBy);
template std::span<WeightedKey> parallel_sort(std::span<WeightedKey>, std::span<WeightedKey>,
                                              unsigned, SortBy);

}  // namespace outcore
