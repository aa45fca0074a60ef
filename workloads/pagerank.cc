// SPDX-License-Identifier: Apache-2.0
/*
Kernel: PageRank by power iteration (pagerank)
Returns: the rank of each vertex after the stated iterations, or once they change little

Each round every vertex says rank / out-degree; each then takes (1 - damping) / n + damping * (the
sum of what it heard). As in the GAP suite, the rank of vertices without out-edges is not handed on,
and iteration stops when the ranks change by less than `tolerance` in all (L1), or after
`iterations`.

The papers fix the iterations (LOSC 5, XPGraph 10): set tolerance=0 for that.

Rounds are part of the definition: an engine must offer visibility `round`; sums are in single
precision in any order, so answers agree within a tolerance and not to the bit.

[1] L. Page et al. The PageRank Citation Ranking: Bringing Order to the Web. 1999.
[2] S. Beamer, K. Asanovic, D. Patterson. The GAP Benchmark Suite. 2015. Section 3 (stopping rule).
*/
#include <fmt/format.h>

#include <cmath>
#include <mutex>

#include "engines/vertex_program.h"
#include "workloads/registry.h"

namespace outcore {

namespace {

struct Pagerank : VertexProgram<Pagerank, float> {
  const Graph& graph;
  float base;
  float damping;
  std::vector<float> rank;
  std::vector<float> heard;
  std::mutex mutex;
  double change = 0;

  Pagerank(const Graph& g, double d)
      : graph(g),
        base(static_cast<float>((1 - d) / g.vertices)),
        damping(static_cast<float>(d)),
        rank(g.id_space, 1.0F / static_cast<float>(g.vertices)),
        heard(g.id_space, 0) {}

  Traits traits() const override {
    return {.message_bytes = sizeof(Message),
            .settles = true,
            .combines = true,
            .newest_is_enough = true};
  }
  Message emit(Source u) { return u.degree == 0 ? 0 : rank[u.v] / static_cast<float>(u.degree); }
  Message combine(Message a, Message b) { return a + b; }
  const void* state(VertexId v) const { return &heard[v]; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    increase<A>(heard[v], m);
    return kQuiet;
  }
  void settle(VertexRange range, Activations& /*out*/) override {
    double moved = 0;
    for (VertexId v = range.begin; v < range.end; ++v) {
      if (!graph.is_real(v)) continue;
      const float next = base + damping * std::exchange(heard[v], 0.0F);
      moved += std::fabs(next - rank[v]);
      rank[v] = next;
    }
    const std::lock_guard lock(mutex);
    change += moved;
  }
};

Answer run(Engine& engine, const Parameters& parameters) {
  const Graph& graph = engine.graph();
  const std::uint64_t iterations = parameters.whole("iterations");
  const double tolerance = parameters.real("tolerance");
  Pagerank pagerank(graph, parameters.real("damping"));
  std::uint64_t done = 0;
  while (done < iterations) {
    pagerank.change = 0;
    engine.round(pagerank, Frontier::all(graph), Direction::out, Mode::any);
    ++done;
    if (pagerank.change < tolerance) break;
  }
  Answer answer{.values = in_canonical_order(graph, std::move(pagerank.rank)),
                .exact = false,
                .summary = {{"iterations", done}, {"last_change", pagerank.change}}};
  return answer;
}

// The same number of iterations, serially, in double precision, over the canonical lists:
//  - the sum over all vertices of |found - expected| is at most 1e-4 of the sum of the ranks
Verdict verify(const Canonical& canonical, const Answer& answer, const Parameters& parameters) {
  const auto& found = std::get<std::vector<float>>(answer.values);
  const VertexId n = canonical.out.vertices();
  const double damping = parameters.real("damping");
  const auto iterations = answer.summary.at("iterations").get<std::uint64_t>();
  std::vector<double> rank(n, 1.0 / n);
  std::vector<double> next(n);
  for (std::uint64_t i = 0; i < iterations; ++i) {
    std::fill(next.begin(), next.end(), 0);
    for (VertexId u = 0; u < n; ++u) {
      const double share = rank[u] / static_cast<double>(canonical.out.degree(u));
      for (const VertexId v : canonical.out.list(u)) next[v] += share;
    }
    for (VertexId v = 0; v < n; ++v) rank[v] = (1 - damping) / n + damping * next[v];
  }
  double difference = 0;
  double sum = 0;
  for (VertexId v = 0; v < n; ++v) {
    difference += std::fabs(rank[v] - (v < found.size() ? found[v] : 0.0F));
    sum += rank[v];
  }
  const bool passed = found.size() == n && difference <= 1e-4 * sum;
  return {"serial power iteration in double precision", passed,
          fmt::format("L1 difference {:.3g} of {:.3g}", difference, sum)};
}

}  // namespace

Workload pagerank_workload() {
  using Kind = ParameterSpec::Kind;
  return {.name = "pagerank",
          .help = "PageRank by power iteration",
          .parameters = {{"iterations", "10", "at most so many rounds", Kind::whole, 1, 100000},
                         {"damping", "0.85", "share of rank that is handed on", Kind::real, 0, 1},
                         {"tolerance", "0", "stop when ranks change by less in all (0: never)",
                          Kind::real, 0, 1}},
          .run = run,
          .verify = verify};
}

}  // namespace outcore
