// SPDX-License-Identifier: Apache-2.0
// The space of all bins, and what a worker has of it (Blaze, SC 2022, section 4).
//
// A bin is a range of vertices. Its records lie in *buffers* of one size, arrays of targets and of
// messages, which go round:
//
//   empty -- a worker takes one --> current, its own for this bin: lines are written to it, whole
//     ^                                |
//     |                                | holds no further line
//     |                                v
//     +-- gathered, by one worker -- handed over to the bin
//
// Nothing is copied on the way. A bin is *full* when few buffers are left and no other bin was
// handed more of them: it brings its vertices' states into the cache once for as many records as
// there can be. While one worker gathers it, what is handed over to it waits for its next turn. So
// each bin has what is being filled and what is being gathered, as the paper's pairs of bins have.
//
// That it ends: of P buffers, T workers hold at most one for each of B bins, P is at least T B, and
// the worker that looks for an empty one has just handed its own over. If none is empty, some were
// therefore handed over to a bin, which somebody can gather or is at, and a gatherer never waits.
//
// Threads: BinSpace is for all; one mutex guards whatever moves, and publishes the records that
// were written before a buffer was handed over, and the states that were written before a bin was
// given back. Full lines go past the cache: such stores are ordered by the fences in hand_over()
// and scattered(). WorkerBins belongs to one worker.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

#include "common/numa.h"
#include "engines/binning/bin_sizes.h"
#include "engines/binning/kept_ids.h"
#include "engines/bins.h"

namespace outcore {

struct BinBuffer {
  std::byte* data = nullptr;
  std::uint32_t count = 0;  // of records
  // Messages alone: whose targets are kept, from which place on; null: records have targets.
  const std::uint32_t* runs = nullptr;
  KeptPlace place = {};
  BinBuffer* next = nullptr;
};

// Records of one bin; `targets` are null where they are kept.
struct BinRecords {
  Records records;
  const std::uint32_t* runs = nullptr;
  KeptPlace place = {};
};

// A bin that one worker has to itself, and the buffers that were handed over to it.
struct FullBin {
  std::size_t bin = 0;
  BinBuffer* buffers = nullptr;
};

class BinSpace {
 public:
  explicit BinSpace(const BinSizes& sizes);

  // Another worker has failed: thrown out of whatever waits. Not an error of its own.
  struct Stopped : std::exception {};

  // A round begins, in which so many workers scatter. `kept` outlives it; null: nothing is kept.
  void start(std::size_t message_bytes, unsigned scatterers, const KeptIds* kept = nullptr);
  [[nodiscard]] const BinSizes& sizes() const { return sizes_; }
  // Of a buffer, with targets of their own or without.
  [[nodiscard]] std::uint32_t buffer_records(bool with_targets) const {
    return with_targets ? buffer_records_ : buffer_messages_;
  }
  // Where a buffer's messages begin.
  [[nodiscard]] std::size_t target_bytes(bool with_targets) const {
    return with_targets ? buffer_records_ * sizeof(VertexId) : 0;
  }
  [[nodiscard]] std::size_t message_bytes() const { return message_bytes_; }
  [[nodiscard]] const KeptIds& kept() const { return *kept_; }
  [[nodiscard]] BinRecords records(const BinBuffer& buffer) const;

  void hand_over(std::size_t bin, BinBuffer* buffer);
  // An empty buffer. Waits where there is none; if there is a full bin meanwhile, and `full` is not
  // null, takes that one, and returns null.
  BinBuffer* take_empty(FullBin* full);
  // A full bin, if there is one.
  bool take_full(FullBin& full);
  // The same; waits for one as long as somebody scatters. False once all are through.
  bool wait_full(FullBin& full);
  void give_back(const FullBin& full);
  // A worker scatters no more.
  void scattered();
  // Wakes all who wait.
  void stop();
  // What was handed over to the bin and is not gathered yet. REQUIRES: all have scattered.
  FullBin take_rest(std::size_t bin);

  // So many of the bin's records were applied. REQUIRES: the caller has the bin to itself.
  void note_drained(std::size_t bin, std::uint64_t records) { drained_[bin] += records; }
  // The most records that one bin had in this round. REQUIRES: the round is over.
  [[nodiscard]] std::uint64_t most_drained() const { return *std::ranges::max_element(drained_); }

  [[nodiscard]] std::uint64_t used_bytes() const;

 private:
  struct Bin {
    BinBuffer* buffers = nullptr;
    std::uint32_t count = 0;  // of them
    bool taken = false;       // is being gathered
  };
  // Is a bin full?
  [[nodiscard]] bool some_full() const { return handed_ > 0 && empties_ <= sizes_.spare; }
  FullBin pop_fullest();

  const BinSizes sizes_;
  numa::Memory memory_;
  std::vector<BinBuffer> buffers_;
  std::size_t message_bytes_ = 0;
  std::uint32_t buffer_records_ = 0;
  std::uint32_t buffer_messages_ = 0;
  const KeptIds* kept_ = nullptr;

  std::mutex mutex_;
  std::condition_variable moved_;
  unsigned waiting_ = 0;
  std::vector<Bin> bins_;
  std::vector<std::uint64_t> drained_;  // of each bin, in this round
  std::size_t handed_ = 0;              // bins that were handed buffers, and are not being gathered
  std::size_t next_ = 0;                // the bin from which on pop_fullest() looks
  BinBuffer* empty_ = nullptr;
  std::size_t unused_;   // buffers from here on were never taken
  std::size_t empties_;  // both together
  unsigned scatterers_ = 0;
  bool stopped_ = false;
};

class Gatherer;

class WorkerBins final : public Bins {
 public:
  // `with_targets`: records have them; else BinSpace::kept() has.
  explicit WorkerBins(BinSpace& space, bool with_targets = true);

  // `gatherer`: applies full bins where no buffer is empty; null: it waits for others to. `runs`:
  // how many may be begun.
  void start(Gatherer* gatherer, std::size_t runs = 0);
  // Without targets: the messages that follow are for those of this run.
  void begin_run(std::size_t run) { runs_.push_back(static_cast<std::uint32_t>(run)); }
  void take(VertexId v) override;

  // What the worker still has of a bin: its current buffer, which is handed over, and the records
  // in its line. REQUIRES: all have scattered, and another bin's worker is at another bin.
  BinBuffer* take_current(std::size_t bin);
  BinRecords take_line(std::size_t bin);

  [[nodiscard]] std::uint64_t short_of_buffers() const { return short_; }
  [[nodiscard]] std::uint64_t used_bytes() const;

 private:
  BinBuffer* empty_buffer();
  BinBuffer* current(std::size_t bin);

  BinSpace& space_;
  bool with_targets_;
  Gatherer* gatherer_ = nullptr;
  numa::Memory memory_;
  std::vector<std::uint32_t> counts_;
  std::vector<BinBuffer*> current_;
  // Without targets: the runs that were begun in this round, and where the line of each bin begins.
  std::vector<std::uint32_t> runs_;
  std::vector<KeptPlace> places_;
  std::uint64_t short_ = 0;
};

}  // namespace outcore
