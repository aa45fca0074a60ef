// SPDX-License-Identifier: Apache-2.0
// The worklist (ACGraph, section 4.2, Fig. 5): which blocks are active, in which state, and which
// comes next. Blocks on disk wait in the uncached queue, from which executors bring them in. Blocks
// whose data is in memory wait in the cached queue of the executor that brought or activated them,
// which has their data in its cache; if other executors have nothing to do, they wait in a queue
// that all share.
//
// Vertices whose lists stand in the index (*resident*) need no block. Each executor processes those
// that it activated, the soonest first, and gives some to another that has nothing to do.
//
// The paper's cached queue is first in, first out; here all queues are ordered by priority. A block
// that is done keeps its data until the frame is needed, so if it is activated again it may be
// cached at once.
//
// An executor whose blocks are more urgent than another's shares some of them with it. Otherwise
// each would continue in its own part of the graph, one further than the other, and what that one
// does too early is done again (BFS on a grid of 4096 x 4096: two executors processed 178 million
// edges, one alone 76).
//
// A block can be made to give up its data early, after a number of uses (early stop, section 4.5).
//
// Termination. active_ counts the blocks and resident vertices that are not inactive, and the
// executors that have not submitted all of their share of what is active at first, or that keep
// messages back. Resident vertices that became inactive stay counted until their executor calls
// has_left(); what it makes active meanwhile takes over their count, so that on a chain executors
// do not exchange the counter's cache line for each vertex. The executor that makes something
// active counts it, before it finishes the block or message from which the activation came (drain
// before finish). So while anything is left to do, something is counted. active_ reaches 0 exactly
// once: when no vertex is active and nothing is being processed. Then no executor can make a vertex
// active again.
//
// Threads: all executors may call all functions at once, each with its own queues. What they share
// has one lock. Lock order: mutex_, then a block's lock; never the reverse.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "engines/async_block/assignment.h"
#include "engines/async_block/block.h"
#include "engines/async_block/company.h"
#include "engines/async_block/read_ahead.h"
#include "engines/async_block/vertex_states.h"
#include "engines/async_block/waiting_blocks.h"
#include "engines/async_block/waiting_vertices.h"

namespace outcore {

class Worklist {
 public:
  // What belongs to one executor. On cache lines of its own, because the executors' are neighbours
  // in memory.
  struct alignas(64) Own {
    unsigned executor = 0;
    std::uint32_t taken = 0;  // blocks, since it looked at how far the others are
    std::size_t left = 0;     // resident vertices that became inactive and are still counted
    WaitingBlocks cached;
    WaitingVertices resident;
    std::vector<std::uint32_t> lists;  // blocks that keep_back() kept
    [[nodiscard]] std::uint64_t memory_bytes() const {
      return cached.memory_bytes() + resident.memory_bytes() +
             lists.capacity() * sizeof(std::uint32_t);
    }
  };

  // What a user may vary.
  struct Rules {
    // Which blocks come first: those with the most urgent vertices; those with the most active
    // edges per byte; or in the order of the file, in sweeps.
    enum class First : std::uint8_t { soonest, fullest, in_file };
    First first = First::soonest;
    bool keep = true;             // keep finished blocks until the frame is needed
    std::uint8_t early_stop = 0;  // uses of a block's data until it is read again; 0: no limit
  };

  Worklist(const Layout& layout, Direction direction, const Rules& rules, Executor& executor)
      : rules_(rules),
        assignment_(layout, direction, executor),
        blocks_(
            assignment_.blocks(), assignment_.most_members(),
            [&](std::size_t b) { return assignment_.members_in(static_cast<std::uint32_t>(b)); },
            executor),
        vertices_(layout.facts().id_space),
        reached_(executor.size()) {}

  [[nodiscard]] const Assignment& assignment() const { return assignment_; }

  // What comes of what is active at first.
  struct Course {
    // A vertex that waits and is activated once more is sooner than before (labels, distances).
    bool again = false;
    // The same, where all vertices are active at first. A label that is not the least is then
    // mostly told in vain.
    bool labels = false;
    std::uint32_t ahead = 0;  // so many blocks may be read ahead and not be used yet
  };
  // So many executors are about to submit what is active at first; until each has said that it
  // has, nothing ends.
  void expect(std::size_t executors) { expect(executors, {}); }
  void expect(std::size_t executors, const Course& course) {
    course_ = course;
    ahead_.allow(course.ahead);
    soonest_taken_.store(kQuiet, std::memory_order_relaxed);
    active_ += executors;
  }
  void has_submitted() { leave(1); }
  // The same for an executor that keeps messages back, until it has sent them.
  void keeps_back() { ++active_; }
  void has_told() { leave(1); }
  // These vertices are active.
  void submit(std::span<const Activations::Entry> entries, Own& own);

  // Moves the most urgent uncached blocks into `into`, at most as many as fit. They belong to the
  // caller, who brings in their data and calls loaded(). Returns how many.
  std::size_t pull(std::span<std::uint32_t> into);
  // Where order matters, is this block read as soon as it is the most urgent one, and waited for?
  // Otherwise what is less urgent is processed meanwhile (section 4.2), and with labels goes on as
  // far as the graph does, in vain. Distances of a wave had better go on: where all waited, sssp
  // handed over each edge of a grid 8 times instead of 2.5. Except for lists in pieces.
  [[nodiscard]] bool is_waited_for(std::uint32_t b) const {
    return (course_.labels && rules_.first == Rules::First::soonest) || assignment_.is_long(b);
  }
  [[nodiscard]] Priority priority(std::uint32_t b);
  // Is the most urgent of the uncached waited for, and more urgent than what is cached here?
  [[nodiscard]] bool uncached_is_sooner(const Own& own) const;
  // The next cached block, which the caller now must take() and finish().
  std::optional<std::uint32_t> next_cached(Own& own);
  // Waits until one of these functions may return something, for executors that have nothing to do.
  // False at the end, and if an executor has failed.
  bool wait();
  // Is the block that the executor took last less urgent than some that were taken before? Relaxed:
  // only a hint.
  [[nodiscard]] bool is_early(const Own& own) const {
    return reached_[own.executor].priority.load(std::memory_order_relaxed) >
           soonest_taken_.load(std::memory_order_relaxed);
  }
  // Everything that waits with the executor, to all.
  void give_all(Own& own);
  // That, and then the executor rests until `company` goes on again. As wait(): false at the end.
  // REQUIRES: it is bringing in nothing.
  bool rest(Own& own, const Company& company);
  // Wakes all that wait or rest, so that they look again.
  void wake();
  // No vertex is active, and no executor can make one active.
  [[nodiscard]] bool ended() const { return active_ == 0; }
  // An executor has failed: wakes all that wait.
  void fail();

  // How many blocks that are not wanted may be read with their neighbours. None where enough wait
  // to keep the device busy, so many requests: the order of these is better than any guess. But a
  // label that others wait for wants the next block next.
  [[nodiscard]] std::uint32_t may_read_ahead(unsigned busy, bool order_matters) const {
    const bool may =
        (course_.labels && order_matters) || waiting_.load(std::memory_order_relaxed) < busy;
    return may ? ahead_.left() : 0;
  }
  // May this one be?
  [[nodiscard]] bool may_come(BlockId block);
  // The same; if so it belongs to the caller as if it had been pulled.
  bool read_ahead(BlockId block);
  // The data of a block that the caller pulled has arrived.
  void loaded(std::uint32_t block, std::byte* frame, Own& own);
  // The block's data came in a hole of a request, although no executor had pulled it. True if the
  // block now uses the frame: it had no data, no executor is bringing it in, and blocks are kept.
  bool offered(std::uint32_t block, std::byte* frame, Own& own);
  // Starts to process the block: returns its data (null if it needs none), and adds its active
  // vertices to `members`, as the block numbers them.
  std::byte* take(std::uint32_t block, std::vector<std::uint32_t>& members);
  // The block is still being processed: adds those of its vertices that were activated since,
  // unless its data is to be given up.
  void take_again(std::uint32_t block, std::vector<std::uint32_t>& members);
  // The priority of those; quiet if there are none.
  [[nodiscard]] Priority priority_again(std::uint32_t block);
  // It was processed. Returns how many of these members, which were, have been activated since.
  std::size_t finish(std::uint32_t block, Own& own, std::span<const std::uint32_t> members = {});
  // Those that the executor has finished with are no longer counted. REQUIRES: called before it
  // waits, and after finish_residents() or begin_in_turn().
  void has_left(Own& own) { leave(std::exchange(own.left, 0)); }
  // Of these resident vertices those that were inactive, moved to the front, are active now and the
  // caller's to process and finish. Returns how many.
  std::size_t begin_residents(std::span<VertexId> vertices);
  // These resident vertices are active. Those that no other executor is processing, moved to the
  // front in their order, are the caller's to process and finish, also where one waits in a queue.
  // Returns how many.
  std::size_t begin_in_turn(std::span<VertexId> vertices, Own& own);
  // The soonest resident vertices, at most as many as `into` has room for, are the caller's now to
  // process and finish: `together` of them, or more if those are as soon as the first.
  std::size_t take_residents(std::span<VertexId> into, std::size_t together, Own& own);
  // Returns how many have been activated since they were taken; priority(v) says how soon they are.
  template <typename PriorityOf>
  std::size_t finish_residents(std::span<const VertexId> vertices, const PriorityOf& priority,
                               Own& own) {
    std::size_t again = 0;
    for (const VertexId v : vertices) {
      if (!vertices_.finish(v)) continue;
      own.resident.push({v, priority(v)});
      ++again;
    }
    own.left += vertices.size() - again;
    return again;
  }
  // The soonest half of its resident vertices to all, if another executor has nothing to do and
  // this one more than a batch.
  void share_residents(Own& own);
  // Lists in pieces that were kept back until many resident vertices have been processed are
  // queued, if they have been. True if there were some.
  bool queue_lists(Own& own) {
    return !own.lists.empty() && !many_residents_wait(own) && queue_lists_now(own);
  }
  // The same whatever waits. REQUIRES: called before the executor waits.
  bool queue_lists_now(Own& own);
  // May the frame be had? If so the block, which was read into it, has forgotten it.
  bool let_go(std::uint32_t block, const std::byte* frame);

  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  // Blocks for the shared queues, collected so that the lock is taken once.
  struct Shared {
    static constexpr std::size_t kMost = 64;
    struct Entry {
      Priority priority;
      std::uint32_t block;
      bool cached;
    };
    Entry entries[kMost];
    std::size_t count = 0;
    WaitingVertices::Entry residents[kMost];
    std::size_t resident_count = 0;
  };
  // REQUIRES: the block's lock is held. The block's priority, now that this vertex is active.
  Priority priority_of(std::uint32_t b, const Activations::Entry& entry, bool is_new);
  // REQUIRES: the same. Queues the block according to its state and priority.
  void queue_block(std::uint32_t b, Own& own, Shared& shared);
  // Is a list in pieces to wait with its executor, while many of the vertices wait that may tell
  // its vertex something? Otherwise another executor, which has nothing to do, begins a hub's list
  // when few of its neighbours have answered, and again when the others have. Not where a better
  // message may follow, which had better go on at once.
  [[nodiscard]] bool keeps_back(std::uint32_t b, const Own& own) const {
    return !course_.again && assignment_.is_long(b) && many_residents_wait(own);
  }
  // Relaxed: whether others wait in the shared queue is only a hint.
  [[nodiscard]] bool many_residents_wait(const Own& own) const {
    return own.resident.size() >= Shared::kMost ||
           shares_residents_.load(std::memory_order_relaxed);
  }
  void enqueue(const Shared& shared);
  // The soonest of the executor's resident vertices, to all, until it has so many left.
  void give_residents(Own& own, std::size_t keep);
  void forget_stale();  // of blocks on disk; under the lock
  // The first of its cached queue that are stale go, so that its size tells how many wait: a label
  // that goes along a chain takes each block before its time, and leaves its entry behind.
  void drop_stale(Own& own);
  // Under the block's lock: is this the block's current entry among the cached?
  static bool is_at_hand(const Block& block, const WaitingBlocks::Entry& entry) {
    return block.state == BlockState::cached && block.priority == entry.priority &&
           block.data() != nullptr;
  }
  // REQUIRES: the block's lock is held. Is this the block's current entry among the uncached?
  static bool is_fresh(const Block& block, const WaitingBlocks::Entry& entry);
  // Move some of the shared entries into an own queue. Each takes only what its caller looks for:
  // an executor sleeps if it has found neither blocks nor vertices, and would sleep on blocks that
  // came with the vertices.
  void take_shared_blocks(Own& own);
  void take_shared_residents(Own& own);
  [[nodiscard]] bool share_is_sooner(const Own& own) const;
  // Shares some of its most urgent blocks, if another executor is at less urgent ones.
  void share_soonest(Own& own);
  void note_shares();             // under the lock
  void note_first_uncached();     // under the lock
  void leave(std::size_t count);  // so many became inactive
  // Under the block's lock: is it idle, without data, and was it never used? A wave comes back to
  // few of the blocks that it has left. Labels were everywhere before the least comes.
  [[nodiscard]] bool may_come(const Block& block) const {
    return block.state == BlockState::inactive && block.data() == nullptr &&
           (block.uses == 0 || course_.labels);
  }
  // Under the block's lock: has its data been used as often as it may be?
  [[nodiscard]] bool used_up(const Block& block) const {
    return rules_.early_stop > 0 && block.uses >= rules_.early_stop;
  }
  // Under the block's lock: it is being processed. Are there active vertices again, and may its
  // data be used for them?
  [[nodiscard]] bool may_be_taken_again(const Block& block) const {
    return block.state == BlockState::reactivated && !used_up(block);
  }
  // Under the block's lock: it is being processed, and has no active vertices.
  void take_members(std::uint32_t b, std::vector<std::uint32_t>& members);

  Rules rules_;
  Course course_;
  Assignment assignment_;
  BlockTable blocks_;
  VertexStates vertices_;
  ReadAhead ahead_;
  std::atomic<std::size_t> active_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  WaitingBlocks cached_;
  WaitingVertices residents_;
  std::atomic<bool> shares_{false};  // is there anything in these two? Changed under the lock
  std::atomic<bool> shares_residents_{false};  // in the second; changed under the lock
  std::atomic<Priority> first_share_{kQuiet};  // of cached_; changed under the lock
  // The priority of the block that each executor took last.
  struct alignas(64) Reached {
    std::atomic<Priority> priority{kQuiet};
  };
  std::vector<Reached> reached_;
  // The most urgent one of any block that was taken. Two executors may overwrite one another's: a
  // hint.
  std::atomic<Priority> soonest_taken_{kQuiet};
  WaitingBlocks uncached_;
  // The priority of the first of these if it is waited for. Changed under the lock.
  std::atomic<Priority> first_uncached_{kQuiet};
  // The number of blocks in the state uncached. It is increased before their entries are queued,
  // and the lock orders this: a reader under the lock that finds 0 knows that all entries are
  // stale. So relaxed is enough.
  std::atomic<std::size_t> waiting_{0};
  std::atomic<unsigned> sleepers_{0};  // changed under the lock
  bool failed_ = false;
};

}  // namespace outcore
