// SPDX-License-Identifier: Apache-2.0
// Toy programs: only the small functions that VertexProgram asks for. Each one tests a different
// promise: labels that correct themselves, levels of which the first is enough, residuals that are
// taken once.
#pragma once

#include <vector>

#include "engines/vertex_program.h"
#include "tests/contract/toy_graphs.h"

namespace outcore::toys {

// Levels of a search.
template <Hearing kHears>
class Search : public VertexProgram<Search<kHears>, std::uint32_t> {
 public:
  static constexpr std::uint32_t kUnreached = 1U << 30;
  static constexpr bool kByRounds = kHears == Hearing::first;
  static constexpr Saying kSaying = kByRounds ? Saying::fixed : Saying::changing;
  static constexpr Hearing kHearing = kHears;
  Search(const Graph& graph, VertexId source) : level(graph.id_space, kUnreached) {
    level[source] = 0;
  }
  std::uint32_t emit(Source u) { return peek(level[u.v]) + 1; }
  std::uint32_t combine(std::uint32_t a, std::uint32_t b) { return std::min(a, b); }
  template <Access A>
  Priority accept(VertexId v, std::uint32_t m) {
    return lower<A>(level[v], m) ? static_cast<Priority>(m) : kQuiet;
  }
  bool listens(VertexId v) override { return !kByRounds || peek(level[v]) == kUnreached; }

  std::vector<std::uint32_t> level;
};

// Corrects labels, so it is right under every visibility.
using Bfs = Search<Hearing::newest>;
// In rounds all messages of a round are equal, so one is enough, and a vertex that has heard it no
// longer listens.
using BfsByRounds = Search<Hearing::first>;

// The smallest original id from which each vertex can be reached (in a symmetric graph, of its
// component).
class Wcc : public VertexProgram<Wcc, VertexId> {
 public:
  explicit Wcc(const Graph& graph) : label(graph.id_space, kNoVertex) {
    for (VertexId v = 0; v < graph.id_space; ++v) label[v] = graph.original(v);
  }
  static constexpr Saying kSaying = Saying::changing;
  static constexpr Hearing kHearing = Hearing::newest;

  VertexId emit(Source u) { return peek(label[u.v]); }
  VertexId combine(VertexId a, VertexId b) { return std::min(a, b); }
  template <Access A>
  Priority accept(VertexId v, VertexId m) {
    return lower<A>(label[v], m) ? priority_of(m) : kQuiet;
  }
  Priority priority(VertexId v) override { return priority_of(peek(label[v])); }

  std::vector<VertexId> label;
};

// PageRank by residuals until all are below 1e-9: emit() takes the residual, so a message counts
// only once.
class PagerankDelta : public VertexProgram<PagerankDelta, double> {
 public:
  static constexpr double kDamping = 0.85;
  static constexpr double kEnough = 1e-9;
  explicit PagerankDelta(const Graph& graph)
      : rank(graph.id_space, 0), residual_(graph.id_space, (1 - kDamping) / graph.vertices) {}
  static constexpr Saying kSaying = Saying::changing;

  double emit(Source u) {
    const double taken = replace<Access::shared>(residual_[u.v], 0.0);
    rank[u.v] += taken;
    return u.degree == 0 ? 0 : kDamping * taken / u.degree;
  }
  double combine(double a, double b) { return a + b; }
  double nothing() { return 0; }
  template <Access A>
  Priority accept(VertexId v, double m) {
    const double old = increase<A>(residual_[v], m);
    return old < kEnough && old + m >= kEnough ? priority_of(-static_cast<float>(m)) : kQuiet;
  }

  std::vector<double> rank;

 private:
  std::vector<double> residual_;
};

}  // namespace outcore::toys
