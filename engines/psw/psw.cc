// SPDX-License-Identifier: Apache-2.0
#include "engines/psw/psw.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "common/error.h"
#include "common/stopwatch.h"
#include "engines/graph_of.h"
#include "engines/psw/shard_count.h"
#include "engines/psw/shard_files.h"
#include "engines/psw/vertex_ranges.h"
#include "storage/events/event_recorder.h"
#include "storage/layout/layout_command.h"
#include "storage/trace/trace.h"

namespace outcore {

namespace {

// Before the values are opened, which a refusal would leave open.
EngineOptions checked_options(const EngineOptions& options) {
  if (options.threads == 0) throw usage_error("--threads 0: at least one is needed");
  if (options.depth == 0) throw usage_error("--depth 0: at least one request must be in flight");
  const auto backend = make_backend(options.backend, backend_options(options, options.depth));
  if (!backend->traits().writes) {
    throw usage_error(
        fmt::format("psw writes values in place, which --backend {} cannot; take uring, threads "
                    "or mem",
                    backend->name()));
  }
  if (!backend->traits().contents) {
    throw usage_error(fmt::format(
        "psw finds edges by what it reads, and --backend {} has no contents; take uring, threads "
        "or mem",
        backend->name()));
  }
  EngineOptions checked = options;
  if (!checked.states) checked.states = std::make_shared<StateStore>();
  return checked;
}

std::uint32_t array_bytes(const Parameters& settings) {
  return settings.text("edges") == "objects" ? sizeof(EdgeObject) : sizeof(EdgeAtSlot);
}

std::vector<BlockFile> files_of(const EdgeLayout& layout, EdgeValues& values) {
  std::vector<BlockFile> files = layout.block_files();
  files.push_back(values.take_file());
  return files;
}

}  // namespace

std::vector<Parameter> PswEngine::parameters() {
  return {{.name = "edges",
           .fallback = "indices",
           .help = "an edge in the arrays of a subgraph: 12 bytes, the neighbour and a pointer to "
                   "the value (GraphChi), or 4 bytes, where both are found",
           .choices = {"objects", "indices"}},
          {.name = "construction",
           .fallback = "vertices",
           .help = "workers share the vertices of a subgraph, or one assigns the edges of the "
                   "memory shard and the others those of the windows (GraphChi)",
           .choices = {"vertices", "shards"}},
          {.name = "deterministic",
           .fallback = "on",
           .help = "vertices that share an edge of a subgraph are updated one after another, in "
                   "order of ids, or beside each other where hearing twice is harmless",
           .choices = {"on", "off"}}};
}

// GraphChi's edges are objects, and one thread takes the memory shard.
PublishedForm PswEngine::published() {
  return {.settings = {"edges=objects", "construction=shards"}};
}

LayoutChoices PswEngine::choices_for(const LayoutChoices& choices, EdgeIndex edges,
                                     std::uint64_t frames) {
  LayoutChoices fitting = complete_choices(choices);
  const std::uint32_t value = edge_parameter(fitting, "value", sizeof(VertexId));
  const ShardedGraph graph{.edges = edges,
                           .weighted = fitting.weights != "none",
                           .value_bytes = value,
                           .block_bytes = fitting.block_bytes};
  std::uint32_t p = fitting_shards(graph, frames, edge_parameter(fitting, "p", 1));
  if (p == 0) p = smallest_shards(graph);
  set_pack(fitting, fmt::format("psw:p={},value={}", p, value));
  return fitting;
}

PswEngine::PswEngine(const EdgeLayout& layout, const EngineOptions& options)
    : layout_(layout),
      options_(checked_options(options)),
      settings_(options.settings.or_defaults(parameters())),
      graph_(graph_of(layout)),
      executor_(options.threads, watch_of(options)),
      sub_intervals_(layout, array_bytes(settings_), options.frames_bytes),
      values_(layout),
      door_(files_of(layout, values_), options_.backend, backend_options(options_, options.depth)),
      frames_(layout, sub_intervals_.room(), array_bytes(settings_)),
      slots_(frames_.slots()),
      transfers_(door_, frames_.memory(), options.max_request_bytes, options.trace),
      shard_(layout, values_, slots_, frames_.shard_runs()),
      windows_(layout, slots_, frames_.first_window_slot(), frames_.window_runs()),
      subgraph_(make_subgraph()),
      updates_(layout, slots_, executor_, options_.events),
      halves_(layout, slots_, executor_),
      deterministic_(settings_.text("deterministic") == "on"),
      used_cells_(std::size_t{layout.facts().intervals} * layout.facts().intervals) {}

// Values that were written whole are closed; what a call left half done is not.
PswEngine::~PswEngine() {
  if (writing_) return;
  try {
    values_.close(door_, ShardFiles(layout_).values);
  } catch (const std::exception&) {
    // As if the writer had died: the next one sets the values to 0, which are not read again.
    return;
  }
}

PswEngine::AnySubgraph PswEngine::make_subgraph() const {
  const ConstructBy by =
      settings_.text("construction") == "shards" ? ConstructBy::shards : ConstructBy::vertices;
  if (settings_.text("edges") == "objects") {
    return WindowSubgraph<EdgeObject>(layout_, slots_, frames_.arrays(), by);
  }
  return WindowSubgraph<EdgeAtSlot>(layout_, slots_, frames_.arrays(), by);
}

void PswEngine::for_each_vertex(const VertexFn& f) {
  const std::span<const std::uint32_t> degrees = layout_.degrees(Direction::out);
  WindowPass states(options_.states->windows(), graph_.id_space, WindowPass::Use::changes);
  for (std::uint32_t i = 0; i < layout_.facts().intervals; ++i) {
    enter_states(states, i);
    for_ranges(executor_, interval(i), [&](unsigned, VertexRange range) {
      f(range, degrees.subspan(range.begin, range.end - range.begin));
    });
  }
}

void PswEngine::check_program(const Program& program) const {
  const std::size_t bytes = program.traits().message_bytes;
  if (bytes <= slots_.value_bytes) return;
  LayoutChoices wanted = layout_.choices();
  set_pack(wanted,
           fmt::format("psw:p={},value={}", layout_.facts().intervals, std::bit_ceil(bytes)));
  throw usage_error(
      fmt::format("messages of {} bytes do not go onto the edges of {}, whose values have {}; {}",
                  bytes, layout_.folder().string(), slots_.value_bytes,
                  how_to_have(graph_of_layout(layout_.folder()), wanted)));
}

// Beside its neighbours a vertex may hear a value twice, or one that is being written.
bool PswEngine::may_be_random(const Traits& traits) const {
  const bool whole = traits.message_bytes == sizeof(std::uint32_t) ||
                     traits.message_bytes == sizeof(std::uint64_t);
  return !deterministic_ && whole && traits.hearing == Hearing::repeatable;
}

// --- Passes ---

void PswEngine::converge(Program& program, Frontier&& frontier) {
  if (program.traits().settles) {
    while (!frontier.empty()) {
      frontier = round(program, std::move(frontier), Direction::out, Mode::any);
    }
    return;
  }
  check_program(program);
  writing_ = true;
  report_.visibility = Visibility::immediate;
  const bool random = may_be_random(program.traits());
  if (!deterministic_ && !random) note_order();
  updates_.start(program, frontier, !random);
  while (updates_.any_due({0, graph_.id_space})) pass();
  writing_ = false;
}

void PswEngine::note_order() {
  const std::string note = "deterministic=off: kept on for a program to which each message counts";
  if (std::find(report_.notes.begin(), report_.notes.end(), note) == report_.notes.end()) {
    report_.notes.push_back(note);
  }
}

void PswEngine::pass() {
  begin_round();
  const Updates::Counts before = updates_.counts();
  WindowPass states(options_.states->windows(), graph_.id_space, WindowPass::Use::changes);
  for (std::uint32_t i = 0; i < layout_.facts().intervals; ++i) {
    if (!updates_.any_due(interval(i))) continue;
    enter_states(states, i);
    update_interval(i);
  }
  finish_writes();
  const Updates::Counts& after = updates_.counts();
  report_.vertices_processed += after.spoke - before.spoke;
  report_.activations += after.spoke - before.spoke;
  end_round({.frontier = after.updates - before.updates, .edges = after.edges - before.edges},
            after.spoke - before.spoke);
}

void PswEngine::update_interval(std::uint32_t i) {
  load_edges(i, /*shard=*/true, /*windows=*/true);
  bool loaded = false;
  bool own_dirty = false;
  for (const VertexRange sub : sub_intervals_.of(i)) {
    windows_.slide(sub);
    if (!updates_.any_due(sub)) continue;
    load_windows(!std::exchange(loaded, true));
    const auto wanted = updates_.enter(sub);
    construct({.shard = &shard_, .windows = windows_.windows(), .in = true, .out = true}, sub,
              wanted);
    update([&](const auto& subgraph) { updates_.run(subgraph); });
    const auto spoke = [&](VertexId u) { return updates_.spoke(u); };
    own_dirty = own_dirty || shard_.any_source(sub, spoke);
    write_windows(spoke);
  }
  if (own_dirty) {
    shard_.write_back(transfers_);
    ++report_.counts["windows_written"];
  }
}

Frontier PswEngine::round(Program& program, Frontier&& frontier, Direction direction,
                          Mode /*mode*/) {
  if (direction == Direction::in && !graph_.symmetric) {
    throw usage_error("psw: shards lie by destination only, and this graph is directed");
  }
  check_program(program);
  writing_ = true;
  begin_round(frontier.size());
  Frontier next(graph_.id_space);
  std::vector<Collector> collectors(executor_.size(),
                                    Collector(next, /*alone=*/false, options_.events));
  halves_.start(program, frontier, collectors);
  speak_half();
  hear_half(program.traits().settles);
  finish_writes();
  next.adopt(collectors);
  std::uint64_t activations = 0;
  for (const Collector& collector : collectors) activations += collector.reported();
  report_.activations += activations;
  report_.vertices_processed += frontier.size();
  end_round({.frontier = frontier.size(), .edges = halves_.edges()}, activations);
  writing_ = false;
  return next;
}

void PswEngine::speak_half() {
  WindowPass states(options_.states->windows(), graph_.id_space, WindowPass::Use::changes);
  const Bitmap& active = halves_.active();
  const auto any = [&](VertexRange range) { return active.any(range.begin, range.end); };
  for (std::uint32_t i = 0; i < layout_.facts().intervals; ++i) {
    if (!any(interval(i))) continue;
    enter_states(states, i);
    load_edges(i, /*shard=*/false, /*windows=*/true);
    for (const VertexRange sub : sub_intervals_.of(i)) {
      windows_.slide(sub);
      if (!any(sub)) continue;
      load_windows(/*shard=*/false);
      construct({.windows = windows_.windows(), .out = true}, sub, bytes_of(active, sub));
      update([&](const auto& subgraph) { halves_.speak(subgraph); });
      write_windows([&](VertexId u) { return active.get(u); });
    }
  }
}

void PswEngine::hear_half(bool settles) {
  WindowPass states(options_.states->windows(), graph_.id_space, WindowPass::Use::changes);
  const Bitmap& told = halves_.told();
  for (std::uint32_t i = 0; i < layout_.facts().intervals; ++i) {
    const bool any = told.any(interval(i).begin, interval(i).end);
    if (!any && !settles) continue;
    enter_states(states, i);
    if (any) hear_interval(i);
    if (settles) halves_.settle(interval(i));
  }
}

void PswEngine::hear_interval(std::uint32_t i) {
  const Bitmap& told = halves_.told();
  load_edges(i, /*shard=*/true, /*windows=*/false);
  load_windows(/*shard=*/true);
  for (const VertexRange sub : sub_intervals_.of(i)) {
    if (!told.any(sub.begin, sub.end)) continue;
    construct({.shard = &shard_, .in = true}, sub, bytes_of(told, sub));
    update([&](const auto& subgraph) { halves_.hear(subgraph); });
  }
}

// --- Stages ---

// What no update changes, while windows may still be on their way back; but targets of windows,
// which are known when their runs are there. They come while sources are expanded.
void PswEngine::load_edges(std::uint32_t i, bool shard, bool windows) {
  const Stopwatch watch;
  note_dropped();
  windows_.clear();
  if (shard) shard_.load_edges(i, transfers_);
  if (windows) windows_.load_runs(i, /*own=*/!shard, transfers_);
  transfers_.finish(Transfers::edges);
  for (std::uint32_t j = 0; j < layout_.facts().intervals; ++j) {
    if (shard) use_cell(j, i);
    if (windows) use_cell(i, j);
  }
  report_.stages["load"] += watch.seconds();
  report_.counts["intervals_loaded"] += shard ? 1 : 0;
  if (shard) report_.counts["edges_loaded"] += shard_.edges();
}

// The windows where they are now, and the values of the memory shard with the first of them, which
// are there when an update begins: they come while the subgraph is constructed.
void PswEngine::load_windows(bool shard) {
  Stopwatch watch;
  windows_.load_edges(transfers_);
  transfers_.flush();
  report_.stages["load"] += watch.lap();
  if (shard) shard_.expand_sources(executor_);
  report_.stages["construct"] += watch.lap();
  finish_writes();
  watch.lap();
  transfers_.finish(Transfers::edges);
  if (shard) shard_.load_values(transfers_);
  windows_.load_values(transfers_);
  transfers_.flush();
  for (const SlidingWindow& window : windows_.windows()) {
    if (window.edges == 0) continue;
    ++report_.counts["windows_loaded"];
    report_.counts["edges_loaded"] += window.edges;
  }
  report_.stages["load"] += watch.seconds();
}

void PswEngine::construct(const SubgraphParts& parts, VertexRange sub_interval,
                          std::span<const std::uint8_t> wanted) {
  const Stopwatch watch;
  const double before = processor_seconds();
  std::visit(
      [&](auto& subgraph) {
        report_.counts["edges_constructed"] +=
            subgraph.construct(parts, sub_interval, wanted, executor_);
      },
      subgraph_);
  ++report_.counts["sub_intervals"];
  report_.stages["construct"] += watch.seconds();
  report_.stages["construct_processors"] += processor_seconds() - before;
}

template <typename F>
void PswEngine::update(const F& f) {
  Stopwatch watch;
  transfers_.finish(Transfers::values);
  report_.stages["load"] += watch.lap();
  const double before = processor_seconds();
  std::visit(f, std::as_const(subgraph_));
  report_.stages["update"] += watch.seconds();
  report_.stages["update_processors"] += processor_seconds() - before;
}

template <typename Spoke>
void PswEngine::write_windows(const Spoke& spoke) {
  const Stopwatch watch;
  for (SlidingWindow& window : windows_.windows()) {
    window.dirty = std::any_of(window.runs.begin(), window.runs.end(),
                               [&](const SourceRun& run) { return spoke(run.source); });
  }
  report_.counts["windows_written"] += windows_.write_back(transfers_);
  report_.stages["write_back"] += watch.seconds();
}

void PswEngine::finish_writes() {
  const Stopwatch watch;
  transfers_.finish(Transfers::writes);
  report_.stages["write_back"] += watch.seconds();
}

std::span<const std::uint8_t> PswEngine::bytes_of(const Bitmap& bits, VertexRange range) {
  wanted_.assign(range.end - range.begin, 0);
  bits.for_each(range.begin, range.end, [&](std::size_t v) { wanted_[v - range.begin] = 1; });
  return wanted_;
}

void PswEngine::enter_states(WindowPass& states, std::uint32_t i) const {
  if (!states.needed()) return;
  const bool last = i + 1 == layout_.facts().intervals;
  states.enter(interval(i), last ? VertexRange{} : interval(i + 1));
}

// --- What is told ---

void PswEngine::begin_round(std::uint64_t frontier) {
  watch_ = Stopwatch();
  before_round_ = door_.counters();
  std::fill(used_cells_.begin(), used_cells_.end(), false);
  if (options_.trace != nullptr) options_.trace->begin_round(trace_rounds_++);
  note_round_began(options_, report_.rounds.size(), frontier, false);
}

// The frames hold other blocks from now on.
void PswEngine::note_dropped() const {
  if (options_.events == nullptr) return;
  std::uint64_t blocks = 0;
  for (const std::uint64_t of_file : layout_.file_blocks()) blocks += of_file;
  options_.events->note(EventKind::dropped, door_.first_event_block(0), blocks, 0);
}

// Of a cell the blocks of its targets.
void PswEngine::note_processed(const EdgeCell& cell) const {
  if (options_.events == nullptr || cell.edges == 0) return;
  options_.events->note(EventKind::processed,
                        door_.first_event_block(ShardFiles(layout_).targets) + cell.first_block,
                        layout_.blocks_for(cell.edges, sizeof(VertexId)), 0);
}

void PswEngine::end_round(RoundReport round, std::uint64_t activations) {
  const IoCounters after = door_.counters();
  round.requests = after.requests - before_round_.requests;
  round.requested_bytes = after.requested_bytes - before_round_.requested_bytes;
  for (std::uint32_t row = 0; row < layout_.facts().intervals; ++row) {
    for (std::uint32_t column = 0; column < layout_.facts().intervals; ++column) {
      if (used_cells_[std::size_t{row} * layout_.facts().intervals + column]) {
        round.blocks += blocks_of(layout_.cell(row, column));
      }
    }
  }
  round.seconds = watch_.seconds();
  report_.edges_processed += round.edges;
  if (options_.events != nullptr) options_.events->note(EventKind::processed, 0, 0, round.edges);
  note_round_ended(options_, report_.rounds.size(), activations);
  report_.rounds.push_back(round);
  if (options_.rounds_done != nullptr) ++*options_.rounds_done;
}

void PswEngine::use_cell(std::uint32_t row, std::uint32_t column) {
  used_cells_[std::size_t{row} * layout_.facts().intervals + column] = true;
  note_processed(layout_.cell(row, column));
}

std::uint64_t PswEngine::blocks_of(const EdgeCell& cell) const {
  const std::uint64_t columns = layout_.file(EdgeColumn::weights) ? 2 : 1;
  return layout_.blocks_for(cell.runs, sizeof(SourceRun)) +
         columns * layout_.blocks_for(cell.edges, sizeof(VertexId)) + values_.blocks(cell);
}

EngineReport PswEngine::report() const {
  EngineReport report = report_;
  report.io = door_.counters();
  report.io.touched_bytes += report.edges_processed * (sizeof(VertexId) + slots_.value_bytes);
  report.backend = door_.backend().name();
  report.backend_traits = door_.backend().traits();
  const std::vector<std::string> notes = door_.backend().notes();
  report.notes.insert(report.notes.end(), notes.begin(), notes.end());
  const std::uint64_t arrays =
      std::visit([](const auto& subgraph) { return subgraph.memory_bytes(); }, subgraph_);
  report.memory = {{"index", layout_.index_bytes()},
                   {"frames", frames_.memory().size()},
                   {"subgraph", arrays},
                   {"clocks", updates_.memory_bytes() + halves_.memory_bytes()}};
  report.counts["intervals"] = layout_.facts().intervals;
  report.counts["updates"] = updates_.counts().updates;
  report.counts["serialised_updates"] = updates_.counts().serialised;
  if (const StateWindows::Bytes bytes = options_.states->windows().bytes();
      bytes.read + bytes.written > 0) {
    report.counts["state_read_bytes"] = bytes.read;
    report.counts["state_written_bytes"] = bytes.written;
  }
  return report;
}

}  // namespace outcore
