// SPDX-License-Identifier: Apache-2.0
#include "engines/async_block/block_executor.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "storage/events/event_recorder.h"

namespace outcore {

namespace {

constexpr std::size_t kTogether = HandOver::kBatch;  // vertices that are submitted at once

// How many of the first are among the others.
std::size_t common(std::span<const std::uint32_t> first, std::span<const std::uint32_t> others) {
  return static_cast<std::size_t>(
      std::count_if(first.begin(), first.end(), [&](std::uint32_t member) {
        return std::find(others.begin(), others.end(), member) != others.end();
      }));
}

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
          [this](const auto& part, std::uint32_t frame) { use_pieces(part, frame); }),
      of_block_(kTogether),
      of_residents_(kTogether),
      of_first_(BatchSize::in_turn(kTogether)) {
  own_.resident.clear();  // what others took in the run before
}

void BlockExecutor::work() {
  submit_first();
  while (!run_.executor.stopping()) {
    if (own_.executor > 0 && run_.company.alone() && !rest()) return;
    run_.worklist.queue_lists(own_);
    prefetcher_.preload(of_block_.order_matters());
    if (residents_are_next()) process_residents();
    if (awaited_is_next()) {
      prefetcher_.collect(1);
      continue;
    }
    if (process_next() || process_residents()) continue;
    if (hands_.keeps_back()) {
      deliver();
    } else if (prefetcher_.is_reading()) {
      prefetcher_.collect(1);
    } else if (prefetcher_.waits_for_frames()) {
      std::this_thread::yield();  // for frames that hold what others are processing
    } else if (!run_.worklist.queue_lists_now(own_) && !wait()) {
      return;
    }
  }
}

bool BlockExecutor::wait() {
  const WaitNote idled(run_.round.lists.events, EventKind::idled);
  return run_.worklist.wait();
}

// What is under way ends first, and messages are told, for frames and messages are this executor's
// own.
bool BlockExecutor::rest() {
  while (prefetcher_.is_reading() || prefetcher_.waits_for_frames()) {
    if (run_.executor.stopping()) return true;
    run_.worklist.give_all(own_);
    prefetcher_.ask_for_rest();
    if (prefetcher_.is_reading()) {
      prefetcher_.collect(1);
    } else {
      std::this_thread::yield();  // until others are through with blocks in its frames
    }
  }
  if (hands_.keeps_back()) deliver();
  const WaitNote idled(run_.round.lists.events, EventKind::idled);
  return run_.worklist.rest(own_, run_.company);
}

// What is active at first, a range at a time. Vertices that need no block are processed on the way,
// so that they do not pile up.
void BlockExecutor::submit_first() {
  const Frontier& first = run_.first;
  const std::size_t all = first.is_sparse() ? first.list().size() : first.id_space();
  while (!run_.executor.stopping()) {
    const std::size_t begin = run_.submitted.fetch_add(kVertexRange, std::memory_order_relaxed);
    if (begin >= all) break;
    submit_part(begin, std::min<std::size_t>(all, begin + kVertexRange));
    if (residents_are_next()) process_residents();
  }
  tell();
  run_.worklist.has_submitted();
}

// Of everything in the order in which it is submitted: vertices that need blocks; leaves that are
// never activated, so that what they say is heard before their neighbours speak; other residents.
void BlockExecutor::submit_part(std::size_t begin, std::size_t end) {
  const VertexRange leaves = run_.silent;
  if (run_.first.is_sparse() || leaves.begin == leaves.end) return submit_range(begin, end);
  // These from `place` on come at [from, to).
  const auto part = [&](std::size_t from, std::size_t to, std::size_t place) {
    const std::size_t first = std::max(begin, from);
    const std::size_t last = std::min(end, to);
    if (first < last) submit_range(place + (first - from), place + (last - from));
  };
  const std::size_t residents = run_.round.lists.index.first_mini_id();
  const std::size_t told = residents + (leaves.end - leaves.begin);
  part(0, residents, 0);
  part(residents, told, leaves.begin);
  part(told, leaves.end, residents);
  part(leaves.end, run_.first.id_space(), leaves.end);
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
      // vertices without in-edges, and those that are never activated.
      if (run_.activates_once() || (degree == 0 && run_.symmetric) || run_.is_silent(id)) {
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
  if (run_.again && of_first_.order_matters()) {
    of_first_.note(residents.size(), begin_in_turn(residents));
  } else {
    const std::size_t count = run_.worklist.begin_residents(residents);
    of_first_.note(count, process_and_finish(residents.first(count)));
  }
  run_.worklist.has_left(own_);
}

// Where order matters each says what it heard from the one before it, so that a label goes along
// neighbours whose ids ascend in one sweep. What is activated before its turn comes needs nothing
// more. Returns how many times that was so.
std::size_t BlockExecutor::begin_in_turn(std::span<VertexId> residents) {
  const std::span turn = residents.first(run_.worklist.begin_in_turn(residents, own_));
  std::size_t early = 0;
  for (std::size_t i = 0; i < turn.size();) {
    std::size_t last = i;  // of those whose ids follow on one another
    while (last + 1 < turn.size() && turn[last + 1] == turn[last] + 1) ++last;
    for (const VertexId end = turn[last] + 1; i <= last; ++i) {
      early += out_.come_next({turn[i] + 1, end});
      process_inline(turn.subspan(i, 1));
    }
  }
  early += out_.come_next({});
  tell();
  finish(turn);
  return early;
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
  hands_.use(block);
  if (of_block_.order_matters()) {
    note_turn(block, process_by_urgency(block, data));
    run_.worklist.finish(block, own_);
    return;
  }
  note_turn(block, members_.size());
  hand_over_members(block, data);
  // Those of the block that they activate come at once where that is their turn. Of a chain each
  // vertex would take a turn of the block.
  while (goes_on_in(block)) {
    std::swap(members_, before_);
    members_.clear();
    run_.worklist.take_again(block, members_);
    if (run_.again) of_block_.note(before_.size(), common(before_, members_));
    hand_over_members(block, data);
  }
  if (run_.again) {
    of_block_.note(members_.size(), run_.worklist.finish(block, own_, members_));
  } else {
    run_.worklist.finish(block, own_);
  }
}

void BlockExecutor::note_turn(std::uint32_t block, std::size_t spoke) {
  const std::size_t members = assignment_.members_in(block);
  if (run_.company.note(block, spoke, members, run_.worklist.is_early(own_))) {
    run_.worklist.wake();
  }
}

// Has the block active vertices again, and do they come before anything else that is at hand? Not
// so with labels, for which the executor would never find that order matters: a ladder's edges were
// handed over 1.6 times.
bool BlockExecutor::goes_on_in(std::uint32_t block) const {
  const bool wave = run_.again && !run_.labels;
  if (!run_.says_once && !wave) return false;
  const Priority priority = run_.worklist.priority_again(block);
  if (priority == kQuiet) return false;
  return run_.says_once || ((own_.cached.empty() || priority <= own_.cached.first().priority) &&
                            (own_.resident.empty() || priority <= own_.resident.soonest()));
}

void BlockExecutor::hand_over_members(std::uint32_t block, const std::byte* data) {
  for (const std::uint32_t member : members_) {
    hands_.add(assignment_.vertex(block, member), block, data);
  }
  hands_.flush();
  tell();
}

// The members that were taken, and those of the block that they activate, the soonest first: until
// none is left, or for so long that others must have their turn. Returns how many spoke.
std::size_t BlockExecutor::process_by_urgency(std::uint32_t block, const std::byte* data) {
  constexpr std::size_t kTimes = 4;  // so often each of its vertices, on average
  const std::size_t turn = kTimes * assignment_.members_in(block);
  waits_.resize(assignment_.most_members());
  wait_in_block(block);
  std::size_t done = 0;
  while (!in_block_.empty()) {
    std::uint32_t room[kTogether];
    const std::span<const std::uint32_t> batch = soonest_of_block(room);
    for (const std::uint32_t member : batch) {
      hands_.add(assignment_.vertex(block, member), block, data);
    }
    hands_.flush();
    tell();
    done += batch.size();
    if (done >= turn) continue;
    run_.worklist.take_again(block, members_);
    of_block_.note(batch.size(), common(batch, members_));
    wait_in_block(block);
  }
  return done;
}

// The members that were taken wait, by the priorities that they have now.
void BlockExecutor::wait_in_block(std::uint32_t block) {
  for (const std::uint32_t member : members_) {
    in_block_.push({member, run_.round.program.priority(assignment_.vertex(block, member))});
    waits_[member] = true;
  }
  members_.clear();
}

// A batch of those that wait.
std::span<const std::uint32_t> BlockExecutor::soonest_of_block(std::span<std::uint32_t> room) {
  std::size_t count = 0;
  Priority first = kQuiet;
  while (count < room.size() && !in_block_.empty()) {
    if (count >= of_block_.now() && in_block_.soonest() > first) break;
    const WaitingVertices::Entry entry = in_block_.pop();
    if (!waits_[entry.v]) continue;  // it became sooner, and was taken then
    waits_[entry.v] = false;
    if (count == 0) first = entry.priority;
    room[count++] = entry.v;
  }
  return room.first(count);
}

// Those whose lists stand in the index go before blocks when they fill a batch, or are sooner where
// that matters.
bool BlockExecutor::residents_are_next() const {
  if (together() > 1) return own_.resident.size() >= kTogether;
  return !own_.resident.empty() &&
         (own_.cached.empty() || own_.resident.soonest() <= own_.cached.first().priority);
}

// What is waited for is under way, and sooner than the blocks at hand. Where order matters, what
// these say meanwhile is said again after it: on a path whose lists are cut at each block's end,
// every block was processed for each block before it.
bool BlockExecutor::awaited_is_next() const {
  return of_block_.order_matters() && !own_.cached.empty() && prefetcher_.is_reading() &&
         prefetcher_.soonest() < own_.cached.first().priority;
}

// The vertices whose lists stand in the index that wait here, and those of them that they activate,
// until something else is next. For a while only, for what was read meanwhile must be looked for;
// but so long that all who heard a hub have answered before its list is begun again, or it would
// hand on half of what it will have heard, and soon the other half (pagerank-push on a star).
bool BlockExecutor::process_residents() {
  constexpr std::size_t kTurn = 1024;  // vertices that are activated meanwhile
  const std::size_t most = own_.resident.size() + kTurn;
  std::size_t done = 0;
  do {
    run_.worklist.share_residents(own_);
    VertexId taken[kTogether];
    const std::size_t count = run_.worklist.take_residents(taken, together(), own_);
    if (count == 0) break;
    const std::size_t again = process_and_finish({taken, count});
    if (run_.again) of_residents_.note(count, again);
    if (run_.company.note(count)) run_.worklist.wake();
    done += count;
    // Of a chain one vertex waits at a time.
  } while (done < most && (residents_are_next() || own_.cached.empty()));
  run_.worklist.has_left(own_);
  return done > 0;
}

// Returns, as finish() does, how many of them were activated again meanwhile.
std::size_t BlockExecutor::process_and_finish(std::span<const VertexId> residents) {
  if (residents.empty()) return 0;
  process_inline(residents);
  tell();
  return finish(residents);
}

std::size_t BlockExecutor::finish(std::span<const VertexId> residents) {
  return run_.worklist.finish_residents(
      residents, [&](VertexId v) { return run_.ordered ? run_.round.program.priority(v) : 0; },
      own_);
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
