// SPDX-License-Identifier: Apache-2.0
#include "engines/chunk_mmap/residency.h"

#include <chrono>
#include <thread>

namespace outcore {

Residency::Residency(const ChunkTable& table, Eviction eviction,
                     std::span<const std::uint64_t> level_bytes)
    : table_(table),
      words_(std::make_unique<std::atomic<Word>[]>(table.size())),
      counts_(table.levels().size()) {
  const bool by_hotness = eviction == Eviction::colder || eviction == Eviction::colder_decay ||
                          eviction == Eviction::coldest;
  if (by_hotness) {
    hotness_.resize(table.size());
    std::fill(hotness_.begin(), hotness_.end(), 0);
  }
  for (const std::uint64_t bytes : level_bytes) budgets_.push_back({bytes});
  for (std::size_t level = 0; level < table.levels().size(); ++level) {
    buffers_.emplace_back(eviction, hotness_.data());
  }
}

Residency::Found Residency::pin(ChunkId chunk) {
  std::atomic<Word>& word = words_[chunk];
  Word before = word.load(std::memory_order_acquire);
  while (true) {
    if ((before & kState) == kLeaving) {  // for as long as its memory is being freed
      std::this_thread::yield();
      before = word.load(std::memory_order_acquire);
      continue;
    }
    const bool absent = (before & kState) == kAbsent;
    if (word.compare_exchange_weak(before, (before | kUsed) + kPin + (absent ? kComing : 0),
                                   std::memory_order_acquire)) {
      if (absent) return Found::absent;
      return (before & kState) == kThere ? Found::there : Found::coming;
    }
  }
}

bool Residency::pin_absent(ChunkId chunk) {
  std::atomic<Word>& word = words_[chunk];
  Word before = word.load(std::memory_order_acquire);
  return (before & kState) == kAbsent &&
         word.compare_exchange_strong(before, before + kPin + kComing, std::memory_order_acquire);
}

void Residency::admit(std::span<const ChunkId> chunks, bool dense, std::vector<ChunkId>& left) {
  const std::lock_guard lock(mutex_);
  for (const ChunkId chunk : chunks) {
    count_coming(chunk);
    if (!stays(chunk, dense, left)) words_[chunk].fetch_or(kPassing, std::memory_order_relaxed);
  }
}

bool Residency::stays(ChunkId chunk, bool dense, std::vector<ChunkId>& left) {
  const std::size_t level = table_.level_of_chunk(chunk);
  Budget& budget = budgets_.size() == 1 ? budgets_.front() : budgets_[level];
  const std::uint64_t bytes = table_.bytes(chunk);
  if (budget.used + bytes <= budget.bytes) {
    budget.used += bytes;
    buffers_[level].add(chunk);
    return true;
  }
  return buffers_[level].replace(
      chunk, dense, [this](ChunkId other) { return leave(other); }, left);
}

void Residency::count_coming(ChunkId chunk) {
  const std::size_t level = table_.level_of_chunk(chunk);
  Counts& counts = counts_[level];
  ++counts.populated;
  if ((words_[chunk].fetch_or(kSeen, std::memory_order_relaxed) & kSeen) != 0) ++counts.refetched;
  counts.most = std::max(counts.most, ++counts.there);
  there_bytes_ += table_.bytes(chunk);
  most_bytes_ = std::max(most_bytes_, there_bytes_);
}

bool Residency::leave(ChunkId chunk) {
  Word before = words_[chunk].load(std::memory_order_relaxed);
  // Acquire: what the last user did with the bytes is over before they are freed.
  return (before & kState) == kThere && before < kPin &&
         words_[chunk].compare_exchange_strong(before, (before & (kSeen | kUsed)) + kLeaving,
                                               std::memory_order_acquire);
}

void Residency::publish(ChunkId chunk, bool window) {
  // Nothing but pins and kPassing can have been added meanwhile.
  if (window) words_[chunk].fetch_or(kWindow, std::memory_order_relaxed);
  words_[chunk].fetch_add(kThere - kComing, std::memory_order_release);
}

void Residency::wait_for(ChunkId chunk, const std::function<bool()>& stopping) const {
  constexpr int kYields = 64;
  for (int i = 0; (words_[chunk].load(std::memory_order_acquire) & kState) == kComing; ++i) {
    if (stopping()) return;
    if (i < kYields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }
}

bool Residency::unpin(ChunkId chunk) {
  std::atomic<Word>& word = words_[chunk];
  Word before = word.load(std::memory_order_relaxed);
  while (true) {
    const bool goes = before - kPin < kPin && (before & kPassing) != 0;
    const Word after = goes ? (before & (kSeen | kUsed)) + kLeaving : before - kPin;
    // Release: the caller's use of the bytes is over before another worker frees them.
    if (word.compare_exchange_weak(before, after, std::memory_order_acq_rel)) return goes;
  }
}

void Residency::give_up_all(std::vector<ChunkId>& left) {
  const std::lock_guard lock(mutex_);
  for (ChunkId chunk = 0; chunk < table_.size(); ++chunk) {
    if (leave(chunk)) left.push_back(chunk);
  }
  for (Budget& budget : budgets_) budget.used = 0;
  for (ChunkBuffer& buffer : buffers_) buffer.clear();
}

bool Residency::any_held(BlockId first, BlockId end) const {
  for (const ChunkTable::Level& level : table_.levels()) {
    for (BlockId block = std::max(first, level.first_block); block < std::min(end, level.end_block);
         block += level.blocks_per_chunk) {
      const Word state = words_[table_.at(block)].load(std::memory_order_relaxed) & kState;
      if (state == kThere || state == kComing) return true;
    }
  }
  return false;
}

void Residency::gone(std::span<const ChunkId> chunks) {
  const std::lock_guard lock(mutex_);
  for (const ChunkId chunk : chunks) {
    const std::size_t level = table_.level_of_chunk(chunk);
    // Nobody else writes the word of a chunk that is leaving.
    const Word word = words_[chunk].load(std::memory_order_relaxed);
    ++counts_[level].evicted;
    if ((word & kUsed) == 0) ++counts_[level].untouched;
    --counts_[level].there;
    there_bytes_ -= table_.bytes(chunk);
    words_[chunk].store(word & kSeen, std::memory_order_release);
  }
}

std::uint64_t Residency::evicted_bytes() const {
  std::uint64_t blocks = 0;
  for (std::size_t level = 0; level < counts_.size(); ++level) {
    blocks += counts_[level].evicted * table_.levels()[level].blocks_per_chunk;
  }
  return blocks * table_.block_bytes();
}

std::uint64_t Residency::untouched_bytes() const {
  std::uint64_t blocks = 0;
  for (std::size_t level = 0; level < counts_.size(); ++level) {
    blocks += counts_[level].untouched * table_.levels()[level].blocks_per_chunk;
  }
  for (ChunkId chunk = 0; chunk < table_.size(); ++chunk) {
    const Word word = words_[chunk].load(std::memory_order_relaxed);
    if ((word & kState) == kThere && (word & kUsed) == 0) blocks += table_.blocks(chunk).blocks;
  }
  return blocks * table_.block_bytes();
}

std::uint64_t Residency::memory_bytes() const {
  std::uint64_t bytes = table_.size() * sizeof(Word) + hotness_.capacity() * sizeof(std::uint32_t);
  for (const ChunkBuffer& buffer : buffers_) bytes += buffer.memory_bytes();
  return bytes;
}

}  // namespace outcore
