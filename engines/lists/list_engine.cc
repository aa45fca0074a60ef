// SPDX-License-Identifier: Apache-2.0
#include "engines/lists/list_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>

#include "common/error.h"
#include "common/sizes.h"
#include "common/stopwatch.h"
#include "engines/frames_too_small.h"
#include "engines/lists/list_heads.h"
#include "engines/lists/process_queue_block.h"
#include "engines/lists/stack_runner.h"
#include "storage/trace/trace.h"

namespace outcore {

namespace {

EngineOptions checked_options(const Layout& layout, const EngineOptions& options) {
  if (options.threads == 0) throw usage_error("--threads 0: at least one is needed");
  if (options.depth == 0) throw usage_error("--depth 0: at least one request must be in flight");
  EngineOptions checked = options;
  if (!checked.states) checked.states = std::make_shared<StateStore>();
  checked.threads = std::min(options.threads, options.depth);
  const std::uint64_t block = layout.facts().block_bytes;
  if (const std::uint64_t least = block * checked.threads; options.frames_bytes < least) {
    throw FramesTooSmall(
        options.frames_bytes,
        fmt::format("{} threads need a block of {} each", checked.threads, human_size(block)),
        least);
  }
  return checked;
}

// How many vertices' states are in memory at once if they are in files: 2 MB of an array of floats.
constexpr VertexId kStateWindow = 1 << 19;

unsigned share_of(unsigned depth, unsigned threads, unsigned worker) {
  return depth / threads + (worker < depth % threads ? 1 : 0);
}

// Clears those bits of the range for which f does not hold. REQUIRES: no other thread touches its
// words.
template <typename F>
void keep_where(Bitmap& bits, VertexRange range, const F& f) {
  bits.for_each(range.begin, range.end, [&](std::size_t v) {
    if (!f(static_cast<VertexId>(v))) bits.clear(v);
  });
}

BackendOptions door_options(const EngineOptions& checked, unsigned readers) {
  return backend_options(checked, share_of(checked.depth, readers, 0));
}

}  // namespace

std::vector<Parameter> ListEngine::parameters(std::vector<Parameter> own) {
  own.push_back({.name = "combine",
                 .fallback = "on",
                 .help = "where ids go by degree: workers add up messages to the first of them "
                         "before they tell them",
                 .choices = {"on", "off"}});
  return own;
}

ListEngine::ListEngine(const Layout& layout, const EngineOptions& options,
                       const std::vector<Parameter>& parameters, Readers readers)
    : layout_(layout),
      options_(checked_options(layout, options)),
      settings_(options.settings.or_defaults(parameters)),
      graph_(graph_of(layout)),
      executor_(options_.threads, watch_of(options_)),
      door_(layout.block_files(), options_.backend,
            door_options(options_, readers == Readers::one ? 1 : options_.threads)),
      messages_(options_.states),
      hole_budgets_(executor_.size(), HoleBudget(options_.most_holes)),
      hands_(executor_.size(), HandOver(layout)),
      combine_(settings_.text("combine") == "on"),
      spare_(graph_.id_space) {
  if (options.threads > options.depth) {
    report_.notes.push_back(
        fmt::format("{} of {} threads: each waits for requests of its own, and --depth {} is how "
                    "many may be in flight",
                    options.depth, options.threads, options.depth));
  }
}

unsigned ListEngine::depth_of(unsigned worker) const {
  return share_of(options_.depth, options_.threads, worker);
}

std::unique_ptr<WorkerFrames> ListEngine::open_frames() {
  const FrameSizes sizes(options_.frames_bytes, layout_.facts().block_bytes,
                         std::uint64_t{depth_of(0)} * options_.threads, options_.max_request_bytes);
  if (sizes.pool / sizes.slot < options_.depth) {
    note_once(
        fmt::format("frames hold {} requests of {}: no more are in flight, where --depth says {}",
                    sizes.pool / sizes.slot, human_size(sizes.slot), options_.depth));
  }
  std::vector<unsigned> depths;
  for (unsigned worker = 0; worker < executor_.size(); ++worker) depths.push_back(depth_of(worker));
  return std::make_unique<WorkerFrames>(door_, sizes, depths);
}

void ListEngine::note_once(const std::string& note) {
  std::vector<std::string>& notes = report_.notes;
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
}

std::uint32_t ListEngine::request_blocks() const {
  return std::max(1U, options_.max_request_bytes / layout_.facts().block_bytes);
}

MergeLimits ListEngine::merge_limits(std::uint32_t max_blocks) const {
  return {.max_blocks = max_blocks,
          .max_hole = options_.request_cost.hole_blocks(layout_.facts().block_bytes)};
}

void ListEngine::for_each_vertex(const VertexFn& f) {
  const ListIndex& index = layout_.index(Direction::out);
  for_each_range([&](VertexRange range) {
    std::vector<std::uint32_t> degrees(range.end - range.begin);
    index.degrees(range, degrees);
    f(range, degrees);
  });
}

void ListEngine::for_each_range(const RangeFn& f) {
  for_states(graph_.id_space, WindowPass::Use::changes,
             [&](unsigned, VertexRange range) { f(range); });
}

template <typename F>
void ListEngine::for_states(VertexId end, WindowPass::Use use, const F& f) {
  WindowPass pass(windows(), graph_.id_space, use);
  const VertexId window = pass.needed() ? kStateWindow : std::max<VertexId>(end, 1);
  const auto behind = [&](VertexId v) { return v + std::min(window, end - v); };
  for (VertexId begin = 0; begin < end; begin = behind(begin)) {
    pass.enter({begin, behind(begin)}, {behind(begin), behind(behind(begin))});
    executor_.parallel_for(
        begin, behind(begin), kVertexRange,
        [&](unsigned worker, std::size_t first, std::size_t last) {
          f(worker, VertexRange{static_cast<VertexId>(first), static_cast<VertexId>(last)});
        });
  }
}

void ListEngine::heads(unsigned k, const HeadsFn& f) {
  const ListHeads heads(layout_, Direction::out);
  if (k > heads.held()) {
    throw usage_error(fmt::format(
        "the first {} neighbours of each vertex are wanted, and this layout holds {} in memory; "
        "build it with --heads {}",
        k, heads.held(), k));
  }
  for_each_range([&](VertexRange range) {
    for (VertexId v = range.begin; v < range.end; ++v) f(v, heads.of(v, k));
  });
}

std::uint64_t ListEngine::edges_of(const Frontier& frontier) {
  return edges_of(frontier, layout_.index(Direction::out));
}

std::uint64_t ListEngine::edges_of(const Frontier& frontier, const ListIndex& index) {
  std::atomic<std::uint64_t> edges{0};
  if (frontier.is_sparse()) {
    for (const VertexId v : frontier.list()) edges += index.degree(v);
    return edges;
  }
  executor_.parallel_for(
      0, graph_.id_space, kVertexRange, [&](unsigned, std::size_t first, std::size_t last) {
        std::uint64_t sum = 0;
        frontier.bits().for_each(
            first, last, [&](std::size_t v) { sum += index.degree(static_cast<VertexId>(v)); });
        edges.fetch_add(sum, std::memory_order_relaxed);  // read when all ranges are through
      });
  return edges;
}

std::optional<std::uint64_t> ListEngine::bytes_of(Program& program, const Frontier& frontier,
                                                  Mode mode) {
  if (mode != Mode::pull) {
    return bytes_of_lists(frontier, Direction::out, layout_.block_files()[0].blocks());
  }
  // A reader that listens once needs no more of its list than the first request brings.
  const bool once = program.traits().hearing == Hearing::first;
  const BlockId most = once ? request_blocks() : layout_.block_files().back().blocks();
  Bitmap readers = listeners(program);
  const ListHeads heads(layout_, Direction::in);
  if (once && heads.held() > 0) {
    executor_.parallel_for(
        0, graph_.id_space, kVertexRange, [&](unsigned, std::size_t first, std::size_t last) {
          keep_where(readers, {static_cast<VertexId>(first), static_cast<VertexId>(last)},
                     [&](VertexId v) { return !heads.one_of(v, frontier.bits()); });
        });
  }
  return bytes_of_lists(Frontier::from_bits(std::move(readers)), Direction::in, most);
}

std::uint64_t ListEngine::bytes_of_lists(const Frontier& readers, Direction direction,
                                         BlockId most) {
  const ListIndex& index = layout_.index(direction);
  const BlockFile& file = layout_.block_files()[layout_.file(direction)];
  Bitmap wanted(file.blocks());
  const auto want = [&](VertexId v) {
    const std::uint64_t degree = index.degree(v);
    if (degree == 0 || index.is_inline(degree)) return;
    const ListAddress list = index.address(v);
    const BlockId first = index.first_block(list);
    const BlockId end = std::min(index.last_block(list) + 1, first + most);
    for (BlockId block = first; block < end; ++block) wanted.set(block);
  };
  if (readers.is_sparse()) {
    std::for_each(readers.list().begin(), readers.list().end(), want);
  } else {
    executor_.parallel_for(
        0, graph_.id_space, kVertexRange, [&](unsigned, std::size_t first, std::size_t last) {
          readers.bits().for_each(first, last,
                                  [&](std::size_t v) { want(static_cast<VertexId>(v)); });
        });
  }
  return wanted.count() * file.block_bytes;
}

Access ListEngine::access() const {
  return executor_.size() == 1 ? Access::exclusive : Access::shared;
}

// The vertices whose cache lines workers would take from one another: as many as half of a usual
// second-level cache holds messages for, but few compared to the vertices whose messages are not
// kept back.
VertexId ListEngine::combined_vertices(const Traits& traits) const {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  constexpr VertexId kOneIn = 64;
  const bool by_degree = layout_.choices().number == "degree";
  if (!combine_ || !by_degree || !traits.combines || executor_.size() == 1) return 0;
  const std::size_t most = kBytes / std::max<std::size_t>(traits.message_bytes, 1);
  return static_cast<VertexId>(std::min<std::size_t>(most, graph_.id_space / kOneIn));
}

// Do the lists of `frontier` leave out so few edges that reading these too is cheaper than leaving
// them out? Pulling needs no atomics, and a queue of all blocks is kept from one round to the next:
// WCC on Kronecker 23 has two rounds that hear 98% of the edges; pushing them took 0.87 and 0.67 s,
// pulling them takes 0.5 s each.
bool ListEngine::may_all_speak(const Traits& traits, const Frontier& frontier, Direction direction,
                               Mode mode) {
  constexpr std::uint64_t kLeftOut = 16;  // at most one edge in so many

  if (!traits.combines || traits.hearing != Hearing::repeatable || mode != Mode::any) return false;
  if (direction != Direction::out) return false;            // edges_of() counts out-edges
  if (frontier.size() < graph_.vertices / 4) return false;  // spares the count
  return (graph_.edges - edges_of(frontier)) * kLeftOut <= graph_.edges;
}

// If emit() changes nothing, the messages of vertices without edges are not taken.
void ListEngine::take_all_messages(Round& round, const Frontier& frontier, const ListIndex& index) {
  messages_.make_room(std::size_t{graph_.id_space} * round.traits.message_bytes);
  if (frontier.is_sparse()) {
    for (const VertexId v : frontier.list()) {
      take_messages(round.program, index, {&v, 1}, round.messages());
    }
    return;
  }
  const VertexId end = round.traits.newest_is_enough() ? index.listed() : graph_.id_space;
  // Where the newest message is enough, emit() changes nothing.
  const auto use =
      round.traits.newest_is_enough() ? WindowPass::Use::reads : WindowPass::Use::changes;
  for_states(end, use, [&](unsigned, VertexRange range) {
    std::vector<VertexId> active;
    frontier.bits().for_each(range.begin, range.end,
                             [&](std::size_t v) { active.push_back(static_cast<VertexId>(v)); });
    take_messages(round.program, index, active, round.messages());
  });
}

void ListEngine::take_straddlers(Round& round, std::span<const VertexId> straddlers) {
  round.straddlers = straddlers;
  messages_.make_room(straddlers.size() * round.traits.message_bytes);
  for (std::size_t i = 0; i < straddlers.size(); ++i) {
    const Source source = source_of(round.lists.index, straddlers[i]);
    round.program.begin({&source, 1}, round.messages().from(i));
  }
}

// In a dense round vertices without edges exchange no messages: there is nothing to do for them.
void ListEngine::read_blocks(Round& round, const Frontier& readers, BlockQueue& queue,
                             std::span<const std::unique_ptr<BlockSource>> sources,
                             const KeptBlocks* kept) {
  queue.build(executor_, readers, round.lists.index, round.lists.blocks(),
              round.dense ? BlockQueue::Edgeless::left_out : BlockQueue::Edgeless::named);
  if (!round.dense) take_straddlers(round, queue.straddlers());
  read_blockless(queue.blockless());
  process_queue_block({round, executor_, hands_, sources, kept}, queue,
                      merge_limits(sources.front()->most_blocks()), hole_budgets_.front());
}

void ListEngine::read_blockless(std::span<const VertexId> vertices) {
  executor_.parallel_for(0, vertices.size(), kVertexRange,
                         [&](unsigned worker, std::size_t first, std::size_t last) {
                           for (; first < last; ++first) {
                             hands_[worker].add_inline(vertices[first]);
                           }
                           hands_[worker].flush();
                         });
}

Bitmap ListEngine::listeners(Program& program) {
  Bitmap listening(graph_.id_space);
  // Most programs look at no state here, so that none is brought into memory.
  executor_.parallel_for(
      0, graph_.id_space, kVertexRange, [&](unsigned, std::size_t first, std::size_t last) {
        program.listening({static_cast<VertexId>(first), static_cast<VertexId>(last)}, listening);
      });
  return listening;
}

// Those that hear from memory all that they need, of their first neighbours, need not read their
// lists.
void ListEngine::hear_heads(const Round& round, Bitmap& readers) {
  const ListHeads heads(layout_, round.lists.direction);
  const ListIndex& index = round.lists.index;
  if (heads.held() == 0 || round.traits.hearing != Hearing::first) return;
  executor_.parallel_for(
      0, graph_.id_space, kVertexRange, [&](unsigned worker, std::size_t first, std::size_t last) {
        readers.for_each(first, last, [&](std::size_t i) {
          const auto v = static_cast<VertexId>(i);
          const std::uint64_t degree = index.degree(v);
          if (index.is_inline(degree)) return;
          const std::span<const VertexId> ids = heads.of(v);
          hands_[worker].add(Piece{.v = v,
                                   .slot = v,
                                   .count = static_cast<std::uint32_t>(ids.size()),
                                   .degree = static_cast<std::uint32_t>(degree),
                                   .ids = ids.data()});
        });
        hands_[worker].flush();
        keep_where(readers, {static_cast<VertexId>(first), static_cast<VertexId>(last)},
                   [&](VertexId v) { return round.program.listens(v); });
      });
}

void ListEngine::settle_all(Program& program, std::vector<Collector>& collectors) {
  for_states(graph_.id_space, WindowPass::Use::changes, [&](unsigned worker, VertexRange range) {
    program.settle(range, collectors[worker]);
  });
}

void ListEngine::begin(const Round& run, std::span<Activations* const> outs) {
  if (options_.trace != nullptr) options_.trace->begin_round(trace_rounds_++);
  for (unsigned worker = 0; worker < executor_.size(); ++worker) {
    outs[worker]->leave_out(silent(run.traits));
    hands_[worker].start(run, *outs[worker]);
  }
}

VertexRange ListEngine::silent(const Traits& traits) const {
  if (traits.echoes || !graph_.symmetric) return {};
  return layout_.index(Direction::out).leaves();
}

HandOver::Counts ListEngine::end() {
  const auto keeps_back = [](const HandOver& hands) { return hands.keeps_back(); };
  if (std::any_of(hands_.begin(), hands_.end(), keeps_back)) {
    executor_.run([&](unsigned worker) {
      if (keeps_back(hands_[worker])) hands_[worker].deliver();
    });
  }
  HandOver::Counts sum;
  for (HandOver& hands : hands_) {
    hands.note_rest();
    sum.add(hands.counts());
  }
  report_.edges_processed += sum.edges;
  report_.counts["messages_combined"] += sum.combined;
  touched_bytes_ += sum.touched_bytes;
  return sum;
}

void ListEngine::converge(Program& program, Frontier&& frontier) {
  while (!frontier.empty()) {
    frontier = round(program, std::move(frontier), Direction::out, Mode::any);
  }
}

bool ListEngine::pulls(Program& program, const Frontier& frontier, Direction /*direction*/,
                       Mode mode) {
  const bool everything = frontier.size() == graph_.vertices;
  return program.traits().combines && (mode == Mode::pull || (mode == Mode::any && everything));
}

Frontier ListEngine::round(Program& program, Frontier&& frontier, Direction direction, Mode mode) {
  const Stopwatch watch;
  const Traits traits = program.traits();
  RoundReport report{.frontier = frontier.size()};
  if (all_may_speak() && may_all_speak(traits, frontier, direction, mode)) {
    frontier = Frontier::all(graph_);
  }
  const bool everything = frontier.size() == graph_.vertices;
  report.pull = pulls(program, frontier, direction, mode);
  const Direction reverse = direction == Direction::out ? Direction::in : Direction::out;

  const DirectedLists lists(layout_, report.pull ? reverse : direction, options_);
  used_blocks_.assign(blocks_of(lists));
  const bool beforehand = takes_beforehand(traits, report.pull);
  Round round{.program = program,
              .traits = traits,
              .lists = lists,
              .pull = report.pull,
              .dense = report.pull || beforehand,
              .active = everything ? nullptr : &frontier.bits(),
              .slots = messages_,
              .access = access(),
              // A small frontier has too few messages to be worth a combiner's slots.
              .combined = report.pull || frontier.is_sparse() ? 0 : combined_vertices(traits),
              .used_blocks = &used_blocks_};
  Frontier next = std::exchange(spare_, Frontier(0));
  round.activated = &next.bits();
  std::vector<Collector> collectors(executor_.size(),
                                    Collector(next, /*alone=*/false, options_.events));
  std::vector<Activations*> outs;
  for (Collector& collector : collectors) outs.push_back(&collector);
  round.collectors = collectors;
  if (beforehand) take_all_messages(round, frontier, layout_.index(direction));
  const IoCounters before = io();
  note_round_began(options_, report_.rounds.size(), report.frontier, report.pull);
  begin(round, outs);
  if (round.pull) {
    Bitmap readers = listeners(program);
    hear_heads(round, readers);
    read(round, Frontier::from_bits(std::move(readers)), outs);
  } else {
    read(round, frontier, outs);
  }
  report.edges = end().edges;
  if (traits.settles && !round.settled) settle_all(program, collectors);
  next.adopt(collectors);
  const std::uint64_t activations_before = report_.activations;
  for (const Collector& collector : collectors) report_.activations += collector.reported();
  note_round_ended(options_, report_.rounds.size(), report_.activations - activations_before);
  report_.vertices_processed += frontier.size();
  report.seconds = watch.seconds();
  report_round(report, before);
  frontier.clear();
  spare_ = std::move(frontier);
  return next;
}

void ListEngine::report_round(RoundReport& round, const IoCounters& before) {
  const IoCounters after = io();
  round.requests = after.requests - before.requests;
  round.requested_bytes = after.requested_bytes - before.requested_bytes;
  round.blocks = used_blocks_.count();
  tell_own(round);
  report_.rounds.push_back(round);
  if (options_.rounds_done != nullptr) ++*options_.rounds_done;
}

std::unique_ptr<TaskLists> ListEngine::task_lists(Direction direction, unsigned worker) {
  const DirectedLists lists(layout_, direction, options_);
  return std::make_unique<LayoutTaskLists>(lists, hands_[worker], worker);
}

void ListEngine::drive(TaskProgram& program, std::span<const Task> tasks, Direction direction) {
  if (!traits().drive) Engine::drive(program, tasks, direction);  // throws
  if (options_.trace != nullptr) options_.trace->begin_round(trace_rounds_++);
  std::vector<BlockSource*> sources;
  std::size_t most = 0;
  for (unsigned worker = 0; worker < executor_.size(); ++worker) {
    sources.push_back(&list_source(direction, worker));
    most += sources.back()->depth();
    hands_[worker].start();
  }
  TaskStacks stacks(tasks, most, program.stack_threshold());
  executor_.run([&](unsigned worker) {
    const std::unique_ptr<TaskLists> lists = task_lists(direction, worker);
    StackRunner(program, stacks, *lists, *sources[worker], hands_[worker]).work();
  });
  report_.vertices_processed += end().vertices;
  report_.counts["stack_splits"] += stacks.splits();
}

IoCounters ListEngine::io() const {
  IoCounters io = door_.counters();
  io.touched_bytes += touched_bytes_;
  return io;
}

EngineReport ListEngine::report() const {
  EngineReport report = report_;
  report.io = io();
  report.backend = door_.backend().name();
  report.backend_traits = door_.backend().traits();
  const std::vector<std::string> notes = door_.backend().notes();
  report.notes.insert(report.notes.end(), notes.begin(), notes.end());
  std::uint64_t combiners = 0;
  for (const HandOver& hands : hands_) combiners += hands.combiner_bytes();
  report.memory = {{"index", layout_.index_bytes()},
                   {"messages", messages_.memory_bytes() + combiners}};
  add_own(report);
  if (const StateWindows::Bytes bytes = options_.states->windows().bytes();
      bytes.read + bytes.written > 0) {
    report.counts["state_read_bytes"] = bytes.read;
    report.counts["state_written_bytes"] = bytes.written;
  }
  return report;
}

}  // namespace outcore
