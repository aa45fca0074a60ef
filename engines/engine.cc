// SPDX-License-Identifier: Apache-2.0
#include "engines/engine.h"

#include <fmt/format.h>

#include <atomic>

#include "common/error.h"
#include "common/shell.h"
#include "storage/events/event_recorder.h"
#include "storage/layout/layout_command.h"
#include "storage/layout/manifest.h"

namespace outcore {

std::string to_string(Visibility visibility) {
  switch (visibility) {
    case Visibility::round:
      return "round";
    case Visibility::interval:
      return "interval";
    case Visibility::immediate:
      break;
  }
  return "immediate";
}

std::string to_string(Heads heads) {
  switch (heads) {
    case Heads::none:
      return "none";
    case Heads::layout:
      return "layout";
    case Heads::any:
      break;
  }
  return "any";
}

BackendOptions backend_options(const EngineOptions& options, unsigned depth) {
  BackendOptions backend;
  backend.depth = depth;
  backend.direct = options.direct;
  backend.fault_plan = options.fault_plan;
  backend.device = options.device;
  backend.gauge = options.gauge;
  backend.events = options.events;
  return backend;
}

std::unique_ptr<ExecutorWatch> watch_of(const EngineOptions& options) {
  return options.events != nullptr ? options.events->watch() : nullptr;
}

void note_round_began(const EngineOptions& options, std::uint64_t round, std::uint64_t frontier,
                      bool pull) {
  if (options.events == nullptr) return;
  options.events->note(EventKind::round_began, round, pull ? 1 : 0, frontier);
}

void note_round_ended(const EngineOptions& options, std::uint64_t round,
                      std::uint64_t activations) {
  if (options.events == nullptr) return;
  options.events->note(EventKind::round_ended, round, 0, activations);
}

std::uint64_t Engine::edges_of(const Frontier& frontier) {
  std::atomic<std::uint64_t> edges{0};
  for_each_vertex([&](VertexRange range, std::span<const std::uint32_t> degrees) {
    std::uint64_t sum = 0;
    frontier.bits().for_each(range.begin, range.end,
                             [&](std::size_t v) { sum += degrees[v - range.begin]; });
    edges.fetch_add(sum, std::memory_order_relaxed);  // read when all ranges are done
  });
  return edges;
}

void Engine::for_each_range(const RangeFn& f) {
  for_each_vertex([&](VertexRange range, std::span<const std::uint32_t> /*degrees*/) { f(range); });
}

StateBits Engine::state_bits(const std::string& name) {
  const VertexId bits = graph().id_space;
  return {zeros<std::uint64_t>(name, StateBits::words_for(bits)), bits};
}

void Engine::heads(unsigned /*k*/, const HeadsFn& /*f*/) {
  throw usage_error("this engine keeps no heads; choose one that does: outcore list");
}

void Engine::drive(TaskProgram& /*program*/, std::span<const Task> /*tasks*/,
                   Direction /*direction*/) {
  throw usage_error(
      "this engine does not drive dependent lists; choose one that does: outcore list");
}

Parameters EngineEntry::settings(const std::vector<std::string>& assignments) const {
  const std::string owner = "engine " + name;
  Parameters asked(owner, parameters, assignments);
  if (!is_published(asked)) return asked;
  return {owner, with_published_defaults(parameters, published.value()), assignments};
}

EngineEntry EngineEntry::with(const Parameters& settings) const {
  EngineEntry entry = *this;
  entry.traits = traits_with(settings);
  if (is_published(settings)) entry.max_request = published->max_request.value_or(max_request);
  return entry;
}

std::unique_ptr<Engine> EngineEntry::make(const OpenedGraph& graph,
                                          const EngineOptions& options) const {
  if (graph.kind() == GraphKind::store) {
    check_reads_store(*this, graph.folder());
  } else {
    check_reads(*this, graph.folder(), graph.manifest());
  }
  return build(graph, options);
}

bool can_read(const EngineEntry& engine, GraphKind kind, std::string_view pack) {
  return kind == engine.reads && (engine.traits.pack.empty() || engine.traits.pack == pack);
}

void check_reads_store(const EngineEntry& engine, const std::filesystem::path& folder) {
  if (engine.reads == GraphKind::store) return;
  const std::string store = shell_word(folder);
  throw usage_error(fmt::format(
      "engine {} reads layouts, and {} is a store of a graph that changes; take the engine "
      "evolving, or make a graph of it: outcore freeze {} GRAPH",
      engine.name, folder.string(), store));
}

void check_reads_layouts(const EngineEntry& engine, const std::filesystem::path& folder) {
  if (engine.reads != GraphKind::store) return;
  throw usage_error(fmt::format(
      "engine {} reads the store of a graph that changes, and {} is none; make one of a stream "
      "of updates: outcore ingest STREAM --store STORE",
      engine.name, folder.string()));
}

void check_reads(const EngineEntry& engine, const std::filesystem::path& folder,
                 const nlohmann::json& manifest) {
  check_reads_layouts(engine, folder);
  const std::filesystem::path path = folder / "layout.json";
  const GraphKind kind = layout_kind(manifest, path);
  const std::string pack = choices_from_manifest(manifest, path).pack;
  if (can_read(engine, kind, pack)) return;
  const std::string_view wanted = engine.traits.pack;
  throw usage_error(fmt::format(
      "engine {} reads {}{}, and {} holds {} of pack {}; {}", engine.name, to_string(engine.reads),
      wanted.empty() ? "" : fmt::format(" of pack {}", wanted), folder.string(), to_string(kind),
      pack, how_to_have(graph_of_layout(folder), plainest_choices(engine))));
}

LayoutChoices plainest_choices(const EngineEntry& engine) {
  LayoutChoices choices = plainest_choices(engine.reads);
  if (!engine.traits.pack.empty()) choices.pack = engine.traits.pack;
  return choices;
}

}  // namespace outcore
