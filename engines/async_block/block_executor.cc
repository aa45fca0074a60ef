// SPDX-License-Identifier: Apache-2.0
#include "engines/async_block/block_executor.h"

#include <thread>
#include <utility>

namespace outcore {

namespace {

constexpr std::size_t kTogether = HandOver::kBatch;  // vertices that are submitted at once

// Vertices until they are a batch.
class VertexBatch {
 public:
  // True if it is one now.
  bool add(VertexId v) {
    vertices_[count_++] = v;
    return count_ == kTogether;
  }
  std::span<VertexId> take() { return {vertices_, std::exchange(count_, 0)}; }

 private:
  VertexId vertices_[kTogether];
  std::size_t count_ = 0;
};

}  // namespace

BlockExecutor::BlockExecutor(Run& run, ExecutorState& state, HandOver& hands, Activations& out,
                             HoleBudget& holes, unsigned depth)
    : run_(run),
      assignment_(run.worklist.assignment()),
      frames_(state.ring),
      own_(state.own),
      hands_(hands),
      out_(out),
      prefetcher_(
          run, state.ring, state.own, state.channel, holes, depth,
          [this](std::uint32_t block) { return begin_long(block); },
          [this](const auto& part, std::uint32_t frame) { use_pieces(part, frame); }) {}

void BlockExecutor::work() {
  submit_first();
  while (!run_.executor.stopping()) {
    prefetcher_.preload();
    if (own_.residents() >= kTogether) process_residents();
    if (process_next() || process_residents()) continue;
    if (hands_.keeps_back()) {
      deliver();
    } else if (prefetcher_.is_reading()) {
      prefetcher_.collect(1);
    } else if (prefetcher_.waits_for_frames()) {
      std::this_thread::yield();  // for frames that hold what others are processing
    } else if (!run_.worklist.wait()) {
      return;
    }
  }
}

// What is active at first, a range at a time. Vertices that need no block are processed on the way,
// so that they do not pile up.
void BlockExecutor::submit_first() {
  const Frontier& first = run_.first;
  const std::size_t all = first.is_sparse() ? first.list().size() : first.id_space();
  while (!run_.executor.stopping()) {
    const std::size_t begin = run_.submitted.fetch_add(kVertexRange, std::memory_order_relaxed);
    if (begin >= all) break;
    submit_range(begin, std::min<std::size_t>(all, begin + kVertexRange));
    while (own_.residents() >= kTogether) process_residents();
  }
  tell();
  run_.worklist.has_submitted();
}

void BlockExecutor::submit_range(std::size_t begin, std::size_t end) {
  const ListIndex& index = run_.round.lists.index;
  Activations::Entry entries[kTogether];
  VertexBatch once;
  VertexBatch others;
  std::size_t count = 0;
  const auto add = [&](std::size_t v) {
    const auto id = static_cast<VertexId>(v);
    const std::uint64_t degree = index.degree(id);
    if (index.is_inline(degree)) {
      if (run_.round.pull && degree == 0) return;  // without edges nothing is heard
      // In a round nothing is activated again, so resident vertices need no state: three of a
      // direction-optimising search's rounds on Kronecker 23 took 0.3 s to read nothing. Nor do
      // vertices without in-edges.
      if (run_.activates_once() || (degree == 0 && run_.symmetric)) {
        if (once.add(id)) process_inline(once.take());
      } else if (others.add(id)) {
        begin_residents(others.take());
      }
      return;
    }
    entries[count++] = {id, run_.ordered ? run_.round.program.priority(id) : 0};
    if (count == kTogether) run_.worklist.submit({entries, std::exchange(count, 0)}, own_);
  };
  if (run_.first.is_sparse()) {
    for (const VertexId v : run_.first.list().subspan(begin, end - begin)) add(v);
  } else {
    run_.first.bits().for_each(begin, end, add);
  }
  run_.worklist.submit({entries, count}, own_);
  process_inline(once.take());
  begin_residents(others.take());
}

// Vertices that are active at first need no queue.
void BlockExecutor::begin_residents(std::span<VertexId> residents) {
  const std::size_t count = run_.worklist.begin_residents(residents);
  process_and_finish(residents.first(count));
}

bool BlockExecutor::process_next() {
  const std::optional<std::uint32_t> block = run_.worklist.next_cached(own_);
  if (block) process(*block);
  return block.has_value();
}

void BlockExecutor::process(std::uint32_t block) {
  members_.clear();
  const std::byte* const data = run_.worklist.take(block, members_);
  run_.round.lists.note(own_.executor, {block, 1});
  for (const std::uint32_t member : members_) {
    hands_.add(assignment_.vertex(block, member), block, data);
  }
  hands_.flush();
  tell();
  run_.worklist.finish(block, own_);
}

// Some of the vertices whose lists stand in the index.
bool BlockExecutor::process_residents() {
  VertexId taken[kTogether];
  const std::size_t count = run_.worklist.take_residents(taken, own_);
  process_and_finish({taken, count});
  return count > 0;
}

void BlockExecutor::process_and_finish(std::span<const VertexId> residents) {
  if (residents.empty()) return;
  process_inline(residents);
  tell();
  run_.worklist.finish_residents(residents, own_);
}

void BlockExecutor::process_inline(std::span<const VertexId> residents) {
  for (const VertexId v : residents) hands_.add_inline(v);
  hands_.flush();
}

BlockId BlockExecutor::begin_long(std::uint32_t block) {
  LongList& list = long_lists_[block];
  list = {};
  list.v = assignment_.vertex(block, 0);
  list.list = run_.round.lists.index.address(list.v);
  const BlockId end = run_.round.lists.index.last_block(list.list) + 1;
  list.left = static_cast<std::uint32_t>(end - assignment_.position(block));
  return end;
}

void BlockExecutor::use_pieces(const WantedBlocks::Part& part, std::uint32_t frame) {
  LongList& list = long_lists_[part.block];
  if (!list.begun) begin_message(part.block, list);
  run_.round.lists.note(own_.executor, {part.begin, part.blocks()});
  for (std::uint32_t i = 0; i < part.blocks(); ++i) {
    hands_.list_piece(list.v, list.list, part.begin + i, frames_.frame(frame + i),
                      {list.message, run_.round.traits.message_bytes});
  }
  list.left -= part.blocks();
  // Skips the part of a list that was not requested yet if its vertex has heard enough.
  if (run_.round.pull && run_.round.traits.hearing == Hearing::first &&
      !run_.round.program.listens(list.v)) {
    list.left -= prefetcher_.forget(part.block);
  }
  if (list.left > 0) return;
  tell();
  long_lists_.erase(part.block);
  run_.worklist.finish(part.block, own_);
}

void BlockExecutor::begin_message(std::uint32_t block, LongList& list) {
  list.begun = true;
  members_.clear();
  run_.worklist.take(block, members_);
  hands_.take_message({list.v, static_cast<std::uint32_t>(list.list.degree)},
                      {list.message, run_.round.traits.message_bytes});
}

// Tells the worklist what was activated, and whether messages are kept back.
void BlockExecutor::tell() {
  if (!keeps_back_ && hands_.keeps_back()) {
    keeps_back_ = true;
    run_.worklist.keeps_back();
  }
  out_.drain();
  if (keeps_back_ && !hands_.keeps_back()) {
    keeps_back_ = false;
    run_.worklist.has_told();
  }
}

void BlockExecutor::deliver() {
  hands_.deliver();
  tell();
}

}  // namespace outcore
