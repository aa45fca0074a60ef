// SPDX-License-Identifier: Apache-2.0
#include "cli/memory_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "engines/frames_left.h"
#include "engines/graph_of.h"
#include "storage/evolving/vertex_buffer.h"
#include "storage/evolving/vertex_lists.h"

namespace outcore {

namespace {

// Another number of vertices, with one edge each; what programs ask besides is as in the graph.
Graph sample_of(Graph graph, VertexId vertices) {
  graph.id_space = vertices;
  graph.vertices = vertices;
  graph.edges = vertices;
  graph.originals = nullptr;  // there are as many as the graph has vertices
  graph.ranked = true;
  return graph;
}

// An engine whose vertices have one edge each and whose lists nothing reads.
class NoEngine final : public Engine {
 public:
  // `pull` as the real engine: programs may keep other arrays for engines that only push.
  NoEngine(const Graph& sample, bool pull)
      : pull_(pull), graph_(sample), degrees_(sample.vertices, 1) {
    keep_states_in(states);
  }
  [[nodiscard]] EngineTraits traits() const override {
    return {.pull = pull_, .drive = true, .heads = Heads::any};
  }
  [[nodiscard]] const Graph& graph() const override { return graph_; }
  void for_each_vertex(const VertexFn& f) override { f({0, graph_.id_space}, degrees_); }
  void converge(Program& /*program*/, Frontier&& /*frontier*/) override {}
  Frontier round(Program& /*program*/, Frontier&& /*frontier*/, Direction /*direction*/,
                 Mode /*mode*/) override {
    return Frontier(graph_.id_space);
  }
  void heads(unsigned /*k*/, const HeadsFn& /*f*/) override {}
  void drive(TaskProgram& /*program*/, std::span<const Task> /*tasks*/,
             Direction /*direction*/) override {}
  [[nodiscard]] EngineReport report() const override { return {}; }

  std::shared_ptr<StateStore> states = std::make_shared<StateStore>();

 private:
  bool pull_;
  Graph graph_;
  std::vector<std::uint32_t> degrees_;
};

std::uint64_t sum(const NamedBytes& parts) {
  std::uint64_t all = 0;
  for (const auto& [name, bytes] : parts) all += bytes;
  return all;
}

// The memory of an engine that keeps all blocks and one bit per vertex. While it decodes encoded or
// weighted lists, it holds both the blocks and the decoded lists.
NamedBytes whole_graph(const OpenedGraph& layout) {
  const CommonFacts& facts = layout.facts();
  const LayoutChoices& choices = layout.choices();
  const bool weighted = choices.weights != "none";
  std::uint64_t lists = 0;
  for (const BlockFile& file : layout.block_files()) {
    lists += file.blocks() * file.block_bytes + kAlignment + facts.id_space / 8;
    if (choices.codec == "raw" && !weighted) continue;
    lists += std::uint64_t{facts.id_space} * sizeof(std::uint64_t) +
             facts.edges * (sizeof(VertexId) + (weighted ? sizeof(float) : 0));
  }
  return {{"index", layout.index_bytes()}, {"lists", lists}};
}

// The same of the store of a graph that changes: a record for each vertex, and for queries its
// degree; 4 bytes for each edge that stands.
NamedBytes whole_store(const CommonFacts& facts) {
  const unsigned sides = facts.symmetric ? 1 : 2;
  const std::uint64_t partitions =
      (std::uint64_t{facts.id_space} + evolving::kPartitionVertices - 1) >>
      evolving::kPartitionBits;
  return {{"index", sides * partitions * sizeof(evolving::Partition)},
          {"lists", sides * (facts.edges + facts.id_space) * sizeof(VertexId)}};
}

// A vertex that is named may not be in the sample; there, any vertex will do.
Parameters from_anywhere(const Workload& workload, const Parameters& parameters) {
  std::vector<std::string> assignments;
  for (const auto& [name, text] : parameters.changed()) {
    const auto same = [&name = name](const Parameter& declared) { return declared.name == name; };
    const auto declared =
        std::find_if(workload.parameters.begin(), workload.parameters.end(), same);
    if (declared->kind == Parameter::Kind::vertex) continue;
    assignments.push_back(fmt::format("{}={}", name, text));
  }
  return {workload.name, workload.parameters, assignments};
}

// An array's length depends on the number of vertices or on parameters only; two samples tell
// which, and how much it grows per vertex.
NamedBytes arrays_of(const EngineEntry& engine, const OpenedGraph& layout, const Workload& workload,
                     const Parameters& parameters) {
  constexpr std::int64_t kSmall = 1 << 15;
  constexpr std::int64_t kLarge = 1 << 16;
  const Parameters sampled = from_anywhere(workload, parameters);
  const auto sample = [&](std::int64_t vertices) {
    NoEngine sampled_engine(sample_of(graph_of(layout), static_cast<VertexId>(vertices)),
                            engine.traits.pull);
    workload.run(sampled_engine, sampled);
    return sampled_engine.states->in_memory();
  };
  const NamedBytes small = sample(kSmall);
  NamedBytes arrays = sample(kLarge);
  for (auto& [name, bytes] : arrays) {
    const auto same = std::find_if(small.begin(), small.end(),
                                   [&](const auto& part) { return part.first == name; });
    const auto at_small = same == small.end() ? 0 : static_cast<std::int64_t>(same->second);
    const auto at_large = static_cast<std::int64_t>(bytes);
    const double a_vertex =
        static_cast<double>(at_large - at_small) / static_cast<double>(kLarge - kSmall);
    const double there = static_cast<double>(at_large) +
                         a_vertex * (static_cast<double>(layout.facts().id_space) - kLarge);
    bytes = static_cast<std::uint64_t>(std::max(0.0, there));
  }
  return arrays;
}

NamedBytes parts_of(const EngineEntry& engine, const OpenedGraph& layout,
                    const EngineOptions& options, bool drives) {
  const bool is_store = layout.kind() == GraphKind::store;
  const bool in_place = is_store && options.settings.text("medium") == "pmem";
  if (engine.traits.keeps_graph_in_memory && is_store && !in_place)
    return whole_store(layout.facts());
  if (engine.traits.keeps_graph_in_memory && !is_store) return whole_graph(layout);
  const std::unique_ptr<Engine> built = engine.make(layout, options);
  NamedBytes parts = built->report().memory;
  for (auto& part : built->memory_to_come(drives)) parts.push_back(std::move(part));
  return parts;
}

}  // namespace

std::uint64_t MemoryPlan::frames() const {
  NamedBytes frames;
  std::copy_if(engine.begin(), engine.end(), std::back_inserter(frames),
               [](const auto& part) { return part.first == "frames" || part.first == "chunks"; });
  return sum(frames);
}

std::uint64_t MemoryPlan::all() const { return program + sum(engine) + sum(arrays); }

MemoryPlan plan_memory(const EngineEntry& engine, const OpenedGraph& layout,
                       const EngineOptions& options, const Workload& workload,
                       const Parameters& parameters) {
  return {.program = 0,
          .engine = parts_of(engine, layout, options, workload.needs_drive),
          .arrays = arrays_of(engine, layout, workload, parameters)};
}

NamedBytes left_in_memory(const NamedBytes& arrays, const StateFiles& files) {
  return {{"arrays", std::min(sum(arrays), files.most_in_memory)}};
}

std::uint64_t frames_of_memory(const RunRequest& request, const EngineEntry& engine,
                               const OpenedGraph& layout, const Workload& workload,
                               const Parameters& parameters) {
  const CommonFacts& facts = layout.facts();
  NamedBytes arrays = arrays_of(engine, layout, workload, parameters);
  const auto& files = request.state_files;
  if (files) arrays = left_in_memory(arrays, *files);
  const bool has_order = layout.choices().pack == "chunks";
  const std::uint64_t order =
      has_order ? layout.block_files().size() * facts.id_space * sizeof(VertexId) : 0;
  return frames_left(*request.memory_bytes,
                     {.index_bytes = layout.index_bytes() + order,
                      .state_bytes = sum(arrays),
                      .ids = facts.id_space,
                      .messages_in_files = files && files->most_in_memory == 0,
                      .least_frames = engine.traits.least_frames});
}

}  // namespace outcore
