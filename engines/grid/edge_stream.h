// SPDX-License-Identifier: Apache-2.0
// A worker's stream of edges: the parts of a grid that it is to apply, asked for ahead with several
// requests under way, and shown in the order of asking. A part is one request for each column of
// the layout: sources, targets, and weights if there are any.
//
// Threads: belongs to one worker. Memory: `slots` parts.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "common/stopwatch.h"
#include "engines/grid/columns.h"
#include "storage/cache/frame_pool.h"
#include "storage/io/door.h"

namespace outcore {

class TraceWriter;

class EdgeStream {
 public:
  // Parts have at most `part_blocks` of a column of ids. At least two slots.
  EdgeStream(const EdgeLayout& layout, Door& door, std::uint32_t part_blocks, std::size_t slots,
             unsigned worker, TraceWriter* trace);

  // The part to be asked for after all others; null: there are no more.
  using Next = std::function<const GridPart*()>;
  void start(Next next);

  struct Loaded {
    const GridPart* part = nullptr;
    const std::byte* sources = nullptr;
    const std::byte* targets = nullptr;
    const std::byte* weights = nullptr;  // null: none stored
  };
  // The next part, which stays until the next call; its `part` is null at the end.
  Loaded take();
  // Takes in what has come meanwhile.
  void poll();
  // So many of its edges were given to the program (for events).
  void gave(std::uint64_t edges) { given_edges_ += edges; }
  // Drops what is under way. Afterwards nothing may be taken.
  void abandon();

  [[nodiscard]] bool is_idle() const { return !channel_ || channel_->in_flight() == 0; }
  // Seconds in which something was being read.
  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] std::size_t bytes() const { return arena_.memory().size(); }
  // Bytes of a slot for each part of so many blocks.
  static std::size_t slot_bytes(const EdgeLayout& layout, std::uint32_t part_blocks);

 private:
  void ask();
  bool ask_column(const GridPart& part, std::size_t slot);
  void reap(std::size_t at_least);
  void note(EventKind kind, const GridPart& part);
  void note_rest();  // of the edges that were given

  struct Column {
    std::uint32_t file = 0;
    std::uint32_t ratio = 1;  // its blocks for each block of a column of ids
    std::size_t offset = 0;   // in a slot
  };
  const EdgeLayout& layout_;
  unsigned worker_;
  TraceWriter* trace_;
  std::vector<Column> columns_;
  const Door& door_;
  std::uint64_t given_edges_ = 0;  // not noted yet
  FrameArena arena_;
  std::unique_ptr<DoorChannel> channel_;
  std::vector<std::uint64_t> tags_;
  Next next_;
  std::vector<const GridPart*> parts_;  // by slot
  std::vector<std::uint32_t> missing_;  // by slot: columns that have not come
  std::size_t asked_ = 0;               // parts, since start(); the last one perhaps in part
  std::size_t asked_columns_ = 0;       // of that one
  std::size_t taken_ = 0;
  std::size_t released_ = 0;
  bool ended_ = false;
  Stopwatch reading_;
  double seconds_ = 0;
};

// For a worker that may fail with requests under way, which are its own to drop.
class AbandonStreamAtEnd {
 public:
  explicit AbandonStreamAtEnd(EdgeStream& stream) : stream_(stream) {}
  ~AbandonStreamAtEnd() {
    if (!stream_.is_idle()) stream_.abandon();
  }
  AbandonStreamAtEnd(const AbandonStreamAtEnd&) = delete;
  AbandonStreamAtEnd& operator=(const AbandonStreamAtEnd&) = delete;

 private:
  EdgeStream& stream_;
};

}  // namespace outcore
