// SPDX-License-Identifier: Apache-2.0
// Toy programs: only the small functions that VertexProgram asks for. Each one tests a different
// promise: labels that correct themselves, residuals that are taken once, sums that are settled,
// vertices that leave.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "engines/frontier.h"
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

class Sssp : public VertexProgram<Sssp, float> {
 public:
  Sssp(const Graph& graph, VertexId source)
      : distance(graph.id_space, std::numeric_limits<float>::infinity()), graph_(graph) {
    distance[source] = 0;
  }
  static constexpr Saying kSaying = Saying::changing;
  static constexpr Hearing kHearing = Hearing::newest;

  float emit(Source u) { return peek(distance[u.v]); }
  float along(float m, VertexId u, VertexId v, float /*none stored*/) {
    return m + graph_.hashed_weight(u, v);
  }
  float combine(float a, float b) { return std::min(a, b); }
  template <Access A>
  Priority accept(VertexId v, float m) {
    return lower<A>(distance[v], m) ? priority_of(m) : kQuiet;
  }

  std::vector<float> distance;

 private:
  Graph graph_;
};

// PageRank by iterations: every vertex emits in every round, and settle() computes the new rank.
class Pagerank : public VertexProgram<Pagerank, double> {
 public:
  static constexpr double kDamping = 0.85;
  explicit Pagerank(const Graph& graph)
      : rank(graph.id_space, 1.0 / graph.vertices),
        sum_(graph.id_space, 0),
        base_((1 - kDamping) / graph.vertices) {}
  static constexpr Hearing kHearing = Hearing::newest;
  static constexpr bool kSettles = true;

  double emit(Source u) { return u.degree == 0 ? 0 : rank[u.v] / u.degree; }
  double combine(double a, double b) { return a + b; }
  template <Access A>
  Priority accept(VertexId v, double m) {
    increase<A>(sum_[v], m);
    return kQuiet;
  }
  Priority settle_one(VertexId v) {
    rank[v] = base_ + kDamping * std::exchange(sum_[v], 0);
    return kQuiet;
  }

  std::vector<double> rank;

 private:
  std::vector<double> sum_;
  double base_;
};

// PageRank by residuals until all are below 1e-9: emit() takes the residual, so a message counts
// only once.
class PagerankDelta : public VertexProgram<PagerankDelta, double> {
 public:
  static constexpr double kEnough = 1e-9;
  explicit PagerankDelta(const Graph& graph)
      : rank(graph.id_space, 0),
        residual_(graph.id_space, (1 - Pagerank::kDamping) / graph.vertices) {}
  static constexpr Saying kSaying = Saying::changing;

  double emit(Source u) {
    const double taken = replace<Access::shared>(residual_[u.v], 0.0);
    rank[u.v] += taken;
    return u.degree == 0 ? 0 : Pagerank::kDamping * taken / u.degree;
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

// The k-core: a vertex that falls below k leaves, and tells its neighbours once.
class KCore : public VertexProgram<KCore, std::int32_t> {
 public:
  KCore(const ToyGraph& g, std::int32_t k) : k_(k) {
    for (const auto& list : g.out) degree_.push_back(static_cast<std::int32_t>(list.size()));
  }
  std::int32_t emit(Source /*u*/) { return 1; }
  std::int32_t combine(std::int32_t a, std::int32_t b) { return a + b; }
  template <Access A>
  Priority accept(VertexId v, std::int32_t m) {
    const std::int32_t old = increase<A>(degree_[v], -m);
    return old >= k_ && old - m < k_ ? old - m : kQuiet;
  }
  bool listens(VertexId v) override { return stays(v); }
  [[nodiscard]] bool stays(VertexId v) const { return peek(degree_[v]) >= k_; }
  [[nodiscard]] Frontier first(const Graph& graph) const {
    Frontier frontier(graph.id_space);
    for (VertexId v = 0; v < graph.id_space; ++v) {
      if (graph.is_real(v) && !stays(v)) frontier.add(v);
    }
    return frontier;
  }

 private:
  std::vector<std::int32_t> degree_;
  std::int32_t k_;
};

}  // namespace outcore::toys
