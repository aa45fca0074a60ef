// SPDX-License-Identifier: Apache-2.0
#include "engines/evolving/evolving.h"

#include "engines/evolving/on_disk.h"
#include "engines/graph_of.h"
#include "engines/memory/rho_stepping.h"
#include "engines/memory/rounds.h"
#include "storage/evolving/store_spec.h"

namespace outcore {

template class MemoryEngine<SnapshotPieces>;

namespace {

// The model counts accesses in their order, which several threads do not have.
EngineOptions with_threads_for(const evolving::OpenedStore& store, EngineOptions options) {
  if (store.model() != nullptr) options.threads = 1;
  return options;
}

SnapshotPieces pieces_of(const evolving::OpenedStore& store, Direction direction,
                         const EngineOptions& options) {
  if (direction == Direction::in && store.facts().symmetric) return {};
  return SnapshotPieces(evolving::StandingLists(store.snapshot(), direction, store.facts().vertices,
                                                std::max(1U, options.threads)));
}

}  // namespace

std::vector<Parameter> EvolvingEngine::parameters() {
  const std::span<const Parameter> declared = evolving::store_parameters();
  return {declared.begin(), declared.end()};
}

EngineTraits EvolvingEngine::traits_with(const Parameters& settings) {
  return settings.text("medium") == "ssd" ? EvolvingOnDisk::kTraits : kTraits;
}

std::unique_ptr<Engine> EvolvingEngine::make(const evolving::OpenedStore& store,
                                             const EngineOptions& options) {
  if (store.stored() != nullptr) return std::make_unique<EvolvingOnDisk>(*store.stored(), options);
  return std::make_unique<EvolvingEngine>(store, options);
}

EvolvingEngine::EvolvingEngine(const evolving::OpenedStore& store, const EngineOptions& options)
    : MemoryEngine(graph_of(store), with_threads_for(store, options),
                   pieces_of(store, Direction::out, options),
                   pieces_of(store, Direction::in, options)),
      store_(store) {
  report_.backend = "memory";
  report_.memory = {
      {"index", store.index_bytes()},
      {"lists", store.list_bytes() + out_.lists().memory_bytes() + in_.lists().memory_bytes()}};
  report_.counts["pieces"] = 0;
  report_.counts["resolved_lists"] = out_.lists().resolved_lists() + in_.lists().resolved_lists();
  if (store.model() == nullptr) return;
  model_before_ = store.model()->counters();
  if (options.threads > 1)
    report_.notes.push_back("one thread reads: the model counts accesses in their order");
}

void EvolvingEngine::converge(Program& program, Frontier&& frontier) {
  converge_in_rounds(program, std::move(frontier));
}

EngineReport EvolvingEngine::report() const {
  EngineReport report = report_;
  if (store_.model() == nullptr) return report;
  const evolving::OptaneCounters now = store_.model()->counters();
  report.counts["bus_read_bytes"] = now.bus_read_bytes() - model_before_.bus_read_bytes();
  report.counts["bus_written_bytes"] = now.bus_written_bytes() - model_before_.bus_written_bytes();
  report.counts["medium_read_bytes"] = now.medium_read_bytes() - model_before_.medium_read_bytes();
  report.counts["medium_written_bytes"] =
      now.medium_written_bytes() - model_before_.medium_written_bytes();
  return report;
}

}  // namespace outcore
