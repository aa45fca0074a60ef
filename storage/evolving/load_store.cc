// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/load_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/progress.h"
#include "storage/evolving/durable/durable_store.h"
#include "storage/evolving/durable/real_disk.h"
#include "storage/evolving/pmem_store.h"
#include "storage/evolving/prefix_of_log.h"
#include "storage/evolving/snapshot_view.h"
#include "storage/evolving/store.h"

namespace outcore::evolving {

namespace {

// Hands edges to a store in large portions. They come sorted from runs, and a phase of many edges
// still has something for every thread.
class BatchFeed {
 public:
  BatchFeed(Store& store, Progress& progress) : store_(store), progress_(progress) {}
  void put(LogEdge edge) {
    if (used_ == room_.size()) next_room();
    room_[used_++] = edge;
  }
  void finish() {
    store_.append(used_);
    progress_.add(used_);
    room_ = {};
    used_ = 0;
  }

 private:
  void next_room() {
    constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 22;
    if (used_ > 0) finish();
    room_ = store_.room(kAtOnce);
  }

  Store& store_;
  Progress& progress_;
  std::span<LogEdge> room_;
  std::size_t used_ = 0;
};

// A stretch of updates takes c copies to max(c - removes, 0) + adds, which is what `removes`
// removals and then `adds` additions do. Returns the removals.
std::uint64_t feed_run(ChangeSource& changes, BatchFeed& feed) {
  std::uint64_t removals = 0;
  VertexId vertex = 0;
  std::vector<PairChange> list;
  while (changes.next(vertex, list)) {
    for (const PairChange& change : list) {
      removals += change.removes;
      const auto edge = [&](bool removes) {
        return as_logged({vertex, change.neighbour, removes});
      };
      for (std::uint32_t i = 0; i < change.removes; ++i) feed.put(edge(true));
      for (std::uint32_t i = 0; i < change.adds; ++i) feed.put(edge(false));
    }
  }
  return removals;
}

// The oldest run has what stands after its updates alone.
bool may_remove(const std::vector<Run>& runs, const std::vector<Update>& log) {
  return runs.size() > 1 || std::ranges::any_of(log, &Update::removes);
}

void count_entries(const Snapshot& snapshot, LoadedStore& loaded) {
  const SnapshotView view(snapshot, Direction::out);
  loaded.logged = view.logged_entries();
  loaded.buffered = 0;
  loaded.flushed = 0;
  for (VertexId v = 0; v < snapshot.vertices(); ++v) {
    loaded.buffered += view.record(v).used;
    loaded.flushed += view.record(v).flushed;
  }
}

StoreKnobs knobs_for(const LoadOptions& options, OptaneModel* model) {
  StoreKnobs knobs = options.spec.options;
  knobs.threads = options.spec.modelled ? 1 : options.threads;
  knobs.medium = model;
  return knobs;
}

// Null without a model. `updates` says how long the lists are about to be.
std::shared_ptr<OptaneModel> model_for(const LoadOptions& options, std::uint64_t updates) {
  if (!options.spec.modelled) return nullptr;
  const std::uint64_t usual = OptaneModel::usual_cache_bytes(updates * sizeof(LogEdge));
  return std::make_shared<OptaneModel>(OptaneParameters{
      .cache_bytes = options.spec.cache_bytes.value_or(usual), .dimms = options.spec.dimms});
}

void open_snapshot(const Store& store, const std::filesystem::path& folder, VertexId vertices,
                   unsigned threads, std::shared_ptr<OptaneModel> model, LoadedStore& loaded) {
  const std::shared_ptr<Snapshot> snapshot = store.snapshot();
  snapshot->prepare(threads);
  count_entries(*snapshot, loaded);
  loaded.graph = std::make_unique<OpenedStore>(folder, snapshot, vertices, std::move(model));
}

// Puts what stands in `loaded` into a store in memory, whose lists are compact. With
// lists=symmetric each edge is at both ends, as it is in a symmetric store.
void copy_into_memory(const std::filesystem::path& folder, LoadOptions options,
                      LoadedStore& loaded) {
  const std::unique_ptr<OpenedStore> from = std::move(loaded.graph);
  const bool has_both_ends = from->facts().symmetric;
  options.spec.options.symmetric |= has_both_ends;
  std::shared_ptr<OptaneModel> model = model_for(options, from->facts().edges);
  const StoreKnobs knobs = knobs_for(options, model.get());
  Store store(knobs);
  Progress progress("copying " + folder.string(), from->facts().edges, "edges");
  BatchFeed feed(store, progress);
  ListReader reader(from->snapshot());
  for (VertexId v = 0; v < from->snapshot().vertices(); ++v) {
    reader.for_each_piece(Direction::out, v, [&](std::span<const VertexId> piece) {
      for (const VertexId u : piece) {
        if (!has_both_ends || v <= u) feed.put({v, u});
      }
    });
  }
  feed.finish();
  store.flush_all();
  store.compact_all();
  open_snapshot(store, folder, from->facts().vertices, knobs.threads, std::move(model), loaded);
}

// In place, or a copy in DRAM.
LoadedStore load_pmem_store(const std::filesystem::path& folder, const LoadOptions& options) {
  const bool in_place = options.spec.in_pmem;
  StoreKnobs knobs = in_place ? options.spec.options : StoreKnobs();
  knobs.threads = options.threads;
  const PmemReader reader(folder, knobs);
  const std::uint64_t updates = reader.snapshot->updates();
  if (options.prefix && *options.prefix != updates) {
    throw usage_error(fmt::format(
        "{} cannot be opened as its first {} updates: chains in persistent memory hold all of its "
        "{} as one; leave --prefix out",
        folder.string(), *options.prefix, updates));
  }
  if (in_place && options.spec.options.symmetric && !reader.snapshot->symmetric()) {
    throw usage_error(fmt::format(
        "{}: the store there has directed lists, which are read in place; lists=symmetric without "
        "medium=pmem copies them into memory, with each edge at both ends",
        folder.string()));
  }
  LoadedStore loaded;
  loaded.prefix = updates;
  loaded.removals_missed = reader.snapshot->removals_missed();
  loaded.is_persistent = reader.image->memory().is_persistent();
  loaded.graph = std::make_unique<OpenedStore>(folder, reader.snapshot);
  count_entries(*reader.snapshot, loaded);
  if (!in_place) copy_into_memory(folder, options, loaded);
  return loaded;
}

}  // namespace

LoadedStore load_store(const std::filesystem::path& folder, const LoadOptions& options) {
  if (is_pmem_store(folder)) return load_pmem_store(folder, options);
  RealDisk disk(folder);
  std::vector<Update> log;
  const DurableStore durable(disk, {}, [&](std::span<const Update> updates) {
    log.insert(log.end(), updates.begin(), updates.end());
  });
  log.resize(prefix_of_log(durable, folder, options.prefix));
  const std::vector<Run> runs = durable.runs();
  LoadedStore loaded;
  loaded.prefix = durable.flushed() + log.size();
  std::shared_ptr<OptaneModel> model = model_for(options, loaded.prefix);
  StoreKnobs knobs = knobs_for(options, model.get());
  // A removal takes a copy of its own direction, so what stands is found before it is mirrored.
  const bool directed_first = knobs.symmetric && may_remove(runs, log);
  knobs.symmetric &= !directed_first;
  Store store(knobs);
  Progress progress("opening " + folder.string(), loaded.prefix, "updates");
  BatchFeed feed(store, progress);
  for (const Run& run : runs) {
    loaded.tombstones += feed_run(*read_run(disk, run, Direction::out, 0), feed);
  }
  feed.finish();
  store.flush_all();
  if (runs.size() == 1 && !knobs.symmetric) store.compact_all();
  for (const Update& update : log) feed.put(as_logged(update));
  feed.finish();
  if (knobs.symmetric) {
    store.flush_all();
    store.compact_all();
  }

  loaded.runs = runs.size();
  open_snapshot(store, folder, durable.vertices(), knobs.threads, std::move(model), loaded);
  loaded.removals_missed = durable.removals_missed() + loaded.graph->snapshot().removals_missed();
  if (directed_first) copy_into_memory(folder, options, loaded);
  return loaded;
}

}  // namespace outcore::evolving
