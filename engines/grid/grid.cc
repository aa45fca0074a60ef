// SPDX-License-Identifier: Apache-2.0
#include "engines/grid/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "common/error.h"
#include "common/sizes.h"
#include "common/stopwatch.h"
#include "engines/frames_too_small.h"
#include "engines/graph_of.h"
#include "storage/trace/trace.h"

namespace outcore {

namespace {

constexpr VertexId kIdsAtOnce = 16384;    // ids in a worker's turn
constexpr EdgeIndex kBatchEdges = 16384;  // that programs are given at once
constexpr std::uint32_t kIntervals = 8;   // of a round, or fewer
constexpr std::uint64_t kLeastSlots = 2;  // a part is applied while the next one comes

// Bytes of all columns of the layout for each block of one of ids.
std::uint64_t part_bytes(const EdgeLayout& layout, std::uint32_t part_blocks) {
  return EdgeStream::slot_bytes(layout, part_blocks);
}

EngineOptions checked_options(const EdgeLayout& layout, const EngineOptions& options) {
  if (options.threads == 0) throw usage_error("--threads 0: at least one is needed");
  if (options.depth == 0) throw usage_error("--depth 0: at least one request must be in flight");
  EngineOptions checked = options;
  if (!checked.states) checked.states = std::make_shared<StateStore>();
  checked.threads = std::min(options.threads, options.depth);
  const std::uint64_t least = kLeastSlots * checked.threads * part_bytes(layout, 1);
  if (options.frames_bytes < least) {
    throw FramesTooSmall(
        options.frames_bytes,
        fmt::format("each of {} threads applies a block of {} of each column while the next ones "
                    "come",
                    checked.threads, human_size(layout.facts().block_bytes)),
        least);
  }
  return checked;
}

// The largest request that leaves each worker two parts.
std::uint32_t part_blocks_of(const EdgeLayout& layout, const EngineOptions& checked) {
  const std::uint64_t block = layout.facts().block_bytes;
  const std::uint64_t widest = layout.file(EdgeColumn::weights)
                                   ? layout.blocks_for_each(EdgeColumn::weights)
                                   : layout.blocks_for_each(EdgeColumn::sources);
  const std::uint64_t request =
      std::max<std::uint64_t>(1, checked.max_request_bytes / block / widest);
  const std::uint64_t room =
      checked.frames_bytes / checked.threads / kLeastSlots / part_bytes(layout, 1);
  return static_cast<std::uint32_t>(std::min(request, room));
}

}  // namespace

// What the workers of a round share.
struct GridEngine::Pass {
  Program& program;
  Traits traits;
  Direction direction;
  const GridColumns& columns;
  const GridPlan& plan;
  Messages messages;
  const Bitmap* active;  // null: all are
  Frontier& next;
  std::span<Collector> collectors;
  DualWindows& windows;
  bool by_column;
  bool by_interval;
  Bitmap speaking = {};              // by interval: the frontier, and those that changed since
  std::size_t stop = 0;              // of the interval: behind its last column, or part
  std::vector<std::size_t> at = {};  // by worker, of its column: the next part, and the end
  std::vector<std::size_t> end = {};
  std::atomic<std::size_t> next_turn{0};            // column, or part
  std::vector<std::atomic<std::size_t>> left = {};  // by column: parts that are not applied
  std::vector<double> busy = {};                    // by worker
};

std::vector<Parameter> GridEngine::parameters() {
  return {{.name = "apply",
           .fallback = "column",
           .help = "who applies a column's edges: one worker, without atomics; or all workers, "
                   "with atomics, as published",
           .choices = {"column", "shared"}},
          {.name = "selective",
           .fallback = "on",
           .help = "blocks without an active source are not read",
           .choices = {"on", "off"}},
          {.name = "visibility",
           .fallback = "interval",
           .help = "what a converging program sees in a round: what earlier columns wrote, where "
                   "that is allowed, or nothing of the round",
           .choices = {"interval", "round"}}};
}

// GridGraph's threads share a column, and read 24 MB at a time.
PublishedForm GridEngine::published() {
  return {.settings = {"apply=shared"}, .max_request = 24 << 20};
}

GridEngine::GridEngine(const EdgeLayout& layout, const EngineOptions& options)
    : layout_(layout),
      options_(checked_options(layout, options)),
      settings_(options.settings.or_defaults(parameters())),
      graph_(graph_of(layout)),
      executor_(options_.threads, watch_of(options_)),
      door_(layout.block_files(), options_.backend,
            backend_options(options_, options_.depth / options_.threads)),
      part_blocks_(part_blocks_of(layout, options_)),
      spare_(graph_.id_space) {
  const std::uint64_t part = part_bytes(layout, part_blocks_);
  const std::uint64_t in_flight =
      (door_.options().depth + layout.block_files().size() - 1) / layout.block_files().size();
  const std::uint64_t slots =
      std::clamp(options_.frames_bytes / options_.threads / part, kLeastSlots, in_flight + 1);
  for (unsigned worker = 0; worker < executor_.size(); ++worker) {
    streams_.push_back(
        std::make_unique<EdgeStream>(layout, door_, part_blocks_, slots, worker, options_.trace));
  }
  if (options.threads > options.depth) {
    report_.notes.push_back(fmt::format(
        "{} of {} threads: each waits for requests of its own, and --depth {} is how many may be "
        "in flight",
        options.depth, options.threads, options.depth));
  }
}

const GridColumns& GridEngine::columns(Direction direction) {
  if (graph_.symmetric) direction = Direction::out;
  std::unique_ptr<GridColumns>& columns = columns_[direction == Direction::out ? 0 : 1];
  if (columns) return *columns;
  columns = std::make_unique<GridColumns>(layout_, direction);
  if (settings_.text("apply") == "column" && columns->count() < executor_.size()) {
    report_.notes.push_back(fmt::format(
        "{} columns for {} threads, which take one each: build a layout of more (p, or groups), or "
        "give apply=shared",
        columns->count(), executor_.size()));
  }
  return *columns;
}

template <typename F>
void GridEngine::for_states(std::span<WindowPass* const> passes, const F& f) {
  const bool by_window =
      std::any_of(passes.begin(), passes.end(), [](WindowPass* pass) { return pass->needed(); });
  const Intervals& chunks = layout_.intervals();
  const std::uint32_t count = by_window ? chunks.count() : 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    const VertexRange now = by_window ? chunks[i] : VertexRange{0, graph_.id_space};
    for (WindowPass* pass : passes) {
      pass->enter(now, i + 1 < count ? chunks[i + 1] : VertexRange());
    }
    executor_.parallel_for(
        now.begin, now.end, kIdsAtOnce, [&](unsigned worker, std::size_t first, std::size_t last) {
          f(worker, VertexRange{static_cast<VertexId>(first), static_cast<VertexId>(last)});
        });
  }
}

void GridEngine::for_each_vertex(const VertexFn& f) {
  const std::span<const std::uint32_t> degrees = layout_.degrees(Direction::out);
  WindowPass values(options_.states->windows(), graph_.id_space, WindowPass::Use::changes);
  WindowPass* const passes[] = {&values};
  for_states(passes, [&](unsigned, VertexRange range) {
    f(range, degrees.subspan(range.begin, range.end - range.begin));
  });
}

// Where values are in files, a window that has slid on is not written again in the round.
void GridEngine::converge(Program& program, Frontier&& frontier) {
  const Traits traits = program.traits();
  by_interval_ = settings_.text("visibility") == "interval" && traits.newest_is_enough() &&
                 !traits.settles && options_.states->windows().empty();
  if (by_interval_) report_.visibility = Visibility::interval;
  while (!frontier.empty()) {
    frontier = round(program, std::move(frontier), Direction::out, Mode::push);
  }
  by_interval_ = false;
}

// Each into its vertex's slot. Returns how many edges the frontier has.
EdgeIndex GridEngine::take_messages(Program& program, const Frontier& frontier,
                                    Direction direction) {
  const Traits traits = program.traits();
  if (message_bytes_ != traits.message_bytes) {
    messages_ = {};
    message_bytes_ = traits.message_bytes;
    messages_ = options_.states->zeros<std::byte>("messages", graph_.id_space * message_bytes_,
                                                  StateStore::Order::by_source);
  }
  const Messages messages(messages_.data(), message_bytes_);
  const std::span<const std::uint32_t> degrees = layout_.degrees(direction);
  EdgeIndex edges = 0;
  if (frontier.is_sparse()) {
    for (const VertexId v : frontier.list()) {
      const Source source{v, degrees[v]};
      program.begin({&source, 1}, messages.from(v));
      edges += source.degree;
    }
    return edges;
  }
  std::atomic<EdgeIndex> sum{0};
  // Where the newest message is enough, emit() changes nothing.
  const auto use = traits.newest_is_enough() ? WindowPass::Use::reads : WindowPass::Use::changes;
  WindowPass values(options_.states->windows(), graph_.id_space, use);
  WindowPass slots(options_.states->source_windows(), graph_.id_space, WindowPass::Use::changes);
  WindowPass* const passes[] = {&values, &slots};
  for_states(passes, [&](unsigned, VertexRange range) {
    // Relaxed: read when all ranges are through.
    sum.fetch_add(take_messages_of(program, frontier.bits(), range, degrees),
                  std::memory_order_relaxed);
  });
  return sum;
}

EdgeIndex GridEngine::take_messages_of(Program& program, const Bitmap& active, VertexRange range,
                                       std::span<const std::uint32_t> degrees) {
  constexpr std::size_t kAtOnce = 64;
  const Messages messages(messages_.data(), message_bytes_);
  Source sources[kAtOnce];
  std::size_t count = 0;
  EdgeIndex edges = 0;
  const auto begin = [&] {
    if (count > 0) program.begin({sources, count}, messages.from(sources[0].v));
    count = 0;
  };
  active.for_each(range.begin, range.end, [&](std::size_t at) {
    const auto v = static_cast<VertexId>(at);
    if (count == kAtOnce || (count > 0 && sources[count - 1].v + 1 != v)) begin();
    sources[count++] = {v, degrees[v]};
    edges += degrees[v];
  });
  begin();
  return edges;
}

std::vector<std::uint8_t> GridEngine::active_chunks(const Frontier& frontier) {
  const Intervals& chunks = layout_.intervals();
  std::vector<std::uint8_t> active(chunks.count(), 0);
  if (settings_.text("selective") == "off" || frontier.size() == graph_.vertices) {
    std::fill(active.begin(), active.end(), 1);
  } else if (frontier.is_sparse()) {
    for (const VertexId v : frontier.list()) active[chunks.of(v)] = 1;
  } else {
    for (std::uint32_t i = 0; i < chunks.count(); ++i) {
      active[i] = frontier.bits().any(chunks[i].begin, chunks[i].end) ? 1 : 0;
    }
  }
  return active;
}

Frontier GridEngine::round(Program& program, Frontier&& frontier, Direction direction,
                           Mode /*mode*/) {
  const Stopwatch watch;
  if (options_.trace != nullptr) options_.trace->begin_round(trace_rounds_++);
  note_round_began(options_, report_.rounds.size(), frontier.size(), false);
  RoundReport report{.frontier = frontier.size()};
  const GridColumns& columns = this->columns(direction);
  const EdgeIndex used = take_messages(program, frontier, direction);
  const GridPlan plan = columns.plan(active_chunks(frontier), part_blocks_);
  DualWindows windows(*options_.states, columns, graph_.id_space, executor_.size());
  Frontier next = std::exchange(spare_, Frontier(0));
  std::vector<Collector> collectors(executor_.size(),
                                    Collector(next, /*alone=*/false, options_.events));
  const IoCounters before = door_.counters();
  Pass pass{.program = program,
            .traits = program.traits(),
            .direction = graph_.symmetric ? Direction::out : direction,
            .columns = columns,
            .plan = plan,
            .messages = {messages_.data(), message_bytes_},
            .active = frontier.size() == graph_.vertices ? nullptr : &frontier.bits(),
            .next = next,
            .collectors = collectors,
            .windows = windows,
            .by_column = settings_.text("apply") == "column",
            .by_interval = by_interval_};
  if (by_interval_ && pass.active != nullptr) {
    pass.speaking = *pass.active;
    pass.active = &pass.speaking;
  }
  stream(pass);
  next.adopt(collectors);
  const std::uint64_t activations_before = report_.activations;
  for (const Collector& collector : collectors) report_.activations += collector.reported();
  note_round_ended(options_, report_.rounds.size(), report_.activations - activations_before);
  report_.vertices_processed += frontier.size();
  report.seconds = watch.seconds();
  report.own["edges_used"] = static_cast<double>(used);
  report_.counts["edges_used"] += used;
  touched_bytes_ +=
      used * part_bytes(layout_, 1) / (layout_.facts().block_bytes / layout_.id_bytes());
  report_round(pass, report, before);
  frontier.clear();
  spare_ = std::move(frontier);
  return next;
}

void GridEngine::stream(Pass& pass) {
  const unsigned workers = executor_.size();
  pass.at.resize(workers);
  pass.end.resize(workers);
  pass.busy.resize(workers);
  pass.left = std::vector<std::atomic<std::size_t>>(pass.columns.count());
  for (std::uint32_t column = 0; column < pass.columns.count(); ++column) {
    pass.left[column] = pass.plan.first_part[column + 1] - pass.plan.first_part[column];
  }
  std::vector<double> loading;
  for (const auto& stream : streams_) loading.push_back(-stream->seconds());
  const std::uint32_t count = pass.columns.count();
  const std::uint32_t step =
      pass.by_interval ? std::max(pass.by_column ? workers : 1U, count / kIntervals) : count;
  for (std::uint32_t first = 0; first < count; first += step) {
    const std::uint32_t end = std::min(count, first + step);
    stream_columns(pass, first, end);
    if (end == count || !pass.by_interval) continue;
    synchronise(pass,
                {pass.columns.destinations(first).begin, pass.columns.destinations(end - 1).end});
  }
  executor_.parallel_for(0, pass.columns.count(), 1,
                         [&](unsigned worker, std::size_t column, std::size_t end) {
                           for (; column < end; ++column) {
                             if (pass.plan.first_part[column] != pass.plan.first_part[column + 1])
                               continue;
                             settle(pass, worker, static_cast<std::uint32_t>(column));
                           }
                         });
  for (unsigned worker = 0; worker < workers; ++worker) {
    loading[worker] += streams_[worker]->seconds();
  }
  load_ += *std::max_element(loading.begin(), loading.end());
  update_ += *std::max_element(pass.busy.begin(), pass.busy.end());
  update_processors_ += std::accumulate(pass.busy.begin(), pass.busy.end(), 0.0);
}

void GridEngine::stream_columns(Pass& pass, std::uint32_t first, std::uint32_t end) {
  pass.next_turn = pass.by_column ? first : pass.plan.first_part[first];
  pass.stop = pass.by_column ? end : pass.plan.first_part[end];
  executor_.run([&](unsigned worker) {
    EdgeStream& stream = *streams_[worker];
    const AbandonStreamAtEnd abandon(stream);
    stream.start([&, worker] { return next_part(pass, worker); });
    while (!executor_.stopping()) {
      const EdgeStream::Loaded loaded = stream.take();
      if (loaded.part == nullptr) break;
      const Stopwatch watch;
      apply(pass, worker, loaded);
      finish_part(pass, worker, loaded.part->column);
      pass.busy[worker] += watch.seconds();
    }
  });
}

// Of the vertices that changed in an interval of columns: later ones hear their newest message.
void GridEngine::synchronise(Pass& pass, VertexRange changed) {
  for (Collector& collector : pass.collectors) collector.drain();
  const std::span<const std::uint32_t> degrees = layout_.degrees(pass.direction);
  const Bitmap& next = pass.next.bits();
  executor_.parallel_for(
      changed.begin, changed.end, kIdsAtOnce, [&](unsigned, std::size_t first, std::size_t last) {
        const VertexRange range{static_cast<VertexId>(first), static_cast<VertexId>(last)};
        take_messages_of(pass.program, next, range, degrees);
        if (pass.active == nullptr) return;
        next.for_each(first, last, [&](std::size_t v) { pass.speaking.set(v); });
      });
}

// A worker's next part of its own column; or the next one of all. Relaxed: the counter hands out
// columns, or parts, of a plan that was made before the workers began.
const GridPart* GridEngine::next_part(Pass& pass, unsigned worker) const {
  const std::vector<GridPart>& parts = pass.plan.parts;
  const std::vector<std::size_t>& first = pass.plan.first_part;
  if (!pass.by_column) {
    const std::size_t part = pass.next_turn.fetch_add(1, std::memory_order_relaxed);
    if (part >= pass.stop) return nullptr;
    if (first[parts[part].column] == part) pass.windows.expect(parts[part].column);
    return &parts[part];
  }
  while (pass.at[worker] == pass.end[worker]) {
    const std::size_t column = pass.next_turn.fetch_add(1, std::memory_order_relaxed);
    if (column >= pass.stop) return nullptr;
    pass.at[worker] = first[column];
    pass.end[worker] = first[column + 1];
    if (first[column] != first[column + 1]) {
      pass.windows.expect(static_cast<std::uint32_t>(column));
    }
  }
  return &parts[pass.at[worker]++];
}

void GridEngine::apply(Pass& pass, unsigned worker, const EdgeStream::Loaded& loaded) {
  const std::uint64_t edges_per_block = layout_.facts().block_bytes / layout_.id_bytes();
  pass.columns.for_each_run(
      *loaded.part, edges_per_block,
      [&](const GridCell& cell, std::uint64_t blocks_before, EdgeIndex edges) {
        pass.windows.enter_sources(worker, pass.columns.source_window(cell.sources));
        apply_cell(pass, worker, loaded, cell, blocks_before, edges);
      });
}

// Ids of 2 bytes, made whole.
class GridEngine::LocalIds {
 public:
  std::span<const VertexId> whole(const std::uint16_t* ids, EdgeIndex count, VertexId begin) {
    for (EdgeIndex i = 0; i < count; ++i) ids_[i] = begin + ids[i];
    return {ids_, count};
  }

 private:
  VertexId ids_[kBatchEdges];
};

// The edges stand behind `blocks_before` blocks of the part, of a column of ids. A column of
// weights, however wide, has as many numbers before them.
void GridEngine::apply_cell(Pass& pass, unsigned worker, const EdgeStream::Loaded& loaded,
                            const GridCell& cell, std::uint64_t blocks_before, EdgeIndex edges) {
  const EdgeIndex before = blocks_before * (layout_.facts().block_bytes / layout_.id_bytes());
  const bool out = pass.direction == Direction::out;
  const bool local = layout_.id_bytes() < sizeof(VertexId);
  const Intervals& chunks = layout_.intervals();
  const VertexId rows = chunks[out ? cell.sources : cell.destinations].begin;
  const VertexId columns = chunks[out ? cell.destinations : cell.sources].begin;
  const bool alone = pass.by_column || executor_.size() == 1;
  LocalIds sources;
  LocalIds targets;
  EdgeRun run;
  run.access = alone ? Access::exclusive : Access::shared;
  for (EdgeIndex done = 0; done < edges; done += kBatchEdges) {
    const EdgeIndex count = std::min(kBatchEdges, edges - done);
    const EdgeIndex at = before + done;
    if (local) {
      run.sources =
          sources.whole(reinterpret_cast<const std::uint16_t*>(loaded.sources) + at, count, rows);
      run.targets = targets.whole(reinterpret_cast<const std::uint16_t*>(loaded.targets) + at,
                                  count, columns);
    } else {
      run.sources = {reinterpret_cast<const VertexId*>(loaded.sources) + at, count};
      run.targets = {reinterpret_cast<const VertexId*>(loaded.targets) + at, count};
    }
    if (!out) std::swap(run.sources, run.targets);
    if (loaded.weights != nullptr) {
      run.weights = reinterpret_cast<const float*>(loaded.weights) + at;
    }
    pass.program.edges(run, pass.messages, pass.active, pass.collectors[worker]);
    streams_[worker]->gave(count);
    streams_[worker]->poll();
  }
}

// Acquire and release: who settles a column sees what all others wrote to its destinations.
void GridEngine::finish_part(Pass& pass, unsigned worker, std::uint32_t column) {
  if (pass.left[column].fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  settle(pass, worker, column);
  pass.windows.finish(worker, column);
}

void GridEngine::settle(Pass& pass, unsigned worker, std::uint32_t column) {
  if (!pass.traits.settles) return;
  pass.program.settle(pass.columns.destinations(column), pass.collectors[worker]);
}

void GridEngine::report_round(const Pass& pass, RoundReport& round, const IoCounters& before) {
  const IoCounters after = door_.counters();
  round.requests = after.requests - before.requests;
  round.requested_bytes = after.requested_bytes - before.requested_bytes;
  round.edges = pass.plan.edges;
  round.blocks = pass.plan.blocks * part_bytes(layout_, 1) / layout_.facts().block_bytes;
  round.own["cells_read"] = static_cast<double>(pass.plan.cells_read);
  round.own["cells_skipped"] = static_cast<double>(pass.plan.cells_skipped);
  report_.counts["cells_read"] += pass.plan.cells_read;
  report_.counts["cells_skipped"] += pass.plan.cells_skipped;
  report_.edges_processed += pass.plan.edges;
  report_.rounds.push_back(round);
  if (options_.rounds_done != nullptr) ++*options_.rounds_done;
}

EngineReport GridEngine::report() const {
  EngineReport report = report_;
  report.io = door_.counters();
  report.io.touched_bytes += touched_bytes_;
  report.backend = door_.backend().name();
  report.backend_traits = door_.backend().traits();
  const std::vector<std::string> notes = door_.backend().notes();
  report.notes.insert(report.notes.end(), notes.begin(), notes.end());
  std::uint64_t frames = 0;
  for (const auto& stream : streams_) frames += stream->bytes();
  std::uint64_t columns = 0;
  for (const auto& one : columns_) columns += one ? one->memory_bytes() : 0;
  report.memory = {{"index", layout_.index_bytes()}, {"frames", frames}, {"columns", columns}};
  report.stages = {{"load", load_}, {"update", update_}, {"update_processors", update_processors_}};
  const StateWindows::Bytes values = options_.states->windows().bytes();
  const StateWindows::Bytes slots = options_.states->source_windows().bytes();
  if (values.read + values.written + slots.read + slots.written > 0) {
    report.counts["state_read_bytes"] = values.read + slots.read;
    report.counts["state_written_bytes"] = values.written + slots.written;
  }
  return report;
}

}  // namespace outcore
