// SPDX-License-Identifier: Apache-2.0
#include "engines/grid/edge_stream.h"

#include <utility>

#include "storage/events/event_recorder.h"
#include "storage/trace/trace.h"

namespace outcore {

EdgeStream::EdgeStream(const EdgeLayout& layout, Door& door, std::uint32_t part_blocks,
                       std::size_t slots, unsigned worker, TraceWriter* trace)
    : layout_(layout),
      worker_(worker),
      trace_(trace),
      door_(door),
      arena_(slots, slot_bytes(layout, part_blocks), worker),
      channel_(std::make_unique<DoorChannel>(door, arena_.memory())),
      tags_(door.options().depth),
      parts_(slots),
      missing_(slots) {
  std::size_t offset = 0;
  for (const EdgeColumn column : {EdgeColumn::sources, EdgeColumn::targets, EdgeColumn::weights}) {
    const auto file = layout.file(column);
    if (!file) continue;
    columns_.push_back({*file, layout.blocks_for_each(column), offset});
    offset += std::size_t{part_blocks} * columns_.back().ratio * layout.facts().block_bytes;
  }
}

std::size_t EdgeStream::slot_bytes(const EdgeLayout& layout, std::uint32_t part_blocks) {
  std::size_t blocks = 0;
  for (const EdgeColumn column : {EdgeColumn::sources, EdgeColumn::targets, EdgeColumn::weights}) {
    if (layout.file(column)) blocks += layout.blocks_for_each(column);
  }
  return blocks * part_blocks * layout.facts().block_bytes;
}

void EdgeStream::start(Next next) {
  next_ = std::move(next);
  asked_ = taken_ = released_ = 0;
  asked_columns_ = columns_.size();
  ended_ = false;
}

EdgeStream::Loaded EdgeStream::take() {
  if (taken_ > released_) note(EventKind::dropped, *parts_[released_ % parts_.size()]);
  released_ = taken_;
  ask();
  while (!ended_ || taken_ < asked_) {
    if (taken_ < asked_ && missing_[taken_ % parts_.size()] == 0) break;
    reap(1);
    ask();
  }
  if (taken_ == asked_) {
    note_rest();
    return {};
  }
  const std::size_t slot = taken_++ % parts_.size();
  note(EventKind::processed, *parts_[slot]);
  const std::byte* at = arena_.memory().data() + slot * arena_.slot_bytes();
  return {.part = parts_[slot],
          .sources = at + columns_[0].offset,
          .targets = at + columns_[1].offset,
          .weights = columns_.size() > 2 ? at + columns_[2].offset : nullptr};
}

// A part's blocks in all columns. The edges that were given before go with the first.
void EdgeStream::note(EventKind kind, const GridPart& part) {
  EventRecorder* const events = door_.options().events;
  if (events == nullptr) return;
  for (const Column& column : columns_) {
    const bool counts_edges = kind == EventKind::processed;
    events->note(kind, door_.first_event_block(column.file) + part.first * column.ratio,
                 part.blocks * column.ratio, counts_edges ? std::exchange(given_edges_, 0) : 0);
  }
}

void EdgeStream::note_rest() {
  EventRecorder* const events = door_.options().events;
  if (events == nullptr || given_edges_ == 0) return;
  events->note(EventKind::processed, 0, 0, std::exchange(given_edges_, 0));
}

void EdgeStream::poll() {
  if (channel_->in_flight() > 0) reap(0);
}

void EdgeStream::abandon() { channel_.reset(); }

// As many parts as there is room for, and of the last one as many columns as the channel takes.
void EdgeStream::ask() {
  if (channel_->in_flight() == 0) reading_.lap();
  while (!ended_) {
    if (asked_columns_ == columns_.size()) {
      if (asked_ - released_ == parts_.size()) break;
      const GridPart* part = next_();
      if (part == nullptr) {
        ended_ = true;
        break;
      }
      parts_[asked_ % parts_.size()] = part;
      missing_[asked_ % parts_.size()] = static_cast<std::uint32_t>(columns_.size());
      ++asked_;
      asked_columns_ = 0;
    }
    const std::size_t slot = (asked_ - 1) % parts_.size();
    if (!ask_column(*parts_[slot], slot)) break;
    ++asked_columns_;
  }
  channel_->flush();
}

bool EdgeStream::ask_column(const GridPart& part, std::size_t slot) {
  const Column& column = columns_[asked_columns_];
  std::byte* into = arena_.memory().data() + slot * arena_.slot_bytes() + column.offset;
  const BlockId first = part.first * column.ratio;
  const std::uint32_t blocks = part.blocks * column.ratio;
  if (!channel_->read(column.file, first, blocks, into, slot)) return false;
  if (trace_ != nullptr) {
    const std::uint32_t units = layout_.facts().block_bytes / 4096;
    trace_->note(worker_, column.file, first * units, blocks * units);
  }
  return true;
}

void EdgeStream::reap(std::size_t at_least) {
  const std::size_t count = channel_->reap(tags_, at_least);
  seconds_ += reading_.lap();
  for (std::size_t i = 0; i < count; ++i) --missing_[tags_[i]];
}

}  // namespace outcore
