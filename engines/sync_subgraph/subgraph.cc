// SPDX-License-Identifier: Apache-2.0
#include "engines/sync_subgraph/subgraph.h"

#include <algorithm>
#include <numeric>

#include "engines/layout_graph.h"
#include "engines/sync_subgraph/turn_lists.h"
#include "storage/trace/trace.h"

namespace outcore {

namespace {

constexpr std::uint64_t kTurnBytes = 128 << 10;  // of lists that a worker takes at once
constexpr std::uint64_t kTurnsAWorker = 4;       // at least, where an interval is small

// Blocks that nothing is taken from.
void pass_over(const Turn& turn, TurnReader& blocks) {
  const Shard shard = turn.shards->shard(turn.vertices);
  for (BlockId block = shard.first; block < shard.end; ++block) {
    if (blocks.block(block) == nullptr) return;
  }
}

}  // namespace

// What a run() has at hand.
struct FullRounds::Work {
  Round& round;
  const Bitmap& readers;
  std::span<HandOver> hands;
  std::span<Activations* const> outs;
  Bitmap speaking = {};  // by interval: the frontier, and those that changed since
};

void Subgraph::make_room(EdgeIndex edges, bool weighted) {
  if (memory_ && edges <= edges_) return;
  constexpr std::size_t kPage = 4096;
  const std::size_t bytes = edges * (sizeof(VertexId) + (weighted ? sizeof(float) : 0));
  edges_ = edges;
  weighted_ = weighted;
  memory_.emplace(1, (bytes + kPage - 1) / kPage * kPage, 0);
}

DecodeBuffer Subgraph::behind(EdgeIndex edge) const {
  auto* const ids = reinterpret_cast<VertexId*>(memory_->memory().data());
  auto* const weights = reinterpret_cast<float*>(ids + edges_);
  return {ids + edge, weighted_ ? weights + edge : nullptr};
}

FullRounds::FullRounds(const Layout& layout, std::span<const Shards> directions,
                       const Intervals& intervals, const FullRoundChoices& choices,
                       Executor& executor, Door& door, TraceWriter* trace)
    : layout_(layout),
      directions_(directions),
      intervals_(intervals),
      choices_(choices),
      executor_(executor),
      kept_slots_(choices.kept_bytes / choices.slot_bytes),
      loader_(door, choices.slot_bytes, choices.slots_in_turn, kept_slots_,
              [this, trace](const ShardPart& part) {
                if (trace == nullptr) return;
                const std::uint32_t units = layout_.facts().block_bytes / 4096;
                trace->note(0, part.file, part.run.first * units, part.run.blocks * units);
              }),
      decoded_(executor.size(), DecodeSpace(layout.pieces())) {}

// --- Plans ---

const FullRounds::Plan& FullRounds::plan(const DirectedLists& lists) {
  std::optional<Plan>& plan = plans_[lists.file];
  if (plan) return *plan;
  const Shards& in = directions_[lists.file];
  // Of a symmetric graph the out-shard is the in-shard.
  const bool both = choices_.both_shards && directions_.size() > 1;
  plan.emplace();
  for (std::uint32_t i = 0; i < intervals_.count(); ++i) {
    plan->push_back(
        plan_interval(intervals_[i], in, both ? &directions_[1 - lists.file] : nullptr));
  }
  if (choices_.construction == Construction::fused) return *plan;
  EdgeIndex most = 0;
  for (const IntervalPlan& interval : *plan) {
    if (!interval.streamed) most = std::max(most, interval.in_edges + interval.out_edges);
  }
  subgraph_.make_room(most, layout_.pieces().weighted());
  return *plan;
}

FullRounds::IntervalPlan FullRounds::plan_interval(VertexRange vertices, const Shards& in,
                                                   const Shards* out) {
  IntervalPlan plan;
  plan.vertices = vertices;
  plan.in_edges = in.edges(vertices);
  add_shard(plan, in, plan.in_turns);
  if (out != nullptr) {
    plan.out_edges = out->edges(vertices);
    add_shard(plan, *out, plan.out_turns);
  }
  plan.streamed = plan.in_edges + plan.out_edges > choices_.room.constructed_edges;
  return plan;
}

void FullRounds::add_shard(IntervalPlan& plan, const Shards& shards, std::vector<Turn>& turns) {
  const std::size_t first_part = plan.parts.size();
  const Shard shard = shards.shard(plan.vertices);
  for (BlockId block = shard.first; block < shard.end; block += part_blocks()) {
    const auto blocks =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(part_blocks(), shard.end - block));
    plan.parts.push_back({.file = shards.file(), .run = {block, blocks}});
    if (kept_used_ < kept_slots_) plan.parts.back().kept = kept_used_++;
  }
  const std::uint64_t turn_bytes =
      std::clamp(shards.bytes(plan.vertices) / (kTurnsAWorker * executor_.size()),
                 shards.block_bytes(), kTurnBytes);
  EdgeIndex edges = 0;
  for (VertexId v = plan.vertices.begin; v < plan.vertices.end;) {
    const VertexId most = v + std::min(kVertexRange, plan.vertices.end - v);
    const VertexId end = shards.at(shards.position(v) + turn_bytes, v + 1, most);
    turns.push_back({{v, end}, &shards, shard, first_part, edges});
    if (choices_.construction != Construction::fused) edges += shards.edges({v, end});
    v = end;
  }
}

std::uint32_t FullRounds::part_blocks() const {
  return static_cast<std::uint32_t>(choices_.slot_bytes / layout_.facts().block_bytes);
}

// --- A round ---

void FullRounds::run(Round& round, const Frontier& readers, const Way& way,
                     std::span<HandOver> hands, std::span<Activations* const> outs) {
  Work work{round, readers.bits(), hands, outs};
  if (way.by_interval && round.active != nullptr) {
    work.speaking = *round.active;
    round.active = &work.speaking;
  }
  std::vector<LoadedInterval> intervals;
  std::vector<ShardPart> parts;
  for (const IntervalPlan& interval : plan(round.lists)) {
    if (way.skip && !work.readers.any(interval.vertices.begin, interval.vertices.end)) {
      settle(work, interval.vertices, 0);
      continue;
    }
    intervals.push_back({&interval, parts.size()});
    parts.insert(parts.end(), interval.parts.begin(), interval.parts.end());
    counts_.edges_loaded += interval.in_edges + interval.out_edges;
  }
  counts_.intervals += intervals.size();
  loader_.start(std::move(parts));
  try {
    process_all(work, intervals, way.by_interval);
  } catch (...) {
    loader_.abandon();
    throw;
  }
  loader_.finish();
  round.settled = true;
}

void FullRounds::process_all(Work& work, std::span<const LoadedInterval> intervals,
                             bool by_interval) {
  if (!by_interval && choices_.construction == Construction::fused) {
    hand_over(work, intervals);  // no interval waits for another
    return;
  }
  for (const LoadedInterval& interval : intervals) {
    const bool fused = choices_.construction == Construction::fused || interval.plan->streamed;
    if (fused) {
      hand_over(work, {&interval, 1});
    } else {
      construct(work, interval);
    }
    for (unsigned done = 0; !fused && done < choices_.updates; ++done) {
      const std::uint64_t before = reported(work);
      update(work, *interval.plan);
      if (by_interval) synchronise(work, interval.plan->vertices);
      if (!by_interval || reported(work) == before) break;  // nothing more would change
    }
    if (fused && by_interval) synchronise(work, interval.plan->vertices);
  }
}

// Are they the round's lists, not those of the other shard?
bool FullRounds::is_heard(const Work& work, const Turn& turn) {
  return &turn.shards->index() == &work.round.lists.index;
}

// Activations so far, once the collectors are drained.
std::uint64_t FullRounds::reported(const Work& work) {
  std::uint64_t sum = 0;
  for (const Collector& collector : work.round.collectors) sum += collector.reported();
  return sum;
}

void FullRounds::fill(TurnQueue& turns, std::span<const LoadedInterval> intervals) {
  for (const LoadedInterval& interval : intervals) {
    turns.add(interval.plan->in_turns, interval.first_part);
    turns.add(interval.plan->out_turns, interval.first_part);
  }
  if (!intervals.empty()) {
    turns.end_at(intervals.back().first_part + intervals.back().plan->parts.size());
  }
}

// f(worker, turn, its blocks) for each turn, by so many workers; adds what they took.
template <typename F>
void FullRounds::take_turns(TurnQueue& turns, unsigned workers, Seconds& seconds, const F& f) {
  std::vector<double> busy(workers, 0);
  const auto work = [&](unsigned worker) {
    try {
      while (!executor_.stopping()) {
        const Turn* turn = turns.take(worker);
        if (turn == nullptr) break;
        const Stopwatch watch;
        TurnReader blocks(turns, *turn, worker);
        f(worker, *turn, blocks);
        busy[worker] += watch.seconds() - blocks.waited();
      }
    } catch (...) {
      loader_.abandon();
      throw;
    }
  };
  if (workers == 1) {
    work(0);
  } else {
    executor_.run(work);
  }
  add(seconds, busy);
}

void FullRounds::add(Seconds& seconds, std::span<const double> busy) {
  seconds.wall += *std::max_element(busy.begin(), busy.end());
  seconds.processors += std::accumulate(busy.begin(), busy.end(), 0.0);
}

// --- Fused, or streamed ---

void FullRounds::hand_over(Work& work, std::span<const LoadedInterval> intervals) {
  TurnQueue turns(loader_, executor_.size(), part_blocks());
  fill(turns, intervals);
  take_turns(turns, executor_.size(), update_,
             [&](unsigned worker, const Turn& turn, TurnReader& blocks) {
               if (!is_heard(work, turn)) {
                 pass_over(turn, blocks);
                 return;
               }
               TurnLists lists(layout_, turn, blocks, work.hands[worker], true);
               lists.hand_over(work.round, work.readers);
               settle(work, turn.vertices, worker);
             });
}

// --- Constructed ---

void FullRounds::construct(Work& work, const LoadedInterval& interval) {
  const unsigned workers = choices_.construction == Construction::serial ? 1 : executor_.size();
  TurnQueue turns(loader_, workers, part_blocks());
  fill(turns, {&interval, 1});
  take_turns(turns, workers, construct_,
             [&](unsigned worker, const Turn& turn, TurnReader& blocks) {
               const bool heard = is_heard(work, turn);
               const EdgeIndex at = turn.edges_before + (heard ? 0 : interval.plan->in_edges);
               TurnLists(layout_, turn, blocks, work.hands[worker], heard)
                   .construct(subgraph_.behind(at), decoded_[worker].behind(0));
             });
  counts_.edges_constructed += interval.plan->in_edges + interval.plan->out_edges;
}

void FullRounds::update(Work& work, const IntervalPlan& interval) {
  std::vector<double> busy(executor_.size(), 0);
  executor_.parallel_for(0, interval.in_turns.size(), 1,
                         [&](unsigned worker, std::size_t first, std::size_t last) {
                           const Stopwatch watch;
                           for (; first < last; ++first) {
                             update_turn(work, interval.in_turns[first], worker);
                             settle(work, interval.in_turns[first].vertices, worker);
                           }
                           busy[worker] += watch.seconds();
                         });
  add(update_, busy);
}

void FullRounds::update_turn(const Work& work, const Turn& turn, unsigned worker) {
  HandOver& hands = work.hands[worker];
  const ListIndex& index = turn.shards->index();
  DecodeBuffer at = subgraph_.behind(turn.edges_before);
  const VertexId end = std::min(turn.vertices.end, index.listed());
  for (VertexId v = turn.vertices.begin; v < end; ++v) {
    const auto degree = static_cast<std::uint32_t>(index.degree(v));
    if (degree > 0 && work.readers.get(v)) {
      hands.add({.v = v,
                 .slot = v,
                 .count = degree,
                 .degree = degree,
                 .ids = at.ids,
                 .weights = at.weights});
    }
    at.ids += degree;
    if (at.weights != nullptr) at.weights += degree;
  }
  hands.flush();
}

// Old-copy := Latest-copy, of the vertices that changed.
void FullRounds::synchronise(Work& work, VertexRange interval) {
  const Stopwatch watch;
  for (Activations* out : work.outs) out->drain();
  Round& round = work.round;
  const Direction along = round.lists.direction == Direction::out ? Direction::in : Direction::out;
  const bool takes = round.traits.takes_all_messages(/*pull=*/true);
  executor_.parallel_for(interval.begin, interval.end, kVertexRange,
                         [&](unsigned, std::size_t first, std::size_t last) {
                           std::vector<VertexId> changed;
                           round.activated->for_each(first, last, [&](std::size_t v) {
                             changed.push_back(static_cast<VertexId>(v));
                             if (round.active != nullptr) work.speaking.set(v);
                           });
                           if (!takes) return;
                           take_messages(round.program, layout_.index(along), changed,
                                         round.messages());
                         });
  synchronise_ += watch.seconds();
}

void FullRounds::settle(const Work& work, VertexRange vertices, unsigned worker) {
  if (work.round.traits.settles) work.round.program.settle(vertices, *work.outs[worker]);
}

}  // namespace outcore
