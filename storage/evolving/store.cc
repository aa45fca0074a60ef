// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "common/error.h"
#include "common/sizes.h"
#include "common/stopwatch.h"
#include "storage/evolving/arena.h"

namespace outcore::evolving {

namespace {

// Lists of edges that are sharded take 8 bytes an edge, so phases of a whole log are split.
constexpr std::uint64_t kMostOfPhase = std::uint64_t{1} << 24;

// What one more entry in each of two lists may take of the pool: a buffer of the greatest layer.
std::uint64_t pool_bytes_of(const StoreKnobs& options, std::uint64_t edges) {
  return edges * 2 * options.most_buffer;
}

// Each lane has a bulk of which a part may be left.
std::uint64_t left_in_bulks(const StoreKnobs& options) {
  return Placement(options.place, *options.nodes, options.threads).lanes() * options.bulk_bytes;
}

// What the image settles.
void take_from_image(StoreKnobs& options) {
  const PmemShape& shape = options.image->shape();
  options.medium = options.image.get();
  options.symmetric = shape.sides == 1;
  options.log_edges = shape.log_edges;
  options.bulk_bytes = shape.bulk_bytes;
  options.threshold = std::min(options.threshold, shape.log_edges);
  options.place = PlaceLists::none;
  options.archiving = Archiving::buffers;
  options.reuse_buffered = false;
}

AdjacencyChain::Form form_of(const StoreKnobs& options) {
  return options.image ? AdjacencyChain::Form::numbered : AdjacencyChain::Form::plain;
}

EdgeLog log_of(const StoreKnobs& options) {
  if (!options.image) return {options.log_edges, options.reuse_buffered};
  return {options.image->log(), options.log_edges, options.image->flushed(), options.image->head()};
}

StoreKnobs checked(StoreKnobs options) {
  if (options.image) take_from_image(options);
  if (options.medium != nullptr && !options.medium->takes_any_thread()) options.threads = 1;
  if (!std::has_single_bit(options.log_edges) || options.log_edges < 2)
    throw usage_error(fmt::format("a log of {} edges: expected a power of two", options.log_edges));
  if (options.threshold == 0 || options.threshold > options.log_edges) {
    throw usage_error(fmt::format("a threshold of {} edges: expected 1 to {}, what the log holds",
                                  options.threshold, options.log_edges));
  }
  if (options.symmetric && options.place == PlaceLists::directions) {
    throw usage_error(
        "lists of both ends have one direction, so they cannot be placed by directions; place them "
        "by sub-graphs");
  }
  const auto is_layer = [](std::uint32_t bytes) {
    return std::has_single_bit(bytes) && bytes >= 1U << kLeastLayer && bytes <= 1U << kMostLayer;
  };
  if (!is_layer(options.least_buffer) || !is_layer(options.most_buffer) ||
      options.least_buffer > options.most_buffer) {
    throw usage_error(fmt::format("buffers of {} to {} bytes: expected powers of two from 8 to 512",
                                  options.least_buffer, options.most_buffer));
  }
  const std::uint64_t least =
      2 * left_in_bulks(options) + pool_bytes_of(options, options.threshold);
  if (options.pool_bytes < least) {
    throw usage_error(fmt::format(
        "a pool of {}: buffers of {} edges and {} threads' bulks need {}; a smaller threshold or "
        "smaller bulks need less",
        human_size(options.pool_bytes), options.threshold, options.threads, human_size(least)));
  }
  return options;
}

void refuse_vertex(VertexId greatest) {
  if (greatest < kMostVertices) return;
  throw usage_error(fmt::format("vertex {}: expected 0 to {}", greatest, kMostVertices - 1));
}

}  // namespace

Store::Store(const StoreKnobs& options)
    : options_(checked(options)),
      placement_(options_.place, *options_.nodes, options_.threads),
      layers_(options_.least_buffer, options_.most_buffer,
              AdjacencyChain::own_bytes(form_of(options_))),
      executor_(options_.threads),
      log_(log_of(options_)),
      pool_(std::make_shared<BufferPool>(placement_, options_.bulk_bytes)),
      chain_(new_chain(options_.image ? options_.image->open_bulks() : nullptr)),
      live_(std::make_shared<LiveSnapshots>()) {
  for (unsigned side = 0; side < sides(); ++side) {
    shards_.emplace_back(executor_, options_.ranges, placement_.vertex_places());
    lists_.emplace_back(placement_, side, options_.threads, layers_, *pool_, options_.image.get());
  }
  if (placement_.nodes() > 1) counters_.nodes.resize(placement_.nodes());
  if (options_.image) recover();
}

std::shared_ptr<AdjacencyChain> Store::new_chain(std::unique_ptr<Bulks> bulks) const {
  if (!bulks) {
    bulks = std::make_unique<Arena>(AdjacencyChain::kMostBytes, options_.bulk_bytes, placement_);
  }
  return std::make_shared<AdjacencyChain>(placement_, std::move(bulks), form_of(options_),
                                          options_.medium, options_.clwb,
                                          options_.log_edges * sizeof(LogEdge));
}

void Store::add_edge(VertexId source, VertexId target) {
  refuse_vertex(std::max(source, target));
  const LogEdge edge{source, target};
  add_edges({&edge, 1});
}

void Store::delete_edge(VertexId source, VertexId target) {
  refuse_vertex(std::max(source, target));
  const LogEdge edge{source, target | kRemoval};
  add_edges({&edge, 1});
}

void Store::add_edges(std::span<const LogEdge> edges) {
  while (!edges.empty()) {
    const std::span<LogEdge> into = room(edges.size());
    std::copy_n(edges.begin(), into.size(), into.begin());
    append(into.size());
    edges = edges.subspan(into.size());
  }
}

std::span<LogEdge> Store::room(std::uint64_t most) {
  const std::lock_guard lock(mutex_);
  if (log_.free() == 0) make_free_log();
  return log_.room(most);
}

void Store::append(std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  const std::span<const LogEdge> edges = log_.room(count);
  take(edges);
  log_.appended(count);
  told_of_log(log_.head() - count, log_.head(), true);
  if (options_.image) options_.image->acknowledge(log_.head());
  buffer_due();
}

EdgeFacts Store::facts_by_all_threads(std::span<const LogEdge> edges) {
  constexpr std::size_t kGrain = std::size_t{1} << 18;
  std::vector<EdgeFacts> facts(executor_.size());
  executor_.parallel_for(0, edges.size(), kGrain,
                         [&](unsigned thread, std::size_t first, std::size_t last) {
                           const EdgeFacts more = facts_of(edges.subspan(first, last - first));
                           EdgeFacts& mine = facts[thread];
                           mine.greatest = std::max(mine.greatest, more.greatest);
                           mine.removals += more.removals;
                         });
  EdgeFacts all;
  for (const EdgeFacts& mine : facts) {
    all.greatest = std::max(all.greatest, mine.greatest);
    all.removals += mine.removals;
  }
  return all;
}

// Counts edges, and makes room for their vertices.
void Store::take(std::span<const LogEdge> edges) {
  const EdgeFacts facts = facts_by_all_threads(edges);
  refuse_vertex(facts.greatest);
  counters_.updates += edges.size();
  counters_.removals += facts.removals;
  logged_removals_ += facts.removals;
  if (edges.empty() || facts.greatest < vertices_) return;
  vertices_ = facts.greatest + 1;
  for (VertexLists& lists : lists_) lists.grow(vertices_);
}

void Store::told_of_log(std::uint64_t begin, std::uint64_t end, bool written) {
  if (options_.medium == nullptr) return;
  const auto [first, second] = log_.edges(begin, end);
  const auto tell = [&](std::uint64_t place, std::span<const LogEdge> edges) {
    if (edges.empty()) return;
    if (written) options_.medium->wrote(place, edges.size_bytes(), edges.data());
    if (!written) options_.medium->read(place, edges.size_bytes());
  };
  tell(log_.place_of(begin), first);
  tell(log_.place_of(begin + first.size()), second);
}

// Starts the phases that the threshold asks for.
void Store::buffer_due() {
  while (log_.logged() >= options_.threshold) {
    buffering_phase(options_.exact_batches ? options_.threshold : log_.logged());
  }
}

// The log is full: of edges that are not flushed, or even of edges that are not buffered.
void Store::make_free_log() {
  while (log_.logged() > 0) buffering_phase(log_.logged());
  if (log_.free() == 0) flushing_phase();
}

// How many edges the pool surely has room for; at least `least`, if need be by a flush of all.
std::uint64_t Store::pool_room(std::uint64_t least) {
  const auto room = [&] {
    const std::uint64_t taken = pool_->taken_bytes() + left_in_bulks(options_);
    return taken >= options_.pool_bytes ? 0 : options_.pool_bytes - taken;
  };
  if (room() < pool_bytes_of(options_, least) && pool_->taken_bytes() > 0) {
    flushing_phase();
    ++counters_.forced_flushes;
  }
  // A living snapshot holds on to buffers. The store then goes beyond the limit, and not to a halt.
  return std::max(room() / pool_bytes_of(options_, 1), least);
}

void Store::buffering_phase(std::uint64_t edges) {
  if (options_.archiving == Archiving::buffers)
    edges = std::min(edges, pool_room(std::min(edges, options_.threshold)));
  edges = std::min(edges, kMostOfPhase);
  const std::uint64_t begin = log_.buffering();
  log_.mark(begin + edges);
  told_of_log(begin, log_.marker(), false);
  buffer_batch(log_.edges(begin, log_.marker()), logged_removals_ > 0);
  log_.buffered();
  if (log_.logged() == 0) logged_removals_ = 0;
  if (options_.archiving == Archiving::edge_by_edge) log_.flushed();
}

Phase Store::new_phase(bool removals) const { return {live_->alive(), live_->last(), removals}; }

void Store::buffer_batch(const Batch& batch, bool removals) {
  const Phase phase = new_phase(removals);
  pool_->reclaim(phase.alive.oldest);
  Stopwatch watch;
  split(batch);
  for (unsigned side = 0; side < sides(); ++side) count_by_node(side);
  counters_.shard_seconds += watch.lap();
  executor_.run([&](unsigned thread) {
    for (unsigned side = 0; side < sides(); ++side) buffer_ranges(thread, side, phase);
  });
  counters_.buffer_seconds += watch.lap();
  ++counters_.buffering_phases;
  counters_.greatest_phase =
      std::max(counters_.greatest_phase, batch.first.size() + batch.second.size());
  counters_.most_buffer_bytes = std::max(counters_.most_buffer_bytes, pool_->buffer_bytes());
}

// Both directions at once, so that threads wait for one another half as often.
void Store::split(const Batch& batch) {
  if (options_.symmetric) {
    const EdgeShard::Split both{&shards_[0], Ends::both};
    EdgeShard::split(executor_, {&both, 1}, batch, vertices_);
    return;
  }
  const std::array<EdgeShard::Split, 2> splits = {
      {{&shards_[0], Ends::source}, {&shards_[1], Ends::target}}};
  EdgeShard::split(executor_, splits, batch, vertices_);
}

void Store::buffer_ranges(unsigned thread, unsigned side, const Phase& phase) {
  const Placement::Bound bound(placement_, thread, side);
  EdgeShard& shard = shards_[side];
  std::vector<Sharded> in_log_order;
  const unsigned step = shard.range_step();
  for (unsigned r = shard.first_range(thread); r < shard.last_range(thread); r += step) {
    if (options_.archiving == Archiving::edge_by_edge)
      in_log_order.assign(shard.list(r).begin(), shard.list(r).end());
    const std::span<const Sharded> sorted = shard.sorted(thread, r);
    if (options_.archiving == Archiving::buffers) {
      lists_[side].buffer(thread, sorted, *chain_, phase);
    } else {
      lists_[side].archive(thread, in_log_order, sorted, *chain_, phase);
    }
  }
}

void Store::count_by_node(unsigned side) {
  if (counters_.nodes.empty()) return;
  EdgeShard& shard = shards_[side];
  const unsigned step = shard.range_step();
  for (unsigned thread = 0; thread < executor_.size(); ++thread) {
    std::uint64_t& entries = counters_.nodes[placement_.node(thread, side)].entries;
    for (unsigned r = shard.first_range(thread); r < shard.last_range(thread); r += step)
      entries += shard.list(r).size();
  }
}

void Store::buffer_all() {
  const std::lock_guard lock(mutex_);
  buffer_everything();
}

void Store::buffer_everything() {
  while (log_.logged() > 0) {
    buffering_phase(options_.exact_batches ? std::min(options_.threshold, log_.logged())
                                           : log_.logged());
  }
}

void Store::buffer_edges(std::span<const LogEdge> edges) {
  if (options_.image) return add_edges(edges);
  buffer_all();  // what came before goes first
  const std::lock_guard lock(mutex_);
  take(edges);
  logged_removals_ = 0;
  for (; !edges.empty();) {
    const std::uint64_t count = std::min(edges.size(), options_.threshold);
    if (options_.archiving == Archiving::buffers) pool_room(count);
    buffer_batch({edges.first(count), {}}, true);
    edges = edges.subspan(count);
  }
}

std::shared_ptr<Snapshot> Store::snapshot() const {
  const std::lock_guard lock(mutex_);
  SnapshotParts parts;
  parts.updates = counters_.updates;
  parts.removals = counters_.removals;
  parts.removals_missed = counters_.removals_missed;
  parts.vertices = vertices_;
  parts.symmetric = options_.symmetric;
  parts.places = placement_.vertex_places();
  if (placement_.nodes() > 1) parts.placement.emplace(placement_);
  for (unsigned side = 0; side < sides(); ++side)
    parts.partitions[side] = lists_[side].partitions();
  const auto [first, second] = log_.edges(log_.buffering(), log_.head());
  parts.logged.assign(first.begin(), first.end());
  parts.logged.insert(parts.logged.end(), second.begin(), second.end());
  parts.chain = chain_;
  parts.pool = pool_;
  parts.live = live_;
  return std::make_shared<Snapshot>(std::move(parts));
}

VertexId Store::vertices() const {
  const std::lock_guard lock(mutex_);
  return vertices_;
}

StoreCounters Store::counters() const {
  const std::lock_guard lock(mutex_);
  StoreCounters counters = counters_;
  for (const VertexLists& lists : lists_) counters += lists.counters();
  counters += chain_->counters();
  counters.buffer_bytes = pool_->buffer_bytes();
  counters.pool_bytes = pool_->most_taken_bytes();
  counters.chain_bytes = chain_->taken_bytes();
  for (unsigned node = 0; node < counters.nodes.size(); ++node)
    counters.nodes[node].chain_bytes = chain_->taken_bytes(node);
  return counters;
}

}  // namespace outcore::evolving
