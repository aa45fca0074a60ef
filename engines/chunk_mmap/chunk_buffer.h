// SPDX-License-Identifier: Apache-2.0
// One level's chunk buffer (ChunkGraph, section 3.2): how many of its chunks may stay in memory,
// and which one goes when another one comes.
//
//   prefix         in dense rounds what is there stays, and what comes beyond the budget goes as
//                  soon as it was used: a scan that comes round again finds nothing of what a
//                  policy of recency kept. In sparse rounds as fifo.
//   known          one that the round does not want; where there is none, as prefix in dense
//   rounds.
//                  A round's chunks are known before it begins (the idea of Ginex, VLDB 2022), and
//                  of those that all are wanted once a round Belady's order gives up the one that
//                  came last
//   fifo           the one that has been there longest
//   random         any
//   colder         the first, in turn, that is no hotter than the mean
//   colder-decay   the first, in turn, that is no hotter than twice the mean; those passed over
//   cool
//                  to a half
//   coldest        the one that is least hot
//
// All but `prefix` and `known` are those of the published code. A chunk's hotness is the bytes of
// lists that were used in it. What takes a look at every chunk, the mean and which are the coldest,
// is worked out once for many that go.
//
// Threads: not safe; Residency holds a lock over it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "common/bitmap.h"
#include "engines/chunk_mmap/chunk.h"

namespace outcore {

enum class Eviction : std::uint8_t { prefix, known, fifo, random, colder, colder_decay, coldest };
// Names as above.
Eviction eviction_named(const std::string& name);
const std::vector<std::string>& eviction_names();

class ChunkBuffer {
 public:
  // Tells whether the chunk could be made to leave; one that is in use cannot.
  using Leave = std::function<bool(ChunkId)>;

  // `hotness` is indexed by chunk; null for policies that do not look at it.
  ChunkBuffer(Eviction eviction, std::uint32_t* hotness) : eviction_(eviction), hotness_(hotness) {}

  // The chunk, which comes, stays: there is room.
  void add(ChunkId chunk) { slots_.push_back(chunk); }
  // None is there any more.
  void clear() {
    slots_.clear();
    coldest_.clear();
  }
  // There is none. Does it stay in the place of another one, which was made to leave and is added
  // to `left`?
  bool replace(ChunkId chunk, bool dense, const Leave& leave, std::vector<ChunkId>& left);

  // What the round that begins wants, by chunk. REQUIRES: it stays until the next call.
  void begin_round(const Bitmap& wanted) {
    wanted_ = &wanted;
    all_wanted_ = false;
  }

  [[nodiscard]] std::uint64_t memory_bytes() const { return slots_.capacity() * sizeof(ChunkId); }

 private:
  // The slot whose chunk is to go.
  std::size_t victim();
  std::size_t next_in_turn();
  std::optional<std::size_t> unwanted();
  std::uint64_t mean_hotness();
  std::size_t in_turn_up_to(std::uint64_t hotness, bool decays);
  std::size_t coldest();

  Eviction eviction_;
  std::uint32_t* hotness_;
  std::vector<ChunkId> slots_;
  std::size_t turn_ = 0;
  const Bitmap* wanted_ = nullptr;
  bool all_wanted_ = false;  // no slot's chunk is unwanted
  std::uint64_t mean_ = 0;
  std::size_t mean_holds_for_ = 0;    // so many more chunks that go
  std::vector<std::size_t> coldest_;  // slots, the coldest last
  std::minstd_rand random_;           // its default seed: a run can be repeated
};

}  // namespace outcore
