// SPDX-License-Identifier: Apache-2.0
#include "engines/concurrent/concurrent.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/sizes.h"
#include "common/stopwatch.h"
#include "engines/layout_graph.h"
#include "storage/trace/trace.h"

namespace outcore {

namespace {

constexpr std::size_t kBatch = 64;  // vertices a call of scatter or gather
constexpr VertexId kRange = 16384;  // vertices a turn of loops over the id space

unsigned share_of_depth(const EngineOptions& options) {
  return std::max(1U, options.depth / options.threads);
}

// The largest request that still leaves every worker as many slots as requests in flight.
std::size_t slot_bytes(const Layout& layout, const EngineOptions& options) {
  const std::size_t block = layout.facts().block_bytes;
  const std::uint64_t slots = std::uint64_t{share_of_depth(options)} * options.threads;
  const std::uint64_t affordable = options.frames_bytes / slots;
  std::size_t bytes = block;
  while (bytes * 2 <= std::min<std::uint64_t>(affordable, options.max_request_bytes)) bytes *= 2;
  return bytes;
}

EngineOptions checked(const Layout& layout, const EngineOptions& options) {
  if (options.threads == 0) throw usage_error("--threads 0: at least one is needed");
  if (options.depth == 0) throw usage_error("--depth 0: at least one request must be in flight");
  const std::uint64_t block = layout.facts().block_bytes;
  if (options.frames_bytes < block * options.threads) {
    throw usage_error(fmt::format("--frames {} is too small: {} threads need a block of {} each",
                                  options.frames_bytes, options.threads, human_size(block)));
  }
  return options;
}

// No more than can be in flight: nothing is kept in frames.
std::size_t pool_bytes(const Layout& layout, const EngineOptions& options) {
  const std::uint64_t in_flight =
      std::uint64_t{share_of_depth(options)} * options.threads * slot_bytes(layout, options);
  return std::min<std::uint64_t>(options.frames_bytes, in_flight);
}

}  // namespace

ConcurrentEngine::ConcurrentEngine(const Layout& layout, const EngineOptions& options)
    : layout_(layout),
      options_(checked(layout, options)),
      graph_(graph_of(layout)),
      executor_(options.threads),
      frames_(pool_bytes(layout, options), slot_bytes(layout, options), options.threads),
      door_(layout.block_files(), options.backend,
            backend_options(options, share_of_depth(options))),
      decoded_(executor_.size(), DecodeSpace(layout.pieces())) {
  for (unsigned worker = 0; worker < executor_.size(); ++worker) {
    channels_.push_back(std::make_unique<DoorChannel>(door_, frames_.arena(worker).memory()));
  }
}

IoCounters ConcurrentEngine::io() const {
  IoCounters sum = door_.counters();  // of channels that went with an error
  for (const auto& channel : channels_) {
    if (channel) sum.add(channel->counters());
  }
  return sum;
}

Capabilities ConcurrentEngine::capabilities() const {
  return {.converge = Visibility::round,
          .pull = true,
          .heads = layout_.choices().heads > 0,
          .drive = true};
}

void ConcurrentEngine::for_each_vertex(const VertexFn& f) {
  executor_.parallel_for(
      0, graph_.id_space, kRange, [&](unsigned, std::size_t first, std::size_t last) {
        std::vector<std::uint32_t> degrees(last - first);
        for (std::size_t v = first; v < last; ++v) {
          degrees[v - first] =
              source_of(layout_.index(Direction::out), static_cast<VertexId>(v)).degree;
        }
        f({static_cast<VertexId>(first), static_cast<VertexId>(last)}, degrees);
      });
}

void ConcurrentEngine::heads(unsigned k, const HeadsFn& f) {
  const unsigned held = layout_.choices().heads;
  if (k > held) {
    throw usage_error(fmt::format(
        "the first {} neighbours of each vertex are wanted, and this layout holds {} in memory; "
        "build one with 'outcore layout GRAPH --heads {}'",
        k, held, k));
  }
  const std::span<const VertexId> column = layout_.heads(Direction::out);
  executor_.parallel_for(
      0, graph_.id_space, kRange, [&](unsigned, std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) {
          const std::span<const VertexId> heads = column.subspan(v * held, k);
          const auto end = std::find(heads.begin(), heads.end(), kNoVertex);
          f(static_cast<VertexId>(v), heads.first(static_cast<std::size_t>(end - heads.begin())));
        }
      });
}

void ConcurrentEngine::begin_noted_round() {
  if (options_.trace != nullptr) options_.trace->begin_round(trace_rounds_++);
}

void ConcurrentEngine::note_access(unsigned worker, std::uint32_t file, const BlockRun& run) {
  if (options_.trace == nullptr) return;
  const auto units = static_cast<std::uint32_t>(layout_.facts().block_bytes / 4096);
  options_.trace->note(worker, file, run.first * units, run.blocks * units);
}

void ConcurrentEngine::converge(Program& program, Frontier&& frontier) {
  while (!frontier.empty()) {
    frontier = round(program, std::move(frontier), Direction::out, Mode::any);
  }
}

Frontier ConcurrentEngine::round(Program& program, Frontier&& frontier, Direction direction,
                                 Mode mode) {
  const Stopwatch watch;
  const Traits traits = program.traits();
  const bool everything = frontier.size() == graph_.vertices;
  const bool pull = traits.combines && (mode == Mode::pull || (mode == Mode::any && everything));
  const Direction reverse = direction == Direction::out ? Direction::in : Direction::out;
  const Direction read = pull ? reverse : direction;

  Frontier next(graph_.id_space);
  std::vector<Collector> collectors(executor_.size(), Collector(next));
  Round round{.program = program,
              .traits = traits,
              .pull = pull,
              .active = everything ? nullptr : &frontier.bits(),
              .index = layout_.index(read),
              .file = layout_.file(read),
              .runs = {},
              .first_queued = {},
              .collectors = collectors};
  const BlockId total_blocks = layout_.block_files()[round.file].blocks();
  dense_messages_ = pull || traits.emits_what_it_hears;
  if (dense_messages_) take_all_messages(round, frontier, layout_.index(direction));
  queue_.build(pull ? listeners(program) : frontier, round.index, total_blocks);
  if (!dense_messages_) {
    take_straddlers(round);
  }
  const IoCounters before = io();
  hear_blockless(round);
  process_queue_block(round);
  if (traits.settles) settle(program, collectors);

  for (Collector& collector : collectors) {
    collector.drain();
    report_.activations += collector.reported();
  }
  next.adopt(collectors);
  const IoCounters after = io();
  report_.vertices_processed += frontier.size();
  report_.edges_processed += queue_.edges();
  report_.rounds.push_back({.frontier = frontier.size(),
                            .blocks = queue_.blocks().size(),
                            .requests = after.requests - before.requests,
                            .requested_bytes = after.requested_bytes - before.requested_bytes,
                            .edges = queue_.edges(),
                            .pull = pull,
                            .seconds = watch.seconds()});
  if (options_.rounds_done != nullptr) ++*options_.rounds_done;
  return next;
}

void ConcurrentEngine::take_all_messages(Round& round, const Frontier& frontier,
                                         const ListIndex& index) {
  messages_.resize(std::size_t{graph_.id_space} * round.traits.message_bytes);
  const Messages dense(messages_.data(), round.traits.message_bytes);
  if (frontier.is_sparse()) {
    for (const VertexId v : frontier.list()) take_messages(round.program, index, {&v, 1}, dense);
    return;
  }
  executor_.parallel_for(
      0, graph_.id_space, kRange, [&](unsigned, std::size_t first, std::size_t last) {
        std::vector<VertexId> active;
        frontier.bits().for_each(
            first, last, [&](std::size_t v) { active.push_back(static_cast<VertexId>(v)); });
        take_messages(round.program, index, active, dense);
      });
}

void ConcurrentEngine::take_straddlers(Round& round) {
  const std::span<const VertexId> straddlers = queue_.straddlers();
  messages_.resize(std::max(messages_.size(), straddlers.size() * round.traits.message_bytes));
  const Messages slots(messages_.data(), round.traits.message_bytes);
  for (std::size_t i = 0; i < straddlers.size(); ++i) {
    const Source source = source_of(round.index, straddlers[i]);
    round.program.begin({&source, 1}, slots.from(i));
  }
}

// Lists in the index need no block. Those without edges are heard by nobody, but what begin() does
// to the vertex itself must happen (residuals are taken).
void ConcurrentEngine::hear_blockless(Round& round) {
  const std::span<const VertexId> vertices = queue_.blockless();
  executor_.parallel_for(
      0, vertices.size(), kRange, [&](unsigned worker, std::size_t first, std::size_t last) {
        Piece pieces[kBatch];
        while (first < last) {
          const std::size_t count = std::min(kBatch, last - first);
          for (std::size_t i = 0; i < count; ++i) {
            pieces[i] = inline_piece(round.index, vertices[first + i], vertices[first + i]);
          }
          scatter_block(round, worker, {pieces, count});
          first += count;
        }
      });
}

Frontier ConcurrentEngine::listeners(Program& program) {
  Bitmap listening(graph_.id_space);
  executor_.parallel_for(
      0, graph_.id_space, kRange, [&](unsigned, std::size_t first, std::size_t last) {
        program.listening({static_cast<VertexId>(first), static_cast<VertexId>(last)}, listening);
      });
  return Frontier::from_bits(std::move(listening));
}

void ConcurrentEngine::settle(Program& program, std::vector<Collector>& collectors) {
  executor_.parallel_for(
      0, graph_.id_space, kRange, [&](unsigned worker, std::size_t first, std::size_t last) {
        program.settle({static_cast<VertexId>(first), static_cast<VertexId>(last)},
                       collectors[worker]);
      });
}

EngineReport ConcurrentEngine::report() const {
  EngineReport report = report_;
  report.io = io();
  report.backend = door_.backend().name();
  report.backend_traits = door_.backend().traits();
  report.notes = door_.backend().notes();
  report.memory = {{"index", layout_.index_bytes()},
                   {"frames", pool_bytes(layout_, options_)},
                   {"messages", messages_.capacity()},
                   {"block_queue", queue_.memory_bytes()}};
  return report;
}

}  // namespace outcore
