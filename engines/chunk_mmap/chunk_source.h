// SPDX-License-Identifier: Apache-2.0
// One worker's way to single lists where they lie, for dependent tasks (Engine::drive): as many
// lists are being brought at once as the source has tickets for. Blocks are chunks of one block
// here: a walk wants an edge of a list, not the 2 MB around it.
//
// Without a Residency blocks are touched, and the kernel brings them.
//
// Nothing waits for ever: a worker waits for what another one brings only when it brings nothing
// itself.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "common/bitmap.h"
#include "engines/chunk_mmap/chunk_store.h"
#include "engines/chunk_mmap/residency.h"
#include "storage/source/block_source.h"

namespace outcore {

class ChunkSource final : public BlockSource {
 public:
  struct Lists {
    const ChunkTable& table;  // of chunks of one block
    std::uint32_t file = 0;
    Residency* residency = nullptr;  // null: the kernel's
    Bitmap* checked = nullptr;       // EdgeMap
    bool encoded = false;
  };
  // At most `most_blocks` a request.
  ChunkSource(Door& door, ChunkStore& store, const Lists& lists, std::size_t depth,
              std::uint32_t most_blocks, std::function<bool()> stopping);

  [[nodiscard]] std::uint32_t most_blocks() const override { return most_blocks_; }
  bool ask(Ticket ticket, std::uint32_t file, const BlockRun& run) override;
  void ask(std::span<const Request> requests, std::uint32_t file,
           std::vector<Ticket>& there) override;
  [[nodiscard]] const std::byte* data(Ticket ticket) const override;
  [[nodiscard]] std::size_t coming() const override { return started_.size() + waiting_.size(); }
  std::span<const Ticket> arrived(bool wait) override;
  void release(Ticket ticket) override;
  // What is under way stays pinned.
  void abandon() override;

 private:
  struct Started {
    Ticket ticket = 0;
    std::vector<ChunkId> chunks;
  };

  void bring(std::vector<ChunkId> absent, Ticket ticket);
  void finish_oldest();
  void take_arrived();
  void await_others();
  void find_runs(const std::vector<ChunkId>& chunks);  // ascending, into to_store_
  void drop(std::vector<ChunkId>& chunks);
  [[nodiscard]] bool is_there(Ticket ticket) const;

  ChunkStore& store_;
  const Lists lists_;
  std::uint32_t most_blocks_;
  std::function<bool()> stopping_;
  std::vector<BlockRun> runs_;             // by ticket: its blocks, pinned
  std::deque<Started> started_;            // in the order in which they were started
  std::vector<Ticket> waiting_;            // for what another ticket, or worker, brings
  std::vector<Ticket> arrived_;            // scratch
  std::vector<ChunkId> leaving_;           // scratch
  std::vector<DoorRun> to_store_;          // scratch
  mutable std::vector<std::byte> padded_;  // the last blocks of a file
};

}  // namespace outcore
