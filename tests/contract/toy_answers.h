// SPDX-License-Identifier: Apache-2.0
// The right answers: serial references that know nothing about programs or engines, and the checks
// that run every toy program on every toy graph. All values are by original id.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "engines/engine.h"
#include "tests/contract/toy_programs.h"

namespace outcore::toys {

// The values of an engine's run, by original id.
template <typename T>
std::vector<T> by_original(const ToyGraph& g, const std::vector<T>& values) {
  const Graph graph = g.view();
  std::vector<T> result(graph.vertices);
  for (VertexId v = 0; v < graph.id_space; ++v) {
    if (graph.is_real(v)) result[graph.original(v)] = values[v];
  }
  return result;
}
inline Lists out_by_original(const ToyGraph& g) {
  const Graph graph = g.view();
  Lists lists = by_original(g, g.out);
  for (auto& list : lists) {
    for (VertexId& v : list) v = graph.original(v);
  }
  return lists;
}
// Bellman-Ford with any cost.
template <typename T, typename Cost>
std::vector<T> relaxed(const ToyGraph& g, std::vector<T> values, Cost&& cost) {
  const Lists out = out_by_original(g);
  for (bool changed = true; changed;) {
    changed = false;
    for (VertexId u = 0; u < out.size(); ++u) {
      for (const VertexId v : out[u]) {
        const T through = values[u] + cost(u, v);
        if (through < values[v]) {
          values[v] = through;
          changed = true;
        }
      }
    }
  }
  return values;
}
inline std::vector<std::uint32_t> reference_levels(const ToyGraph& g, VertexId source) {
  std::vector<std::uint32_t> start(g.view().vertices, Bfs::kUnreached);
  start[source] = 0;
  return relaxed(g, start, [](VertexId, VertexId) { return 1U; });
}
inline std::vector<float> reference_distances(const ToyGraph& g, VertexId source) {
  std::vector<float> start(g.view().vertices, std::numeric_limits<float>::infinity());
  start[source] = 0;
  return relaxed(g, start, [](VertexId u, VertexId v) { return hashed_weight(u, v); });
}
inline std::vector<VertexId> reference_labels(const ToyGraph& g) {
  std::vector<VertexId> start;
  for (VertexId v = 0; v < g.view().vertices; ++v) start.push_back(v);
  return relaxed(g, start, [](VertexId, VertexId) { return 0U; });
}
inline std::vector<double> reference_ranks(const ToyGraph& g, int iterations) {
  const Lists out = out_by_original(g);
  const auto n = static_cast<double>(out.size());
  std::vector<double> rank(out.size(), 1 / n);
  for (; iterations > 0; --iterations) {
    std::vector<double> next(out.size(), (1 - Pagerank::kDamping) / n);
    for (VertexId u = 0; u < out.size(); ++u) {
      for (const VertexId v : out[u]) {
        next[v] += Pagerank::kDamping * rank[u] / static_cast<double>(out[u].size());
      }
    }
    rank = next;
  }
  return rank;
}
inline std::vector<char> reference_core(const ToyGraph& g, std::int32_t k) {
  const Lists out = out_by_original(g);
  std::vector<char> stays(out.size(), 1);
  for (bool changed = true; changed;) {
    changed = false;
    for (VertexId v = 0; v < out.size(); ++v) {
      const auto left =
          std::count_if(out[v].begin(), out[v].end(), [&](VertexId u) { return stays[u] != 0; });
      if (stays[v] != 0 && left < k) {
        stays[v] = 0;
        changed = true;
      }
    }
  }
  return stays;
}

// --- The answers ---

inline void expect_near(const std::vector<double>& found, const std::vector<double>& expected,
                        double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t v = 0; v < found.size(); ++v) EXPECT_NEAR(found[v], expected[v], tolerance) << v;
}

// Every converging toy on every shape. `make(g)` returns a new engine (or anything with the same
// converge()) over g.
template <typename Make>
void expect_right_answers(Make&& make) {
  for (const ToyGraph& g : every_shape()) {
    SCOPED_TRACE(g.name);
    const Graph graph = g.view();
    const VertexId source = g.id_of(graph.vertices / 2);
    const std::vector<VertexId> sources = {source};
    const auto from_source = [&] { return Frontier::of(graph.id_space, sources); };

    Bfs bfs(graph, source);
    make(g)->converge(bfs, from_source());
    EXPECT_EQ(by_original(g, bfs.level), reference_levels(g, graph.vertices / 2));

    Sssp sssp(graph, source);
    make(g)->converge(sssp, from_source());
    EXPECT_EQ(by_original(g, sssp.distance), reference_distances(g, graph.vertices / 2));

    Wcc wcc(graph);
    make(g)->converge(wcc, Frontier::all(graph));
    EXPECT_EQ(by_original(g, wcc.label), reference_labels(g));

    PagerankDelta delta(graph);
    make(g)->converge(delta, Frontier::all(graph));
    expect_near(by_original(g, delta.rank), reference_ranks(g, 200), 1e-6);

    if (!g.symmetric) continue;
    for (const std::int32_t k : {1, 2, 3, 8}) {
      KCore core(g, k);
      make(g)->converge(core, core.first(graph));
      std::vector<char> stays;
      for (VertexId v = 0; v < graph.id_space; ++v) stays.push_back(core.stays(v) ? 1 : 0);
      EXPECT_EQ(by_original(g, stays), reference_core(g, k)) << "k = " << k;
    }
  }
}

template <typename MakeOrEngine>
void run_pagerank(MakeOrEngine& engine, Program& program, int rounds, Mode mode = Mode::any) {
  for (int i = 0; i < rounds; ++i)
    engine.round(program, Frontier::all(engine.graph()), Direction::out, mode);
}

// PageRank by iterations on every shape; can be compared exactly only under visibility `round`.
template <typename Make>
void expect_right_ranks(Make&& make, int iterations, double tolerance = 1e-12,
                        Mode mode = Mode::any) {
  for (const ToyGraph& g : every_shape()) {
    SCOPED_TRACE(g.name);
    Pagerank pagerank(g.view());
    const auto engine = make(g);
    run_pagerank(*engine, pagerank, iterations, mode);
    expect_near(by_original(g, pagerank.rank), reference_ranks(g, iterations), tolerance);
  }
}

}  // namespace outcore::toys
