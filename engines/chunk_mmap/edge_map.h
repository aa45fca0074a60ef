// SPDX-License-Identifier: Apache-2.0
// Ligra's edgeMap over chunks (ChunkGraph, sections 3.3 and 3.4): the lists of some vertices are
// used where they lie, in the order of ids or in that of the file.
//
// What a stretch of the walk wants is found before it is used: a worker pins its chunks, a *batch*,
// and begins to bring those that are absent while it uses the batch before. Neighbouring chunks are
// one request, and a window (backend.h) of which enough is wanted and absent comes whole. Without a
// Residency, lists are touched and the kernel does the rest.
//
// Threads: an EdgeMap is shared by the workers of one round; a Mapper belongs to one worker.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "engines/chunk_mmap/chunk_store.h"
#include "engines/chunk_mmap/residency.h"
#include "engines/chunk_mmap/super_vertices.h"
#include "engines/lists/hand_over.h"

namespace outcore {

// The vertices of a round in the order in which their lists are used.
struct Walk {
  std::span<const VertexId> table;  // empty: ids [0, ids)
  VertexId ids = 0;
  const Bitmap* wanted = nullptr;  // of those; null: all
  bool by_place = false;           // the table's lists lie in the file in this order
  [[nodiscard]] std::size_t size() const { return table.empty() ? ids : table.size(); }
  // Those at [first, last), into `out`.
  void collect(std::size_t first, std::size_t last, std::vector<VertexId>& out) const;
};

// Hands out stretches of a walk. Each worker has a share and goes through it in order, so that its
// batches are neighbours in the file. When it is through it takes the back half of the largest
// share that is left: two workers that take turns in one share would each bring every second piece
// of a window.
class Stretches {
 public:
  // Worker w's share is [bounds[w], bounds[w + 1]).
  explicit Stretches(std::span<const std::size_t> bounds);
  // Empty at the end.
  std::pair<std::size_t, std::size_t> take(unsigned worker);
  static constexpr std::size_t kStretch = 1024;

 private:
  // What is left of a worker's share. One word, so that its owner takes from the front and others
  // from the back.
  struct Range {
    std::uint32_t next = 0;
    std::uint32_t end = 0;
    [[nodiscard]] std::uint32_t left() const { return end - next; }
  };
  struct alignas(64) Share {
    std::atomic<Range> range;
  };
  // False: nothing is left.
  bool take_half(unsigned worker);
  std::vector<Share> shares_;
};

struct EdgeMap {
  const Round& round;
  const ChunkTable& table;
  const Walk& walk;
  Stretches& stretches;
  Residency* residency = nullptr;   // null: the kernel's
  SuperVertices* supers = nullptr;  // null, or holding nothing: their lists go like all others
  Bitmap* checked = nullptr;  // blocks that a sum was found right for; null: none are looked at
  bool dense = false;         // Ligra's word: how evictions go
  std::function<bool()> stopping;
};

struct BatchLimits {
  std::uint64_t bytes = 0;          // of absent chunks
  bool ahead = true;                // a batch is brought while the one before is used
  double window_share = 0.4;        // of a window: so much absent and wanted brings it whole
  std::uint32_t window_blocks = 0;  // of a window; 0: there are none
};

class Mapper {
 public:
  struct Counts {
    using Levels = std::array<std::uint64_t, ChunkTable::kMostLevels>;
    Levels touched = {};  // chunks, each once a batch
    // Without a Residency: chunks of which something was not in memory when their batch began.
    Levels faulted = {};
    std::uint64_t cut_accesses = 0;  // chunks beyond what a list of its length needs
    std::uint64_t batches = 0;       // that something was brought for
    std::uint64_t windows = 0;
    void add(const Counts& other);
  };

  // `holes`: how much may come that nobody wants.
  Mapper(unsigned worker, HandOver& hands, ChunkStore& store, const BatchLimits& limits,
         HoleBudget holes)
      : worker_(worker), hands_(hands), store_(store), limits_(limits), holes_(holes) {}

  // This worker's part of the map.
  void work(const EdgeMap& map);

  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return stamps_.capacity() * sizeof(stamps_[0]);
  }

 private:
  struct AbandonAtEnd;
  struct Batch {
    struct Brought {
      ChunkId chunk;
      bool window = false;
    };
    struct Reader {
      VertexId v;
      ListAddress list;
    };
    std::vector<Reader> readers;
    std::vector<ChunkId> pinned;
    std::vector<Brought> absent;     // pinned, and brought by this worker
    std::vector<ChunkId> coming;     // pinned, and brought by another one, or by the batch before
    std::vector<ChunkId> unmanaged;  // touched, without a Residency
    std::uint64_t absent_bytes = 0;
    bool under_way = false;  // started and not published
    void clear();
  };

  void fill(Batch& batch);
  bool next_turn();
  // False: the list needs a batch of its own.
  bool add(Batch& batch, VertexId v);
  void want(Batch& batch, ChunkId chunk);
  void bring(Batch& batch);
  void count_faulted(Batch& batch);
  void add_windows(Batch& batch);
  void add_window(Batch& batch, std::size_t first, std::size_t end, BlockId window);
  // The chunks of a window.
  template <typename F>
  void for_each_chunk(BlockId window, const F& f) const;
  [[nodiscard]] std::uint64_t absent_blocks(BlockId window) const;
  void publish(Batch& batch);
  void await(Batch& batch);
  void use(Batch& batch);
  void use_list(VertexId v, const ListAddress& list);
  void use_pieces(VertexId v, const ListAddress& list, BlockId first, BlockId end);
  void use_long(VertexId v);
  void drop(std::vector<ChunkId>& chunks);
  void widen(DoorRun& run) const;
  [[nodiscard]] bool is_held(BlockId block) const;
  [[nodiscard]] const std::byte* data(BlockId block);

  unsigned worker_;
  HandOver& hands_;
  ChunkStore& store_;
  BatchLimits limits_;
  HoleBudget holes_;
  const EdgeMap* map_ = nullptr;
  std::vector<VertexId> turn_;  // the vertices of the turn, and which of them is next
  std::size_t next_ = 0;
  Batch filling_;
  Batch using_;
  std::vector<std::uint32_t> stamps_;  // by chunk: the last batch that wanted it
  std::uint32_t stamp_ = 0;
  std::vector<DoorRun> runs_;      // scratch
  std::vector<ChunkId> leaving_;   // scratch
  BlockId last_block_ = 0;         // that a list was handed over of
  std::vector<std::byte> padded_;  // the last block of a file, with room for decoders behind it
  alignas(kLargestMessage) std::byte message_[kLargestMessage] = {};
  Counts counts_;
};

}  // namespace outcore
