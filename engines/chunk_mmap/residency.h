// SPDX-License-Identifier: Apache-2.0
// Which chunks of one file are in memory, in whose hands they are, and which leave.
//
// A chunk is absent, coming, there or leaving. A worker *pins* the chunks that it is about to use,
// each once; a pinned chunk stays. The worker whose pin finds the chunk absent brings it and
// publishes it; any other waits. The state and the pins are one word, so that "nobody uses it" and
// "it leaves" are one step:
//
//   absent --pin--> coming --publish--> there --no pin, asked to leave--> leaving --gone--> absent
//
// Order: publish() releases and a pin that finds the chunk there acquires, so that the bytes which
// one worker brought are seen by all. gone() releases what was done to the memory; the pin that
// brings the chunk again acquires it.
//
// Nothing waits for ever: a worker must publish all that it brings before it waits for others, and
// wait_for() ends when `stopping` says so.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "common/unfilled.h"
#include "engines/chunk_mmap/chunk.h"
#include "engines/chunk_mmap/chunk_buffer.h"

namespace outcore {

class Residency {
 public:
  enum class Found : std::uint8_t { there, coming, absent };

  // What one level did. Sums over workers are taken when none is at work.
  struct Counts {
    std::uint64_t populated = 0;
    std::uint64_t refetched = 0;  // populated chunks that had been there before
    std::uint64_t evicted = 0;
    std::uint64_t untouched = 0;  // evicted chunks that nobody had pinned for their lists
    std::uint64_t there = 0;      // now: chunks that are there, coming or leaving
    std::uint64_t most = 0;       // of those, at once
  };

  // `level_bytes`: the budget of each level of the table; or one number, which all levels share.
  Residency(const ChunkTable& table, Eviction eviction, std::span<const std::uint64_t> level_bytes);

  // For Eviction::known: what the round that begins wants, by chunk. REQUIRES: it stays until the
  // next call.
  void begin_round(const Bitmap& wanted) {
    for (ChunkBuffer& buffer : buffers_) buffer.begin_round(wanted);
  }
  // Pins the chunk. `absent`: the caller has to bring it, admit() and publish() it.
  Found pin(ChunkId chunk);
  // The same of a chunk that is only wanted if it is absent; false and no pin where it is not.
  bool pin_absent(ChunkId chunk);
  // Chunks that the caller brings: which of them stay when they were used is decided here. Those
  // that have to leave for them go to `left`: the caller frees their memory and says gone().
  void admit(std::span<const ChunkId> chunks, bool dense, std::vector<ChunkId>& left);
  // `window`: it was brought with its window.
  void publish(ChunkId chunk, bool window);
  // Until a chunk that the caller has pinned is there.
  void wait_for(ChunkId chunk, const std::function<bool()>& stopping) const;
  [[nodiscard]] bool is_there(ChunkId chunk) const {
    return (words_[chunk].load(std::memory_order_acquire) & kState) == kThere;
  }
  [[nodiscard]] bool is_absent(ChunkId chunk) const {
    return (words_[chunk].load(std::memory_order_relaxed) & kState) == kAbsent;
  }
  // Is any chunk of the blocks [first, end) there, or coming?
  [[nodiscard]] bool any_held(BlockId first, BlockId end) const;
  [[nodiscard]] bool in_window(ChunkId chunk) const {
    return (words_[chunk].load(std::memory_order_relaxed) & kWindow) != 0;
  }
  // Gives a pin back. Returns true if the chunk is leaving with it: the caller frees its memory and
  // says gone().
  bool unpin(ChunkId chunk);
  // All that stay, while nobody has a pin: as with admit(), the caller frees their memory.
  void give_up_all(std::vector<ChunkId>& left);
  void gone(std::span<const ChunkId> chunks);

  // Bytes of a list that was used. Only where hot() says that it is asked for.
  void use(ChunkId chunk, std::uint64_t bytes) {
    std::atomic_ref(hotness_[chunk])
        .fetch_add(static_cast<std::uint32_t>(bytes), std::memory_order_relaxed);
  }
  [[nodiscard]] bool hot() const { return !hotness_.empty(); }

  [[nodiscard]] const ChunkTable& table() const { return table_; }
  [[nodiscard]] const std::vector<Counts>& counts() const { return counts_; }
  [[nodiscard]] std::uint64_t most_bytes() const { return most_bytes_; }
  // Brought with their window, and left or still there without having been used. REQUIRES: no
  // worker is at work.
  [[nodiscard]] std::uint64_t untouched_bytes() const;
  // Bytes that are there. REQUIRES: no worker is at work.
  [[nodiscard]] std::uint64_t there_bytes() const { return there_bytes_; }
  [[nodiscard]] std::uint64_t evicted_bytes() const;
  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  using Word = std::uint32_t;
  static constexpr Word kState = 3;
  static constexpr Word kAbsent = 0;
  static constexpr Word kComing = 1;
  static constexpr Word kThere = 2;
  static constexpr Word kLeaving = 3;
  static constexpr Word kWindow = 4;   // see publish()
  static constexpr Word kPassing = 8;  // leaves with its last pin
  static constexpr Word kSeen = 16;    // it was there before
  static constexpr Word kUsed = 32;    // pinned by pin() since it came
  static constexpr Word kPin = 64;

  bool leave(ChunkId chunk);  // if it is not pinned
  bool stays(ChunkId chunk, bool dense, std::vector<ChunkId>& left);
  void count_coming(ChunkId chunk);

  const ChunkTable& table_;
  std::unique_ptr<std::atomic<Word>[]> words_;
  Unfilled<std::uint32_t> hotness_;
  std::mutex mutex_;  // over what follows
  struct Budget {
    std::uint64_t bytes = 0;
    std::uint64_t used = 0;  // by chunks that stay
  };
  std::vector<Budget> budgets_;       // one a level, or one
  std::vector<ChunkBuffer> buffers_;  // one a level
  std::vector<Counts> counts_;
  std::uint64_t there_bytes_ = 0;
  std::uint64_t most_bytes_ = 0;
};

}  // namespace outcore
