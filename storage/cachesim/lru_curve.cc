// SPDX-License-Identifier: Apache-2.0
#include "storage/cachesim/lru_curve.h"

#include <bit>
#include <numeric>

namespace outcore {

namespace {

constexpr std::size_t kBlock = 512;  // positions whose bits fill a cache line
constexpr std::size_t kWords = kBlock / 64;

}  // namespace

void LruCurve::replay(const AccessChunk& chunk) {
  if (chunk.renumbering) restart(*chunk.renumbering);
  Position now = chunk.first;
  for (const Position previous : chunk.previous) {
    if (previous == kNever) {
      ++live_;
      by_distance_.push_back(0);
    } else {
      ++by_distance_[live_ - marks_to(previous)];
      unmark(previous);
    }
    mark(now++);
  }
}

// Of the past, only the units' last accesses are left, in the window's first positions.
void LruCurve::restart(const Renumbering& renumbering) {
  const std::size_t blocks = renumbering.next_window() / kBlock + 1;
  const std::size_t kept = renumbering.kept();
  marks_.assign(blocks * kWords, 0);
  for (std::size_t i = 0; i < kept / 64; ++i) marks_[i] = ~std::uint64_t{0};
  if (kept % 64 != 0) marks_[kept / 64] = (std::uint64_t{1} << kept % 64) - 1;
  block_ = kept / kBlock;
  tree_.assign(blocks + 1, 0);
  for (std::size_t node = 1; node <= blocks; ++node) {
    if (node <= block_) tree_[node] += kBlock;
    const std::size_t parent = node + (node & -node);
    if (parent <= blocks) tree_[parent] += tree_[node];
  }
}

// The number of marks at `position` and before.
std::uint64_t LruCurve::marks_to(Position position) const {
  std::uint64_t sum = 0;
  for (std::size_t node = position / kBlock; node != 0; node &= node - 1) sum += tree_[node];
  const std::size_t word = position / 64;
  for (std::size_t i = word / kWords * kWords; i < word; ++i) sum += std::popcount(marks_[i]);
  return sum + std::popcount(marks_[word] << (63 - position % 64));
}

void LruCurve::unmark(Position position) {
  marks_[position / 64] &= ~(std::uint64_t{1} << position % 64);
  const std::size_t block = position / kBlock;
  if (block == block_) return;
  for (std::size_t node = block + 1; node < tree_.size(); node += node & -node) --tree_[node];
}

void LruCurve::mark(Position position) {
  const std::size_t block = position / kBlock;
  if (block != block_) {
    std::uint32_t filled = 0;
    for (std::size_t i = block_ * kWords; i < block * kWords; ++i) {
      filled += static_cast<std::uint32_t>(std::popcount(marks_[i]));
    }
    for (std::size_t node = block; node < tree_.size(); node += node & -node) {
      tree_[node] += filled;
    }
    block_ = block;
  }
  marks_[position / 64] |= std::uint64_t{1} << position % 64;
}

std::uint64_t LruCurve::misses(std::uint64_t units) const {
  if (units >= by_distance_.size()) return live_;
  const auto beyond = by_distance_.begin() + static_cast<std::ptrdiff_t>(units);
  return live_ + std::accumulate(beyond, by_distance_.end(), std::uint64_t{0});
}

}  // namespace outcore
