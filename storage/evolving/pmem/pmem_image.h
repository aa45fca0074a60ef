// SPDX-License-Identifier: Apache-2.0
// What a store has in persistent memory, and where (docs/store.md, "On persistent memory", argues
// the order of stores). All integers are little-endian; each part begins at a multiple of 4096.
//
//   header      64 bytes  "OUTPMEM1", u32 version, u32 sides (1: lists of both ends, 2: out, in),
//                         u64 log_edges, u64 bulk_bytes, u64 partitions, u64 bulks, xxh3 of these
//   positions   a line of 64 bytes each, of which the first 8 count:
//                 64   head        updates that are in the log or in chains
//                 128  flushed     updates that are in chains, in both directions
//                 192  vertices    ids of these are below
//                 256  generation  bulks of lower ones are free
//   used        u64[]     a bit a partition of 8192 vertices: it has roots. For each side
//   bulks       u64[]     the generation in which a bulk was taken; 0: never
//   log         LogEdge[log_edges]; update n, from 0, is at n mod log_edges
//   roots       u64[]     of each vertex, for each side: u32 chain, the newest block, by 16 bytes;
//                         31 bits: entries in the chain; 1 bit: some are removals
//   blocks      bulks of blocks (adjacency_chain.h)
//
// The file has addresses for the most that a store can have, and room only for what it has.
//
// After an error nothing is made to last any more, and every call says so, until the image is
// opened again.
//
// Threads: any may tell of writes, take bulks and set roots, each root by one; one sets positions.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/ids.h"
#include "storage/evolving/bulks.h"
#include "storage/evolving/log_edge.h"
#include "storage/evolving/medium.h"
#include "storage/evolving/pmem/persistent_memory.h"
#include "storage/evolving/vertex_buffer.h"

namespace outcore::evolving {

// How large the parts are. They do not change.
struct PmemShape {
  unsigned sides = 2;
  std::uint64_t log_edges = 0;   // a power of two
  std::uint64_t bulk_bytes = 0;  // a power of two, 4096 at least
  std::uint64_t partitions = 0;  // of vertices
  std::uint64_t bulks = 0;
};

// The newest block of a vertex's chain, and what is in the chain.
struct ChainRoot {
  static constexpr std::uint32_t kMostEntries = (std::uint32_t{1} << 31) - 1;
  std::uint32_t chain = 0;
  std::uint32_t entries = 0;
  bool has_removals = false;
};

class PmemImage final : public Medium, public std::enable_shared_from_this<PmemImage> {
 public:
  static std::uint64_t bytes_of(const PmemShape& shape);
  // An empty store. REQUIRES: the memory has bytes_of(shape), all 0. It lasts when this returns.
  static void create(PersistentMemory& memory, const PmemShape& shape);
  // Throws bad_input for what is no image.
  explicit PmemImage(std::shared_ptr<PersistentMemory> memory);

  [[nodiscard]] const PmemShape& shape() const { return shape_; }
  [[nodiscard]] const PersistentMemory& memory() const { return *memory_; }
  // Throws the Error that says what went wrong before.
  void check() const;

  [[nodiscard]] LogEdge* log() const;
  [[nodiscard]] std::uint64_t head() const { return word(kHead); }
  [[nodiscard]] std::uint64_t flushed() const { return word(kFlushed); }
  [[nodiscard]] VertexId vertices() const { return static_cast<VertexId>(word(kVertices)); }
  // The updates before `head` are in the log, for good. REQUIRES of this thread: it told of their
  // writes.
  void acknowledge(std::uint64_t head);
  // The first `position` updates are in chains, for good, and their log may be written over.
  // REQUIRES: their roots are fenced.
  void flush_up_to(std::uint64_t position, VertexId vertices);

  [[nodiscard]] bool is_used(unsigned side, std::size_t partition) const;
  // By one thread for each partition.
  void use(unsigned side, std::size_t partition);
  [[nodiscard]] ChainRoot root(unsigned side, VertexId v) const;
  // Blocks of chains, and then roots that lead to them, each last from the next fence() of the
  // thread on.
  void set_root(unsigned side, VertexId v, const ChainRoot& root);
  void fence() { memory_->fence(); }

  // Those that were taken, and more.
  std::unique_ptr<Bulks> open_bulks();
  // None yet; what is taken is of a new generation.
  std::unique_ptr<Bulks> new_generation();
  // Bulks of older generations are free from the next opening on, or when their Bulks is gone.
  // REQUIRES: no root leads to them any more, and all roots are fenced.
  void keep_newest_generation();

  [[nodiscard]] bool takes_any_thread() const override { return memory_->serves_threads(); }
  void wrote(std::uint64_t /*place*/, std::uint64_t bytes, const void* data) override {
    memory_->flush(data, bytes);
  }
  void read(std::uint64_t /*place*/, std::uint64_t /*bytes*/) override {}
  void flush(std::uint64_t /*place*/, std::uint64_t /*bytes*/) override {}

 private:
  friend class PmemBulks;
  static constexpr std::uint64_t kHead = 64;
  static constexpr std::uint64_t kFlushed = 128;
  static constexpr std::uint64_t kVertices = 192;
  static constexpr std::uint64_t kGeneration = 256;

  [[nodiscard]] std::uint64_t& word(std::uint64_t offset) const {
    return *reinterpret_cast<std::uint64_t*>(memory_->base() + offset);
  }
  // One store of 8 bytes, which is whole before or after a loss of power; it lasts from the next
  // fence on.
  void set_word(std::uint64_t offset, std::uint64_t value);
  [[nodiscard]] std::uint64_t used_word(unsigned side, std::size_t partition) const;
  [[nodiscard]] std::uint64_t root_at(unsigned side, VertexId v) const;
  void fail(const std::string& what);  // REQUIRES: mutex_

  // Neighbouring bulks that are free; the first of them. They are of this generation from now on.
  std::uint64_t take_bulks(std::uint64_t count, std::uint64_t generation);
  void give_back(const std::vector<std::uint64_t>& bulks);

  // Where the parts begin.
  struct Parts {
    explicit Parts(const PmemShape& shape);
    std::uint64_t used, bulks, log, roots, blocks, end;
  };

  const std::shared_ptr<PersistentMemory> memory_;
  PmemShape shape_;
  Parts parts_;
  mutable std::mutex mutex_;  // of what follows
  std::vector<bool> taken_;   // bulks
  std::uint64_t generation_ = 0;
  std::string failure_;
  std::atomic<bool> failed_{false};  // relaxed: a hint that failure_ is there
};

}  // namespace outcore::evolving
