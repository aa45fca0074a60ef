// SPDX-License-Identifier: Apache-2.0
#include "engines/concurrent/concurrent.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/sizes.h"
#include "common/stopwatch.h"
#include "engines/layout_graph.h"
#include "engines/vertex_ranges.h"
#include "engines/worker_share.h"
#include "storage/trace/trace.h"

namespace outcore {

namespace {

constexpr unsigned kSlotsForOneInFlight = 2;
constexpr const char* kNoCache = "frames";
constexpr const char* kByVertices = "vertices";

// The largest request that still leaves every worker as many slots as requests in flight.
std::size_t slot_bytes(const Layout& layout, const EngineOptions& options) {
  const std::size_t block = layout.facts().block_bytes;
  const std::uint64_t slots = std::uint64_t{most_of_depth(options)} * options.threads;
  const std::uint64_t affordable = options.frames_bytes / slots;
  std::size_t bytes = block;
  while (bytes * 2 <= std::min<std::uint64_t>(affordable, options.max_request_bytes)) bytes *= 2;
  return bytes;
}

// For what is in flight, and as much again that has come and waits to be processed: nothing else
// is kept in frames.
std::size_t pool_bytes(const Layout& layout, const EngineOptions& options) {
  const std::uint64_t in_flight =
      std::uint64_t{most_of_depth(options)} * options.threads * slot_bytes(layout, options);
  return std::min<std::uint64_t>(options.frames_bytes, kSlotsForOneInFlight * in_flight);
}

}  // namespace

ConcurrentEngine::ConcurrentEngine(const Layout& layout, const EngineOptions& options)
    : layout_(layout),
      options_(checked(layout, options)),
      graph_(graph_of(layout)),
      executor_(options_.threads),
      door_(layout.block_files(), options_.backend,
            backend_options(options_, most_of_depth(options_))),
      decoded_(executor_.size(), DecodeSpace(layout.pieces())),
      batches_(executor_.size()),
      spare_(graph_.id_space),
      hole_budget_(options_.most_holes) {
  report_.notes = notes_on_threads(options);
  open_sources();
}

std::vector<Parameter> ConcurrentEngine::parameters() {
  Parameter cache = {.name = "cache",
                     .help = "what frames are: buffers that keep nothing, or the slots of a cache",
                     .fallback = kNoCache,
                     .values = {kNoCache}};
  for (const PolicyKind* policy : policies()) {
    if (policy->knows == Knowledge::past) cache.values.emplace_back(policy->name);
  }
  return {{.name = "queue",
           .help = "how a round goes: each wanted block once, or vertex by vertex (section 4.2)",
           .fallback = "blocks",
           .values = {"blocks", kByVertices}},
          cache};
}

void ConcurrentEngine::open_sources() {
  const Settings settings = complete_settings(parameters(), options_.settings);
  by_vertices_ = settings.at("queue") == kByVertices;
  const std::string& cache = settings.at("cache");
  const unsigned workers = executor_.size();
  if (cache == kNoCache) {
    const std::size_t slot = slot_bytes(layout_, options_);
    const std::size_t bytes = pool_bytes(layout_, options_);
    frames_.emplace(bytes, slot, workers);
    if (bytes / slot < options_.depth) {
      report_.notes.push_back(
          fmt::format("frames hold {} requests of {}: no more are in flight, where --depth says {}",
                      bytes / slot, human_size(slot), options_.depth));
    }
  } else {
    cache_.emplace(door_, static_cast<std::uint32_t>(layout_.block_files().size()),
                   find_policy(cache), options_.frames_bytes, options_.depth, workers);
  }
  for (unsigned worker = 0; worker < workers; ++worker) {
    const unsigned share = share_of_depth(options_, worker);
    sources_.push_back(cache_ ? cache_->source(door_, worker, share)
                              : frame_source(door_, frames_->arena(worker), share));
  }
}

IoCounters ConcurrentEngine::io() const {
  IoCounters sum = door_.counters();  // of channels that went with an error
  for (const auto& source : sources_) {
    if (source->channel() != nullptr) sum.add(source->channel()->counters());
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
  outcore::for_each_vertex(executor_, layout_, f);
}

void ConcurrentEngine::for_each_range(const RangeFn& f) {
  outcore::for_each_range(executor_, graph_.id_space, f);
}

std::uint64_t ConcurrentEngine::edges_of(const Frontier& frontier) {
  return outcore::edges_of(executor_, layout_, frontier);
}

void ConcurrentEngine::heads(unsigned k, const HeadsFn& f) {
  for_each_head(executor_, layout_, k, f);
}

void ConcurrentEngine::begin_noted_round() {
  if (options_.trace != nullptr) options_.trace->begin_round(trace_rounds_++);
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
  const std::size_t active = frontier.size();
  // edges_of() counts out-edges.
  if (direction == Direction::out && mode == Mode::any && traits.combines && traits.idempotent &&
      nearly_everything(frontier)) {
    frontier = Frontier::all(graph_);
  }
  const auto [everything, pull, read] = plan_round(traits, graph_, frontier, direction, mode);

  Frontier next = std::exchange(spare_, Frontier(0));
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
  dense_messages_ = pull || traits.emits_what_it_hears;
  if (traits.takes_all_messages(pull)) take_all_messages(round, frontier, layout_.index(direction));
  const IoCounters before = io();
  const Frontier heard = pull ? listeners(executor_, program, graph_.id_space) : Frontier(0);
  const Frontier& readers = pull ? heard : frontier;
  if (by_vertices_) {
    go_by_vertices(round, readers);
  } else {
    go_by_blocks(round, readers);
  }
  if (traits.settles) settle_all(executor_, program, graph_.id_space, collectors);

  for (Collector& collector : collectors) {
    collector.drain();
    report_.activations += collector.reported();
  }
  next.adopt(collectors);
  report_.vertices_processed += frontier.size();
  report_round(round, active, before, watch.seconds());
  frontier.clear();
  spare_ = std::move(frontier);
  return next;
}

// To pull needs no atomics, and the queue of all blocks is kept from one round to the next: WCC on
// Kronecker 23, of which two rounds are to hear 98% of the edges, pushed them in 0.87 and 0.67 s,
// and pulls them in 0.5 each.
bool ConcurrentEngine::nearly_everything(const Frontier& frontier) {
  constexpr std::uint64_t kLeftOut = 16;  // at most one edge in so many

  if (frontier.size() < graph_.vertices / 4) return false;  // spares the count
  return (graph_.edges - edges_of(frontier)) * kLeftOut <= graph_.edges;
}

void ConcurrentEngine::report_round(const Round& round, std::size_t active,
                                    const IoCounters& before, double seconds) {
  const IoCounters after = io();
  report_.edges_processed += round.edges;
  report_.rounds.push_back({.frontier = active,
                            .blocks = round.blocks,
                            .requests = after.requests - before.requests,
                            .requested_bytes = after.requested_bytes - before.requested_bytes,
                            .edges = round.edges,
                            .pull = round.pull,
                            .seconds = seconds});
  if (options_.rounds_done != nullptr) ++*options_.rounds_done;
}

void ConcurrentEngine::go_by_blocks(Round& round, const Frontier& readers) {
  // Those without edges hear nobody and tell nobody, so what is left of them is to be begun.
  queue_.build(executor_, readers, round.index, layout_.block_files()[round.file].blocks(),
               dense_messages_ ? BlockQueue::Edgeless::left_out : BlockQueue::Edgeless::named);
  round.blocks = queue_.blocks().size();
  round.edges = queue_.edges();
  if (!dense_messages_) take_straddlers(round);
  hear_blockless(round, queue_.blockless());
  process_queue_block(round);
}

void ConcurrentEngine::go_by_vertices(Round& round, const Frontier& readers) {
  vertex_queue_.build(readers, round.index);
  round.edges = vertex_queue_.edges();
  hear_blockless(round, vertex_queue_.blockless());
  process_queue(round);
}

void ConcurrentEngine::take_all_messages(Round& round, const Frontier& frontier,
                                         const ListIndex& index) {
  messages_.resize(std::size_t{graph_.id_space} * round.traits.message_bytes);
  outcore::take_all_messages(executor_, round.program, frontier, index,
                             dense_messages(round.traits));
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
void ConcurrentEngine::hear_blockless(Round& round, std::span<const VertexId> vertices) {
  executor_.parallel_for(
      0, vertices.size(), kVertexRange, [&](unsigned worker, std::size_t first, std::size_t last) {
        std::array<Piece, kBatch>& pieces = batches_[worker].pieces;
        while (first < last) {
          const std::size_t count = std::min(kBatch, last - first);
          for (std::size_t i = 0; i < count; ++i) {
            pieces[i] = inline_piece(round.index, vertices[first + i], vertices[first + i]);
          }
          scatter_block(round, worker, std::span(pieces).first(count));
          first += count;
        }
      });
}

EngineReport ConcurrentEngine::report() const {
  EngineReport report = report_;
  report.io = io();
  add_backend(report, door_.backend());
  if (cache_)
    report.cache = {{cache_->policy(), cache_->pool().slots(), cache_->pool().counters()}};
  report.memory = {
      {"index", layout_.index_bytes()},
      {"frames", cache_ ? cache_->pool().memory().size() : pool_bytes(layout_, options_)},
      {"messages", messages_.capacity()},
      {"block_queue", queue_.memory_bytes() + vertex_queue_.memory_bytes()}};
  if (cache_) report.memory.emplace_back("cache_map", cache_->pool().map_bytes());
  return report;
}

}  // namespace outcore
