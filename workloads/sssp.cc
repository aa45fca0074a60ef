// SPDX-License-Identifier: Apache-2.0
/*
Kernel: single-source shortest paths (sssp)
Returns: the distance of each vertex from the source, infinity without a path

As bfs, with weights: a vertex sends its distance, an edge adds its weight, and a neighbour takes
the smallest that it hears. weights.h explains which weights are used.

Any order converges: distances only fall, and a vertex whose distance fell sends again
(Bellman-Ford; with priority = distance, a label-correcting Dijkstra). Adding in single precision is
monotone, so the fixpoint does not depend on the order, and answers agree to the bit.

[1] U. Meyer, P. Sanders. Delta-stepping: a parallelizable shortest path algorithm. J. Algorithms
2003.
*/
#include <queue>

#include "engines/vertex_program.h"
#include "workloads/registry.h"
#include "workloads/sources.h"
#include "workloads/weights.h"

namespace outcore {

namespace {

constexpr float kUnreached = std::numeric_limits<float>::infinity();

struct Sssp : VertexProgram<Sssp, float> {
  const Graph& graph;
  State<float> distance;
  bool stored;  // the wanted weights come with the edges

  Sssp(Engine& engine, VertexId source, bool weights_are_stored)
      : graph(engine.graph()),
        distance(engine.state("distance", kUnreached)),
        stored(weights_are_stored) {
    distance[source] = 0;
  }

  static constexpr Saying kSaying = Saying::changing;
  static constexpr Hearing kHearing = Hearing::repeatable;
  static constexpr bool kEchoes = false;

  Priority priority(VertexId v) override { return priority_of(peek(distance[v])); }
  Message emit(Source u) { return peek(distance[u.v]); }
  Message along(Message m, VertexId u, VertexId v, float w) {
    return m + (stored ? w : graph.hashed_weight(u, v));
  }
  Message combine(Message a, Message b) { return std::min(a, b); }
  const void* state(VertexId v) const { return &distance[v]; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    return lower<A>(distance[v], m) ? priority_of(m) : kQuiet;
  }
};

// Label correction needs weights of at least 0, or a path could lead back below a distance.
void check_weights(const Graph& graph, const Parameters& parameters) {
  if (!wants_given_weights("sssp", parameters, graph.weighted)) return;
  check_lengths("sssp", graph.least_weight);
}

Answer sssp_answer(const Graph& graph, VertexId source, const State<float>& distance) {
  Answer answer{.values = in_canonical_order(graph, distance), .summary = {}};
  std::uint64_t reached = 0;
  float farthest = 0;
  for (const float d : std::get<1>(answer.values)) {
    if (d == kUnreached) continue;
    ++reached;
    farthest = std::max(farthest, d);
  }
  answer.summary = {
      {"source", graph.original(source)}, {"reached", reached}, {"farthest", farthest}};
  return answer;
}

Finish run_sssp(Engine& engine, const Parameters& parameters) {
  const Graph& graph = engine.graph();
  const VertexId source = find_source(engine, parameters.text("source"));
  check_weights(graph, parameters);
  Sssp sssp(engine, source, weights_are_stored("sssp", graph, parameters));
  engine.converge(sssp, Frontier::of(graph.id_space, {&source, 1}));

  return [graph, source, distance = sssp.distance] { return sssp_answer(graph, source, distance); };
}

// Dijkstra with a binary heap over the canonical lists: every distance is that of a shortest path,
// infinity without a path.
Verdict verify_sssp(const Canonical& canonical, const Answer& answer,
                    const Parameters& parameters) {
  using Entry = std::pair<float, VertexId>;
  const VertexId source = find_source(canonical.out, parameters.text("source"));
  const bool given = wants_given_weights("sssp", parameters, !canonical.out.weights().empty());
  std::vector<float> expected(canonical.out.vertices(), kUnreached);
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
  expected[source] = 0;
  heap.emplace(0.0F, source);
  while (!heap.empty()) {
    const auto [distance, u] = heap.top();
    heap.pop();
    if (distance > expected[u]) continue;
    const std::span<const VertexId> targets = canonical.out.list(u);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const VertexId v = targets[i];
      const float through = distance + (given ? canonical.out.weights(u)[i] : hashed_weight(u, v));
      if (through >= expected[v]) continue;
      expected[v] = through;
      heap.emplace(through, v);
    }
  }
  const auto unreached = std::count(expected.begin(), expected.end(), kUnreached);
  const auto reached = static_cast<std::int64_t>(expected.size()) - unreached;
  return check_said(
      compare("Dijkstra with a heap", std::get<std::vector<float>>(answer.values), expected),
      answer, "reached", static_cast<double>(reached));
}

}  // namespace

Workload sssp_workload() {
  return {
      .name = "sssp",
      .help = "shortest paths from one vertex",
      .parameters = {source_parameter(), weights_parameter()},
      .needs_lengths = true,
      .values = ValueKind::real,
      .sentence =
          "reached {#reached} of {#vertices} vertices from {source}, the farthest at {farthest}",
      .run = run_sssp,
      .verify = verify_sssp};
}

}  // namespace outcore
