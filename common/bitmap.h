// SPDX-License-Identifier: Apache-2.0
// One bit for each of [0, size()), for instance one per vertex. The words lie in a vector, or in
// any other array that starts as zeros. Copying a bitmap copies its words object, so it shares what
// that object shares.
//
// Threads: get(), set() and set_where() may be called at the same time from any threads. Their
// accesses are relaxed: a bit publishes nothing but itself, and whatever else a caller wrote is
// published by the barrier or lock at which the threads meet. All other functions require that no
// other thread uses the bitmap, or the words in question.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace outcore {

template <typename Words>
class BitmapOf {
 public:
  BitmapOf() = default;
  explicit BitmapOf(std::size_t bits) : words_(words_for(bits)), bits_(bits) {}
  // REQUIRES: words_for(bits) words, all 0.
  BitmapOf(Words words, std::size_t bits) : words_(std::move(words)), bits_(bits) {}
  static std::size_t words_for(std::size_t bits) { return (bits + 63) / 64; }
  // Makes the bitmap `bits` long, all clear.
  void assign(std::size_t bits) {
    words_.assign(words_for(bits), 0);
    bits_ = bits;
  }
  [[nodiscard]] std::size_t size() const { return bits_; }
  // The number of set bits.
  [[nodiscard]] std::size_t count() const {
    std::size_t set = 0;
    for (const std::uint64_t word : words_) set += static_cast<std::size_t>(std::popcount(word));
    return set;
  }
  [[nodiscard]] bool get(std::size_t i) const { return (load(i / 64) >> (i % 64) & 1) != 0; }
  // Returns whether the bit was clear.
  bool set(std::size_t i) {
    const std::uint64_t bit = std::uint64_t{1} << (i % 64);
    if ((load(i / 64) & bit) != 0) return false;
    return (std::atomic_ref(words_[i / 64]).fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
  }
  // Like set(). REQUIRES: no other thread touches the 64 bits of this word.
  bool set_alone(std::size_t i) {
    const std::uint64_t before = words_[i / 64];
    words_[i / 64] = before | std::uint64_t{1} << (i % 64);
    return words_[i / 64] != before;
  }
  // Sets the bits of [begin, end) for which f(i) holds, a word at a time.
  template <typename F>
  void set_where(std::size_t begin, std::size_t end, F&& f) {
    while (begin < end) {
      const std::size_t w = begin / 64;
      const std::size_t stop = std::min(end, (w + 1) * 64);
      std::uint64_t word = 0;
      for (std::size_t i = begin; i < stop; ++i) word |= std::uint64_t{f(i)} << (i % 64);
      if (word != 0) std::atomic_ref(words_[w]).fetch_or(word, std::memory_order_relaxed);
      begin = stop;
    }
  }
  // Clears those bits of [begin, end) that `other` does not have. REQUIRES: whole words.
  void keep(std::size_t begin, std::size_t end, const BitmapOf& other) {
    for (std::size_t w = begin / 64; w * 64 < end; ++w) words_[w] &= other.words_[w];
  }
  void clear(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  void clear_all() { std::fill(words_.begin(), words_.end(), 0); }
  void set_all() {
    std::fill(words_.begin(), words_.end(), ~std::uint64_t{0});
    if (bits_ % 64 != 0) words_[words_.size() - 1] = (std::uint64_t{1} << bits_ % 64) - 1;
  }
  [[nodiscard]] std::span<std::uint64_t> words() { return words_; }
  [[nodiscard]] std::span<const std::uint64_t> words() const { return words_; }

  // Is a bit of [begin, end) set?
  [[nodiscard]] bool any(std::size_t begin, std::size_t end) const {
    for (std::size_t w = begin / 64; w * 64 < end; ++w) {
      if (part_of_word(w, begin, end) != 0) return true;
    }
    return false;
  }

  // Calls f(i) for each set bit of [begin, end), ascending.
  template <typename F>
  void for_each(std::size_t begin, std::size_t end, F&& f) const {
    for (std::size_t w = begin / 64; w * 64 < end; ++w) {
      for (std::uint64_t word = part_of_word(w, begin, end); word != 0; word &= word - 1)
        f(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
    }
  }

 private:
  [[nodiscard]] std::uint64_t load(std::size_t word) const {
    return std::atomic_ref(const_cast<std::uint64_t&>(words_[word]))
        .load(std::memory_order_relaxed);
  }
  // The bits of word w that lie in [begin, end). REQUIRES: some of them do.
  [[nodiscard]] std::uint64_t part_of_word(std::size_t w, std::size_t begin,
                                           std::size_t end) const {
    std::uint64_t word = words_[w];
    if (w == begin / 64) word &= ~std::uint64_t{0} << (begin % 64);
    if (w == end / 64) word &= (std::uint64_t{1} << (end % 64)) - 1;
    return word;
  }
  Words words_;
  std::size_t bits_ = 0;
};

using Bitmap = BitmapOf<std::vector<std::uint64_t>>;

}  // namespace outcore
