// SPDX-License-Identifier: Apache-2.0
#include "engines/async_block/prefetcher.h"

#include <algorithm>
#include <numeric>

namespace outcore {

Prefetcher::Prefetcher(Run& run, FrameRing& frames, Worklist::Own& own,
                       std::unique_ptr<DoorChannel>& channel, HoleBudget& holes, unsigned depth,
                       BeginLong begin_long, UsePieces use_pieces)
    : run_(run),
      frames_(frames),
      own_(own),
      channel_(channel),
      holes_(holes),
      depth_(depth),
      begin_long_(std::move(begin_long)),
      use_pieces_(std::move(use_pieces)),
      arrivals_(depth),
      free_arrivals_(depth),
      tags_(depth),
      pulled_(std::max(run.limits.max_blocks, depth)) {
  std::iota(free_arrivals_.rbegin(), free_arrivals_.rend(), 0U);
}

Prefetcher::~Prefetcher() {
  if (channel_->in_flight() > 0) channel_.reset();
}

// Blocks that were taken from the worklist before are requested first; otherwise new blocks would
// take all frames, and no long list would ever be finished.
void Prefetcher::preload(bool order_matters) {
  order_matters_ = order_matters;
  if (is_reading()) collect(0);
  // Waits until several requests can be made at once, because each call to the kernel has a cost.
  if (channel_->in_flight() > depth_ * 3 / 4) return;
  ask();
  const std::size_t left = frames_left();
  const bool few = own_.cached.size() < run_.ahead && left > 0;
  if (wanted_.empty() && has_room() &&
      (few || (order_matters && run_.worklist.uncached_is_sooner(own_)))) {
    const std::size_t most = few ? pulled_.size() : run_.limits.max_blocks;
    const std::size_t count =
        run_.worklist.pull(std::span(pulled_).first(std::clamp<std::size_t>(left, 1, most)));
    for (const std::uint32_t block : std::span(pulled_).first(count)) want(block);
    ask();
  }
  channel_->flush();
}

// How many of half of its frames are neither full of what waits nor being filled. In the other half
// blocks stay that were processed: two executors that had asked for more blocks than fit lost what
// each had just left to the other, and the least label, which was the last to come, waited for the
// device at each of them.
std::size_t Prefetcher::frames_left() const {
  const std::size_t half = (frames_.size() + 1) / 2;
  return half - std::min(half, own_.cached.size() + under_way_);
}

void Prefetcher::ask_for_rest() {
  ask();
  channel_->flush();
}

void Prefetcher::want(std::uint32_t block) {
  const Assignment& assignment = run_.worklist.assignment();
  const BlockId first = assignment.position(block);
  wanted_.add({block, first, assignment.is_long(block) ? begin_long_(block) : first + 1,
               run_.worklist.is_waited_for(block) ? run_.worklist.priority(block) : kQuiet});
}

// Makes as many requests as are allowed and as there are frames for.
void Prefetcher::ask() {
  while (has_room() && !wanted_.empty()) {
    BlockRun run = wanted_.plan(run_.limits, holes_.left());
    const std::uint32_t ahead = blocks_ahead(run);
    const FrameRing::Run frames =
        frames_.take(run.blocks + ahead, [&](std::uint32_t held, const std::byte* frame) {
          if (!run_.worklist.let_go(held, frame)) return false;
          run_.round.lists.note_dropped(held);
          return true;
        });
    if (frames.frames == 0) return;
    run.blocks = std::min(run.blocks, frames.frames);
    const std::uint32_t number = free_arrivals_.back();
    free_arrivals_.pop_back();
    Arrival& arrival = arrivals_[number];
    const std::uint64_t holes = wanted_.take(run, arrival.parts);
    holes_.need(run.blocks - holes);
    holes_.spend(holes);
    arrival.soonest = WantedBlocks::soonest_of(arrival.parts);
    if (ahead > 0) read_ahead(run, frames.frames - run.blocks, arrival.parts);
    for (std::uint32_t f = run.blocks; f < frames.frames; ++f) frames_.give(frames.first + f);
    arrival.first = run.first;
    arrival.blocks = run.blocks;
    under_way_ += run.blocks;
    arrival.frame = frames.first;
    channel_->holes(holes * run_.round.lists.block_bytes());
    // It has room, so it takes the request.
    channel_->read(run_.round.lists.file, run.first, run.blocks, frames_.frame(frames.first),
                   number);
  }
}

template <typename F>
BlockRun Prefetcher::widened(BlockRun run, std::uint32_t most, F&& f) const {
  const BlockId longest = run_.limits.max_blocks;
  const BlockId begin = run.first / longest * longest;
  for (; most > 0 && run.first + run.blocks < begin + longest; --most, ++run.blocks) {
    if (!f(run.first + run.blocks)) break;
  }
  for (; most > 0 && run.first > begin && f(run.first - 1); --most, ++run.blocks) --run.first;
  return run;
}

// How many blocks that are not wanted may be read with the run, as things stand.
std::uint32_t Prefetcher::blocks_ahead(const BlockRun& run) const {
  const std::uint32_t most = std::min(run_.worklist.may_read_ahead(depth_, order_matters_),
                                      run_.limits.max_blocks - run.blocks);
  return widened(run, most, [&](BlockId b) { return run_.worklist.may_come(b); }).blocks -
         run.blocks;
}

void Prefetcher::read_ahead(BlockRun& run, std::uint32_t most, std::vector<Part>& parts) {
  run = widened(run, most, [&](BlockId b) {
    if (!run_.worklist.read_ahead(b)) return false;
    parts.push_back({static_cast<std::uint32_t>(b), b, b + 1, kQuiet});
    return true;
  });
}

void Prefetcher::collect(std::size_t at_least) {
  const std::size_t arrived = channel_->reap(tags_, at_least);
  for (std::size_t i = 0; i < arrived; ++i) receive(static_cast<std::uint32_t>(tags_[i]));
}

void Prefetcher::receive(std::uint32_t number) {
  Arrival& arrival = arrivals_[number];
  under_way_ -= arrival.blocks;
  arrival.soonest = kQuiet;
  const std::uint32_t frame = arrival.frame;
  for (std::uint32_t i = 0; i < arrival.blocks; ++i) frames_.give(frame + i);
  for (const Part& part : arrival.parts) {
    const auto at = frame + static_cast<std::uint32_t>(part.begin - arrival.first);
    if (run_.worklist.assignment().is_long(part.block)) {
      use_pieces_(part, at);
    } else {
      frames_.holds(at, part.block);
      run_.worklist.loaded(part.block, frames_.frame(at), own_);
    }
  }
  keep_holes(arrival);
  arrival.parts.clear();
  free_arrivals_.push_back(number);
}

// What came in holes may be wanted soon: neighbours in the file are often neighbours in the graph.
void Prefetcher::keep_holes(const Arrival& arrival) {
  BlockId at = arrival.first;
  for (const Part& part : arrival.parts) {
    for (; at < part.begin; ++at) {
      const auto f = arrival.frame + static_cast<std::uint32_t>(at - arrival.first);
      const auto block = static_cast<std::uint32_t>(at);
      if (run_.worklist.offered(block, frames_.frame(f), own_)) frames_.holds(f, block);
    }
    at = std::max(at, part.end);
  }
}

}  // namespace outcore
