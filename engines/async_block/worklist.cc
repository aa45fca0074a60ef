// SPDX-License-Identifier: Apache-2.0
#include "engines/async_block/worklist.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace outcore {

void Worklist::submit(std::span<const Activations::Entry> entries, Own& own) {
  while (!entries.empty()) {
    const auto batch = entries.first(std::min(Shared::kMost, entries.size()));
    entries = entries.subspan(batch.size());
    // Finding a vertex's block and accessing the block's line are cache misses, so all are started
    // at once.
    Assignment::Place places[Shared::kMost];
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const VertexId v = batch[i].v;
      const bool follows = i > 0 && v == batch[i - 1].v + 1;
      places[i] = follows ? assignment_.place_after(places[i - 1], v) : assignment_.place(v);
      if (places[i].block != Assignment::kNoBlock) {
        __builtin_prefetch(&blocks_[places[i].block], 1);
      }
    }
    // Counts all as if they had been inactive until now, and subtracts the others at the end:
    // counting each by itself would exchange the counter's cache line with other executors for
    // every vertex. Those that left before and are still counted need not be added.
    const std::size_t counted = std::min(own.left, batch.size());
    own.left -= counted;
    if (counted < batch.size()) active_ += batch.size() - counted;
    std::size_t became_active = 0;
    Shared shared;
    for (std::size_t i = 0; i < batch.size();) {
      const std::uint32_t b = places[i].block;
      if (b == Assignment::kNoBlock) {
        const Activations::Entry& entry = batch[i++];
        const VertexStates::Before before = vertices_.activate(entry.v);
        const bool is_new = before == VertexStates::Before::inactive;
        if (is_new) ++became_active;
        const bool sooner = course_.again && before == VertexStates::Before::queued;
        if (is_new || sooner) own.resident.push(entry);
        continue;
      }
      // Lists ascend, so that vertices of one block often come after one another.
      Block& block = blocks_[b];
      block.lock();
      Priority soonest = kQuiet;
      for (; i < batch.size() && places[i].block == b; ++i) {
        const bool is_new = blocks_.add(b, places[i].member);
        soonest = std::min(soonest, priority_of(b, batch[i], is_new));
      }
      const bool sooner = soonest < block.priority;
      if (sooner) block.priority = soonest;
      switch (block.state) {
        case BlockState::inactive:
          // Counted already: an older entry may lead another executor to it at once.
          ++became_active;
          queue_block(b, own, shared);
          break;
        case BlockState::coming:
          ++became_active;
          block.state = BlockState::cached;  // and is queued when its data is there
          break;
        case BlockState::uncached:
          if (sooner) queue_block(b, own, shared);
          break;
        case BlockState::cached:
          if (sooner && block.data() != nullptr) queue_block(b, own, shared);
          break;
        case BlockState::processing:
          block.state = BlockState::reactivated;
          break;
        case BlockState::reactivated:
        default:
          break;
      }
      block.unlock();
    }
    enqueue(shared);
    leave(batch.size() - became_active);
  }
}

// The fullest first, by powers of two, so that a block is queued again only a few times.
Priority Worklist::priority_of(std::uint32_t b, const Activations::Entry& entry, bool is_new) {
  if (rules_.first == Rules::First::soonest) return entry.priority;
  if (rules_.first == Rules::First::in_file) return 0;
  Block& block = blocks_[b];
  if (is_new) block.edges += assignment_.edges_a_block(entry.v);
  return -static_cast<Priority>(std::bit_width(block.edges));
}

void Worklist::queue_block(std::uint32_t b, Own& own, Shared& shared) {
  Block& block = blocks_[b];
  const bool cached = block.data() != nullptr;
  const bool waited = block.state == BlockState::uncached;
  block.state = cached ? BlockState::cached : BlockState::uncached;
  if (waited && cached) waiting_.fetch_sub(1, std::memory_order_relaxed);
  if (!waited && !cached) waiting_.fetch_add(1, std::memory_order_relaxed);
  // Relaxed: whether other executors have nothing to do is only a hint.
  if (cached && sleepers_.load(std::memory_order_relaxed) == 0) {
    own.cached.push(block.priority, b, assignment_.position(b));
  } else if (!cached && keeps_back(b, own)) {
    own.lists.push_back(b);
  } else {
    shared.entries[shared.count++] = {.priority = block.priority, .block = b, .cached = cached};
  }
}

void Worklist::enqueue(const Shared& shared) {
  if (shared.count + shared.resident_count == 0) return;
  const std::lock_guard lock(mutex_);
  for (const auto& entry : std::span(shared.entries).first(shared.count)) {
    (entry.cached ? cached_ : uncached_)
        .push(entry.priority, entry.block, assignment_.position(entry.block));
  }
  for (const auto& entry : std::span(shared.residents).first(shared.resident_count)) {
    residents_.push(entry);
  }
  forget_stale();
  note_shares();
  note_first_uncached();
  if (sleepers_ > 0) changed_.notify_all();
}

// Falling labels make a block more urgent again and again, and each time leave a stale entry
// behind. Every waiting block has one fresh entry, so at least half of the entries are removed.
// Checking an entry touches its block's line of memory: with a limit of 64 entries instead of the
// number of blocks, WCC on Kronecker 23 took 1.08 of its time.
void Worklist::forget_stale() {
  const std::size_t waiting = waiting_.load(std::memory_order_relaxed);
  if (uncached_.size() < std::max(blocks_.size(), 2 * waiting)) return;
  uncached_.forget_if([&](const WaitingBlocks::Entry& entry) {
    Block& block = blocks_[entry.block];
    block.lock();
    const bool fresh = is_fresh(block, entry);
    block.unlock();
    return !fresh;
  });
}

bool Worklist::is_fresh(const Block& block, const WaitingBlocks::Entry& entry) {
  return block.state == BlockState::uncached && block.priority == entry.priority;
}

std::size_t Worklist::pull(std::span<std::uint32_t> into) {
  std::size_t count = 0;
  while (count < into.size()) {
    constexpr std::size_t kAtOnce = 16;
    WaitingBlocks::Entry taken[kAtOnce];
    std::size_t entries = 0;
    {
      const std::lock_guard lock(mutex_);
      // A block that became more urgent often has left as many stale entries behind, and checking
      // each touches a line of memory (WCC on Kronecker 23: the last 0.12 s).
      if (waiting_.load(std::memory_order_relaxed) == 0) uncached_.clear();
      while (entries < std::min(kAtOnce, into.size() - count) && !uncached_.empty()) {
        taken[entries++] = uncached_.pop();
      }
      note_first_uncached();
    }
    if (entries == 0) break;
    for (std::size_t i = 0; i < entries; ++i) {
      Block& block = blocks_[taken[i].block];
      block.lock();
      if (is_fresh(block, taken[i])) {
        block.state = BlockState::cached;
        waiting_.fetch_sub(1, std::memory_order_relaxed);
        into[count++] = taken[i].block;
      }
      block.unlock();
    }
  }
  return count;
}

void Worklist::note_first_uncached() {
  const bool awaited = !uncached_.empty() && is_waited_for(uncached_.first().block);
  first_uncached_.store(awaited ? uncached_.first().priority : kQuiet, std::memory_order_relaxed);
}

// Relaxed: only a hint, and what it says may be stale.
bool Worklist::uncached_is_sooner(const Own& own) const {
  const Priority first = first_uncached_.load(std::memory_order_relaxed);
  return first != kQuiet && (own.cached.empty() || first < own.cached.first().priority);
}

std::optional<std::uint32_t> Worklist::next_cached(Own& own) {
  while (true) {
    if (own.cached.empty() || share_is_sooner(own)) take_shared_blocks(own);
    if (own.cached.empty()) return {};
    const WaitingBlocks::Entry entry = own.cached.pop();
    Block& block = blocks_[entry.block];
    block.lock();
    const bool fresh = is_at_hand(block, entry);
    if (fresh) {
      block.state = BlockState::processing;
      if (block.ahead) ahead_.use();
      block.ahead = false;
    }
    block.unlock();
    if (!fresh) continue;
    drop_stale(own);
    // Relaxed: how far an executor has come is only a hint.
    reached_[own.executor].priority.store(entry.priority, std::memory_order_relaxed);
    if (entry.priority < soonest_taken_.load(std::memory_order_relaxed)) {
      soonest_taken_.store(entry.priority, std::memory_order_relaxed);
    }
    share_soonest(own);
    return entry.block;
  }
}

void Worklist::drop_stale(Own& own) {
  while (!own.cached.empty()) {
    Block& block = blocks_[own.cached.first().block];
    block.lock();
    const bool fresh = is_at_hand(block, own.cached.first());
    block.unlock();
    if (fresh) return;
    own.cached.pop();
  }
}

bool Worklist::share_is_sooner(const Own& own) const {
  return first_share_.load(std::memory_order_relaxed) < own.cached.first().priority;
}

void Worklist::share_soonest(Own& own) {
  constexpr std::uint32_t kLook = 16;  // blocks from one look to the next
  if (++own.taken < kLook || own.cached.size() < 2) return;
  own.taken = 0;
  const Priority soonest = own.cached.first().priority;
  if (std::none_of(reached_.begin(), reached_.end(), [&](const Reached& other) {
        return other.priority.load(std::memory_order_relaxed) > soonest;
      })) {
    return;
  }
  Shared shared;
  WaitingBlocks::Entry kept[kLook];
  std::size_t count = 0;
  for (; count < kLook / 2 && own.cached.size() >= 2; ++count) {
    kept[count] = own.cached.pop();
    const WaitingBlocks::Entry given = own.cached.pop();
    shared.entries[shared.count++] = {given.priority, given.block, true};
  }
  for (const WaitingBlocks::Entry& entry : std::span(kept).first(count)) {
    own.cached.push(entry.priority, entry.block, entry.position);
  }
  enqueue(shared);
}

std::size_t Worklist::begin_residents(std::span<VertexId> vertices) {
  active_ += vertices.size();
  const auto others = std::remove_if(vertices.begin(), vertices.end(),
                                     [&](VertexId v) { return !vertices_.begin_if_inactive(v); });
  leave(static_cast<std::size_t>(vertices.end() - others));
  return static_cast<std::size_t>(others - vertices.begin());
}

std::size_t Worklist::begin_in_turn(std::span<VertexId> vertices, Own& own) {
  active_ += vertices.size();
  std::size_t count = 0;
  for (const VertexId v : vertices) {
    const VertexStates::Before before = vertices_.begin_now(v);
    if (before != VertexStates::Before::inactive) ++own.left;  // it was counted before
    if (before != VertexStates::Before::processing) vertices[count++] = v;
  }
  return count;
}

std::size_t Worklist::take_residents(std::span<VertexId> into, std::size_t together, Own& own) {
  if (own.resident.empty()) take_shared_residents(own);
  std::size_t count = 0;
  Priority first = kQuiet;
  while (count < into.size() && !own.resident.empty()) {
    if (count >= together && own.resident.soonest() > first) break;
    const WaitingVertices::Entry entry = own.resident.pop();
    if (!vertices_.begin(entry.v)) continue;
    if (count == 0) first = entry.priority;
    into[count++] = entry.v;
  }
  return count;
}

// Not one at a time: of a chain, of which one vertex is active, each would go to another executor.
void Worklist::share_residents(Own& own) {
  // Relaxed: whether somebody else has nothing to do is only a hint.
  if (sleepers_.load(std::memory_order_relaxed) == 0) return;
  if (own.resident.size() < 2 * Shared::kMost) return;
  give_residents(own, own.resident.size() / 2);
}

void Worklist::give_residents(Own& own, std::size_t keep) {
  while (own.resident.size() > keep) {
    Shared shared;
    while (shared.resident_count < Shared::kMost && own.resident.size() > keep) {
      shared.residents[shared.resident_count++] = own.resident.pop();
    }
    enqueue(shared);
  }
}

bool Worklist::queue_lists_now(Own& own) {
  const bool some = !own.lists.empty();
  while (!own.lists.empty()) {
    Shared shared;
    while (shared.count < Shared::kMost && !own.lists.empty()) {
      const std::uint32_t b = own.lists.back();
      own.lists.pop_back();
      Block& block = blocks_[b];
      block.lock();
      shared.entries[shared.count++] = {.priority = block.priority, .block = b, .cached = false};
      block.unlock();
    }
    enqueue(shared);
  }
  return some;
}

// Relaxed, here and below: an executor that sees too little looks again under the lock before it
// sleeps.
void Worklist::take_shared_blocks(Own& own) {
  constexpr std::size_t kBlocks = 16;
  if (!shares_.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < kBlocks && !cached_.empty(); ++i) {
    const WaitingBlocks::Entry entry = cached_.pop();
    own.cached.push(entry.priority, entry.block, entry.position);
  }
  note_shares();
}

void Worklist::take_shared_residents(Own& own) {
  constexpr std::size_t kResidents = 1024;
  if (!shares_.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < kResidents && !residents_.empty(); ++i) {
    own.resident.push(residents_.pop());
  }
  note_shares();
}

void Worklist::note_shares() {
  shares_.store(!cached_.empty() || !residents_.empty(), std::memory_order_relaxed);
  shares_residents_.store(!residents_.empty(), std::memory_order_relaxed);
  first_share_.store(cached_.empty() ? kQuiet : cached_.first().priority,
                     std::memory_order_relaxed);
}

void Worklist::leave(std::size_t count) {
  if (count == 0) return;
  const std::size_t left = active_ -= count;
  if (left == 0) wake();
}

bool Worklist::wait() {
  std::unique_lock lock(mutex_);
  ++sleepers_;
  changed_.wait(lock, [&] { return shares_ || !uncached_.empty() || ended() || failed_; });
  --sleepers_;
  return !ended() && !failed_;
}

void Worklist::give_all(Own& own) {
  queue_lists_now(own);
  give_residents(own, 0);
  while (!own.cached.empty()) {
    Shared shared;
    while (shared.count < Shared::kMost && !own.cached.empty()) {
      const WaitingBlocks::Entry entry = own.cached.pop();
      shared.entries[shared.count++] = {entry.priority, entry.block, true};
    }
    enqueue(shared);
  }
}

bool Worklist::rest(Own& own, const Company& company) {
  give_all(own);
  has_left(own);
  // As if it were at the most urgent block of all, so that share_soonest() passes it over.
  reached_[own.executor].priority.store(std::numeric_limits<Priority>::min(),
                                        std::memory_order_relaxed);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !company.alone() || ended() || failed_; });
  return !ended() && !failed_;
}

void Worklist::wake() {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

void Worklist::fail() {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  changed_.notify_all();
}

Priority Worklist::priority(std::uint32_t b) {
  Block& block = blocks_[b];
  block.lock();
  const Priority priority = block.priority;
  block.unlock();
  return priority;
}

bool Worklist::may_come(BlockId b) {
  if (!rules_.keep || !assignment_.has_members(b)) return false;
  Block& block = blocks_[b];
  block.lock();
  const bool may = may_come(block);
  block.unlock();
  return may;
}

bool Worklist::read_ahead(BlockId b) {
  if (!rules_.keep || !assignment_.has_members(b)) return false;
  Block& block = blocks_[b];
  block.lock();
  const bool may = may_come(block);
  if (may) {
    block.state = BlockState::coming;
    block.ahead = true;
    ahead_.read();
  }
  block.unlock();
  return may;
}

void Worklist::loaded(std::uint32_t b, std::byte* frame, Own& own) {
  Shared shared;
  Block& block = blocks_[b];
  block.lock();
  block.set_data(frame);
  block.uses = 0;
  if (block.state == BlockState::coming) {
    block.state = BlockState::inactive;
  } else {
    queue_block(b, own, shared);
  }
  block.unlock();
  enqueue(shared);
}

bool Worklist::offered(std::uint32_t b, std::byte* frame, Own& own) {
  if (!rules_.keep) return false;
  Shared shared;
  Block& block = blocks_[b];
  block.lock();
  const bool waits = block.state == BlockState::uncached;
  const bool wanted = block.data() == nullptr && (waits || block.state == BlockState::inactive);
  if (wanted) {
    block.set_data(frame);
    block.uses = 0;
    if (waits) queue_block(b, own, shared);  // its place in the uncached queue is void
  }
  block.unlock();
  enqueue(shared);
  return wanted;
}

void Worklist::take_members(std::uint32_t b, std::vector<std::uint32_t>& members) {
  Block& block = blocks_[b];
  block.state = BlockState::processing;
  block.priority = kQuiet;
  block.edges = 0;
  blocks_.take(b, members);
  if (block.uses < std::numeric_limits<std::uint8_t>::max()) ++block.uses;
}

std::byte* Worklist::take(std::uint32_t b, std::vector<std::uint32_t>& members) {
  Block& block = blocks_[b];
  block.lock();
  take_members(b, members);
  std::byte* const data = block.data();
  block.unlock();
  return data;
}

void Worklist::take_again(std::uint32_t b, std::vector<std::uint32_t>& members) {
  Block& block = blocks_[b];
  block.lock();
  if (may_be_taken_again(block)) take_members(b, members);
  block.unlock();
}

Priority Worklist::priority_again(std::uint32_t b) {
  Block& block = blocks_[b];
  block.lock();
  const Priority priority = may_be_taken_again(block) ? block.priority : kQuiet;
  block.unlock();
  return priority;
}

std::size_t Worklist::finish(std::uint32_t b, Own& own, std::span<const std::uint32_t> members) {
  Shared shared;
  Block& block = blocks_[b];
  block.lock();
  const bool again = block.state == BlockState::reactivated;
  // Its frame goes with the next turn of the hand that asks for it.
  if (used_up(block) || !(again || rules_.keep)) block.set_data(nullptr);
  std::size_t members_again = 0;
  if (again) {
    for (const std::uint32_t member : members) {
      members_again += blocks_.contains(b, member) ? 1 : 0;
    }
    queue_block(b, own, shared);
  } else {
    block.state = BlockState::inactive;
  }
  block.unlock();
  enqueue(shared);
  if (!again) leave(1);
  return members_again;
}

bool Worklist::let_go(std::uint32_t b, const std::byte* frame) {
  Block& block = blocks_[b];
  block.lock();
  // A block with other data, or with none, has forgotten the frame already.
  const bool holds = block.data() == frame;
  const bool free = !holds || block.state == BlockState::inactive;
  if (holds && free) {
    block.set_data(nullptr);
    if (block.ahead) ahead_.lose();
    block.ahead = false;
  }
  block.unlock();
  return free;
}

std::uint64_t Worklist::memory_bytes() const {
  return assignment_.memory_bytes() + blocks_.memory_bytes() + cached_.memory_bytes() +
         uncached_.memory_bytes() + vertices_.memory_bytes() + residents_.memory_bytes();
}

}  // namespace outcore
