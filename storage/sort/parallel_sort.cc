// SPDX-License-Identifier: Apache-2.0
#include "storage/sort/parallel_sort.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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
constexpr std::size_t kMostInCache = std::size_t{1} << 19;
constexpr std::size_t kLine = 64;  // of the processor's caches

// Some bits of one word.
struct Digit {
  unsigned word;
  unsigned shift;
  unsigned bits;

  template <typename Record>
  std::uint32_t of(const Record& record) const {
    return word_of(record, word) >> shift & ((1U << bits) - 1);
  }
};

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
  void count(std::span<const Record> records, const Digit& digit) {
    next.fill(0);
    constexpr std::size_t kPart = std::size_t{1} << 30;  // counts fit 32 bits
    for (; !records.empty(); records = records.subspan(std::min(kPart, records.size()))) {
      const std::span<const Record> part = records.first(std::min(kPart, records.size()));
      for (auto& table : counts_) table.fill(0);
      std::size_t i = 0;
      for (; i + 4 <= part.size(); i += 4) {
        ++counts_[0][digit.of(part[i])];
        ++counts_[1][digit.of(part[i + 1])];
        ++counts_[2][digit.of(part[i + 2])];
        ++counts_[3][digit.of(part[i + 3])];
      }
      for (; i < part.size(); ++i) ++counts_[0][digit.of(part[i])];
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

// In the words from `first_word` on.
template <typename Record>
std::array<std::uint32_t, kKeyWords<Record>> differing_bits(std::span<const Record> records,
                                                            unsigned first_word) {
  std::array<std::uint32_t, kKeyWords<Record>> differing{};
  const Record first = records.front();
  for (const Record& record : records) {
    for (unsigned w = first_word; w < kKeyWords<Record>; ++w) {
      differing[w] |= word_of(record, w) ^ word_of(first, w);
    }
  }
  return differing;
}

// One stable pass: each thread counts and then moves its own contiguous part of `from`.
template <typename Record>
void sort_by_digit(std::span<const Record> from, std::span<Record> to, const Digit& digit,
                   std::vector<Scatter<Record>>& scatters) {
  const std::size_t parts = scatters.size();
  const auto part_begin = [&](std::size_t part) { return from.size() * part / parts; };
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
      scatter.put(digit.of(from[i]), from[i]);
    }
    scatter.end();
  }
}

// Digits of about equal width, from the lowest to the highest of these bits of a word.
void add_digits(unsigned word, std::uint32_t differing, std::vector<Digit>& digits) {
  if (differing == 0) return;
  const auto begin = static_cast<unsigned>(std::countr_zero(differing));
  const auto end = static_cast<unsigned>(std::bit_width(differing));
  const unsigned count = (end - begin + kDigitBits - 1) / kDigitBits;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned shift = begin + (end - begin) * i / count;
    digits.push_back({word, shift, begin + (end - begin) * (i + 1) / count - shift});
  }
}

template <typename Record>
void sort_by_digit_in_cache(std::span<const Record> from, std::span<Record> to,
                            const Digit& digit) {
  std::array<std::uint32_t, kDigits> places;  // of at most kMostInCache
  const std::span<std::uint32_t> next(places.data(), std::size_t{1} << digit.bits);
  std::fill(next.begin(), next.end(), 0);
  for (const Record& record : from) ++next[digit.of(record)];
  std::uint32_t sum = 0;
  for (std::uint32_t& place : next) sum += std::exchange(place, sum);
  for (const Record& record : from) to[next[digit.of(record)]++] = record;
}

// Returns where the sorted records are: in `to` after an odd number of digits.
template <typename Record>
std::span<Record> sort_in_cache(std::span<Record> from, std::span<Record> to,
                                std::span<const Digit> digits) {
  for (const Digit& digit : digits) {
    sort_by_digit_in_cache<Record>(from, to, digit);
    std::swap(from, to);
  }
  return from;
}

std::vector<Digit> digits_of(std::span<const std::uint32_t> differing) {
  std::vector<Digit> digits;
  for (unsigned word = 0; word < differing.size(); ++word) {
    add_digits(word, differing[word], digits);
  }
  return digits;
}

// Takes the highest digit, of so many bits that its records are some thousands: fewer would cost
// less than counting their digits.
Digit take_highest(std::span<std::uint32_t> differing, std::size_t records) {
  auto word = static_cast<unsigned>(differing.size()) - 1;
  while (word > 0 && differing[word] == 0) --word;
  const auto width = static_cast<unsigned>(std::bit_width(differing[word]));
  const unsigned bits = std::min(static_cast<unsigned>(std::bit_width(records >> 13)), kDigitBits);
  const unsigned shift = std::max(width, bits) - bits;
  differing[word] &= (1U << shift) - 1;
  return {word, shift, bits};
}

// Deals the records out by their highest digit, and sorts each digit's in a core's cache. Those
// that do not fit, as of a hub, are dealt out again. Returns where the sorted records are.
template <typename Record>
std::span<Record> deal_and_sort(std::span<Record> records, std::span<Record> scratch,
                                unsigned first_word, std::vector<Scatter<Record>>& scatters) {
  auto differing = differing_bits<Record>(records, first_word);
  if (digits_of(differing).empty()) return records;
  const Digit highest = take_highest(differing, records.size());
  sort_by_digit<Record>(records, scratch, highest, scatters);
  const std::vector<Digit> digits = digits_of(differing);
  const std::size_t dealt_to = std::size_t{1} << highest.bits;
  const std::array<std::size_t, kDigits> ends = scatters.back().next;
  const auto part = [&](std::span<Record> all, std::size_t digit) {
    const std::size_t begin = digit == 0 ? 0 : ends[digit - 1];
    return all.subspan(begin, ends[digit] - begin);
  };
#pragma omp parallel for num_threads(static_cast <int>(scatters.size())) schedule(dynamic, 16)
  for (std::size_t digit = 0; digit < dealt_to; ++digit) {
    const std::span<Record> dealt = part(scratch, digit);
    if (dealt.size() <= kMostInCache) sort_in_cache<Record>(dealt, part(records, digit), digits);
  }
  const std::span<Record> sorted = digits.size() % 2 == 0 ? scratch : records;
  for (std::size_t digit = 0; digit < dealt_to; ++digit) {
    const std::span<Record> dealt = part(scratch, digit);
    if (dealt.size() <= kMostInCache) continue;
    const auto again = deal_and_sort(dealt, part(records, digit), first_word, scatters);
    if (const auto place = part(sorted, digit); again.data() != place.data()) {
      std::copy(again.begin(), again.end(), place.begin());
    }
  }
  return sorted;
}

}  // namespace

template <typename Record>
std::span<Record> parallel_sort(std::span<Record> records, std::span<Record> scratch,
                                unsigned threads, SortBy by) {
  assert(scratch.size() == records.size());
  if (records.empty()) return records;
  const unsigned first_word = by == SortBy::all ? 0 : kKeyWords<Record> - 1;
  if (records.size() <= kMostInCache) {
    const auto differing = differing_bits<Record>(records, first_word);
    return sort_in_cache<Record>(records, scratch, digits_of(differing));
  }
  std::vector<Scatter<Record>> scatters(std::max(threads, 1U));
  return deal_and_sort(records, scratch, first_word, scatters);
}

template std::span<EdgeKey> parallel_sort(std::span<EdgeKey>, std::span<EdgeKey>, unsigned, SortBy);
template std::span<WeightedKey> parallel_sort(std::span<WeightedKey>, std::span<WeightedKey>,
                                              unsigned, SortBy);

}  // namespace outcore
