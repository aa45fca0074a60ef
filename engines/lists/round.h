// SPDX-License-Identifier: Apache-2.0
// What the workers of one round, or of one asynchronous run, share: whose lists are read, and how
// they are handed to the program (hand_over.h).
#pragma once

#include <span>

#include "engines/engine.h"
#include "engines/frontier.h"
#include "engines/lists/message_slots.h"

namespace outcore {

inline constexpr VertexId kVertexRange = 16384;  // ids in a worker's turn

// The lists of one direction, and the file that holds them.
struct DirectedLists {
  const Layout& layout;
  Direction direction;
  const ListIndex& index;
  std::uint32_t file;
  TraceWriter* trace = nullptr;
  EventRecorder* events = nullptr;

  DirectedLists(const Layout& opened, Direction of, const EngineOptions& options)
      : layout(opened),
        direction(of),
        index(opened.index(of)),
        file(opened.file(of)),
        trace(options.trace),
        events(options.events) {}

  [[nodiscard]] std::uint32_t block_bytes() const { return layout.facts().block_bytes; }
  [[nodiscard]] BlockId blocks() const { return layout.block_files()[file].blocks(); }
  // The file's first block as events number it.
  [[nodiscard]] std::uint64_t first_event_block() const;
  // Tells the trace, if there is one, of blocks that a worker uses.
  void note(unsigned worker, const BlockRun& run) const;
  // Notes the event that a block is no longer in memory.
  void note_dropped(BlockId block) const;
};

struct Round {
  Program& program;
  Traits traits;
  DirectedLists lists;
  bool pull = false;
  // All messages are taken before the first list is read, each into its vertex's slot.
  bool dense = false;
  // Pull: the frontier; null when everything is active.
  const Bitmap* active = nullptr;
  // Dense: one slot per vertex. Otherwise one slot for each of `straddlers` (ascending): several
  // workers read their lists at once, so their messages are taken beforehand too.
  MessageSlots& slots;
  std::span<const VertexId> straddlers = {};
  // Push: what programs may assume of other workers.
  Access access = Access::shared;
  // Push: each worker combines the messages to this many first vertices (Combiner).
  VertexId combined = 0;
  // The blocks from which lists were used; null if that is not reported.
  Bitmap* used_blocks = nullptr;
  // What the round has activated: valid after the workers' collectors, below, are drained.
  const Bitmap* activated = nullptr;
  std::span<Collector> collectors = {};
  // Set by an engine that settles each range when its own lists are done.
  bool settled = false;

  [[nodiscard]] Messages messages() const { return {slots.data(), traits.message_bytes}; }
};

}  // namespace outcore
