// SPDX-License-Identifier: Apache-2.0
/*
Kernel: random walks (random-walk)
Returns: how often each vertex was visited, starts included

`walkers` walkers start at random vertices and take `steps` steps each, every time along a random
edge; where there is none, the walk ends. Each random number is a hash of seed, walker and step, and
it picks by canonical ids: the start, and the rank of the neighbour within its list. So a walk is
the same on every engine and in every layout.

Walkers do not meet, so any order gives the same counts. Where lists ascend by canonical id
(Graph::ranked) a step reads one edge, otherwise the whole list.

[1] CAVE, SIGMOD 2024, section 4.6 and Algorithm 5. There all walkers step in rounds; here each
walks on its own, as many at a time as the engine has room for. The paper states neither K nor the
iterations; its published code has 1000 walkers of 1000 steps. Here each takes 10 by default,
because a step reads a whole list where lists do not ascend.
*/

#include "engines/vertex_program.h"
#include "workloads/registry.h"

namespace outcore {

namespace {

struct Walks {
  std::uint64_t walkers;
  std::uint32_t steps;
  std::uint64_t seed;

  explicit Walks(const Parameters& parameters)
      : walkers(parameters.whole("walkers")),
        steps(static_cast<std::uint32_t>(parameters.whole("steps"))),
        seed(parameters.whole("seed")) {}

  [[nodiscard]] VertexId start(std::uint64_t walker, VertexId vertices) const {
    return static_cast<VertexId>(mix(mix(seed) ^ walker) % vertices);
  }
  // The rank, among the neighbours in ascending order, of the one that `walker` goes to with its
  // step number `step`.
  [[nodiscard]] std::uint32_t rank(std::uint64_t walker, std::uint32_t step,
                                   std::uint64_t degree) const {
    return static_cast<std::uint32_t>(mix(mix(mix(seed) ^ walker) ^ (step + 1)) % degree);
  }
};

// A task's state is walker << 32 | steps done.
class Walkers : public TaskProgram {
 public:
  Walkers(Engine& engine, const Walks& walks)
      : visits(engine.state<std::uint32_t>("visits")),
        graph_(engine.graph()),
        walks_(walks),
        read_(graph_.ranked ? 0 : walks.walkers) {}

  State<std::uint32_t> visits;

  ListRange wants(const Task& task, std::uint32_t degree) override {
    if (degree == 0 || !graph_.ranked) return {0, degree};
    const std::uint32_t rank = walks_.rank(walker(task), step_of(task), degree);
    return {rank, rank + 1};
  }

  void step(const Task& task, const Piece& piece, TaskStack& next) override {
    if (piece.degree == 0) return;
    if (graph_.ranked) {
      go(task, piece.ids[0], next);
      return;
    }
    // The list is complete only after all its pieces; a walker's pieces arrive one after another.
    std::vector<VertexId>& list = read_[walker(task)];
    list.insert(list.end(), piece.ids, piece.ids + piece.count);
    if (list.size() < piece.degree) return;
    const std::uint32_t rank = walks_.rank(walker(task), step_of(task), piece.degree);
    std::nth_element(list.begin(), list.begin() + rank, list.end(), [&](VertexId a, VertexId b) {
      return graph_.original(a) < graph_.original(b);
    });
    const VertexId v = list[rank];
    std::vector<VertexId>().swap(list);
    go(task, v, next);
  }

 private:
  [[nodiscard]] static std::uint64_t walker(const Task& task) { return task.state >> 32; }
  [[nodiscard]] static std::uint32_t step_of(const Task& task) {
    return static_cast<std::uint32_t>(task.state);
  }
  void go(const Task& task, VertexId v, TaskStack& next) {
    increase<Access::shared>(visits[v], std::uint32_t{1});
    if (step_of(task) + 1 < walks_.steps) next.push_back({.v = v, .state = task.state + 1});
  }

  const Graph& graph_;
  const Walks& walks_;
  std::vector<std::vector<VertexId>> read_;  // by walker: the list that is being read
};

Answer walks_answer(const Graph& graph, const State<std::uint32_t>& visits) {
  Answer answer{.values = in_canonical_order(graph, visits), .summary = {}};
  std::uint64_t all = 0;
  std::uint64_t visited = 0;
  for (const std::uint32_t count : std::get<0>(answer.values)) {
    all += count;
    visited += count > 0 ? 1 : 0;
  }
  answer.summary = {{"visits", all}, {"visited", visited}};
  return answer;
}

// Layout ids by canonical id.
State<VertexId> layout_ids_of(Engine& engine) {
  const Graph& graph = engine.graph();
  auto ids = engine.zeros<VertexId>("layout_ids", graph.vertices);
  engine.for_each_range([&](VertexRange range) {
    for (VertexId v = range.begin; v < range.end; ++v) {
      if (graph.is_real(v)) ids[graph.original(v)] = v;
    }
  });
  return ids;
}

Finish run_random_walk(Engine& engine, const Parameters& parameters) {
  const Graph& graph = engine.graph();
  const Walks walks(parameters);
  Walkers program(engine, walks);
  const State<VertexId> ids = layout_ids_of(engine);
  auto starts = engine.zeros<Task>("starts", graph.vertices == 0 ? 0 : walks.walkers);
  for (std::uint64_t i = 0; i < starts.size(); ++i) {
    const VertexId v = ids[walks.start(i, graph.vertices)];
    ++program.visits[v];
    starts[i] = {.v = v, .state = i << 32};
  }
  engine.drive(program, starts, Direction::out);

  return [graph, visits = program.visits] { return walks_answer(graph, visits); };
}

// One walker after the other over the canonical lists, which ascend: every vertex was visited
// exactly as often as the walks go through it.
Verdict verify_random_walk(const Canonical& canonical, const Answer& answer,
                           const Parameters& parameters) {
  const Walks walks(parameters);
  std::vector<std::uint32_t> visits(canonical.out.vertices(), 0);
  for (std::uint64_t i = 0; i < (visits.empty() ? 0 : walks.walkers); ++i) {
    VertexId v = walks.start(i, canonical.out.vertices());
    ++visits[v];
    for (std::uint32_t step = 0; step < walks.steps; ++step) {
      const std::span<const VertexId> list = canonical.out.list(v);
      if (list.empty()) break;
      v = list[walks.rank(i, step, list.size())];
      ++visits[v];
    }
  }
  const auto never = std::count(visits.begin(), visits.end(), 0U);
  const auto visited = static_cast<std::int64_t>(visits.size()) - never;
  return check_said(
      compare("the same walks, one after another", std::get<0>(answer.values), visits), answer,
      "visited", static_cast<double>(visited));
}

}  // namespace

Workload random_walk_workload() {
  using Kind = Parameter::Kind;
  return {.name = "random-walk",
          .help = "visits by random walkers",
          .parameters = {{"walkers", "1000", "number of walkers", Kind::whole, 1, 1 << 30},
                         {"steps", "10", "steps of each walker", Kind::whole, 1, 1 << 30},
                         {"seed", "1", "seed of starts and steps", Kind::whole, 0, 1 << 30}},
          .needs_drive = true,
          .repeats = "each is walked as often as any other edge",
          .sentence = "{#visits visit} to {#visited} of {#vertices} vertices",
          .run = run_random_walk,
          .verify = verify_random_walk};
}

}  // namespace outcore
