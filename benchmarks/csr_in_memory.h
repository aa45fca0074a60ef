// SPDX-License-Identifier: Apache-2.0
// What microbenchmarks of the contract run on: Kronecker graphs as one CSR in memory, and
// PageRank's program over them.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <vector>

#include "common/huge_pages.h"
#include "engines/vertex_program.h"
#include "workloads/graphs/shapes.h"

namespace outcore {

inline constexpr std::size_t kBatch = 64;  // lists a call of the program, as engines make them

struct Csr {
  std::vector<std::uint64_t> offsets;
  std::vector<VertexId> targets;

  [[nodiscard]] VertexId vertices() const { return static_cast<VertexId>(offsets.size() - 1); }
  [[nodiscard]] std::span<const VertexId> list(VertexId v) const {
    return std::span(targets).subspan(offsets[v], offsets[v + 1] - offsets[v]);
  }
  [[nodiscard]] std::uint32_t degree(std::size_t v) const {
    return static_cast<std::uint32_t>(offsets[v + 1] - offsets[v]);
  }
  [[nodiscard]] Piece piece(VertexId v, std::uint32_t slot) const {
    return {.v = v, .slot = slot, .count = degree(v), .degree = degree(v), .ids = list(v).data()};
  }
};

inline Csr csr_of(const Shape& shape) {
  Csr csr;
  csr.offsets.assign(shape.vertices + std::size_t{1}, 0);
  for (const auto& [u, v] : shape.edges) {
    ++csr.offsets[u + std::size_t{1}];
    ++csr.offsets[v + std::size_t{1}];
  }
  for (std::size_t v = 0; v < shape.vertices; ++v) csr.offsets[v + 1] += csr.offsets[v];
  csr.targets.resize(csr.offsets.back());
  std::vector<std::uint64_t> next(csr.offsets.begin(), csr.offsets.end() - 1);
  for (const auto& [u, v] : shape.edges) {
    csr.targets[next[u]++] = v;
    csr.targets[next[v]++] = u;
  }
  return csr;
}

// The graph that the benchmark's argument asks for.
inline const Csr& graph_of(const benchmark::State& state) {
  static std::map<std::int64_t, Csr> graphs;
  const auto [at, is_new] = graphs.try_emplace(state.range(0));
  if (is_new) at->second = csr_of(small_kronecker(static_cast<unsigned>(state.range(0)), 16, 1));
  return at->second;
}

class NextFrontier : public Activations {
 public:
  std::vector<VertexId> list;

 protected:
  void take(std::span<const Entry> entries) override {
    for (const Entry& entry : entries) list.push_back(entry.v);
  }
};

// On huge pages, also where it is small (common/huge_pages.cc), for which of a cache's lines pages
// of 4 KB take from one another is either's luck, another one in each process.
template <typename T>
std::vector<T> state_of(VertexId vertices, T value) {
  std::vector<T> state;
  state.reserve(std::max<std::size_t>(vertices, 2 * kHugePage / sizeof(T)));
  state.resize(vertices, value);
  return state;
}

inline constexpr float kBase = 0.15F;
inline constexpr float kDamping = 0.85F;

struct Ranks : VertexProgram<Ranks, float> {
  std::vector<float>& rank;
  std::vector<float> heard;

  explicit Ranks(std::vector<float>& ranks)
      : rank(ranks), heard(state_of(static_cast<VertexId>(ranks.size()), 0.0F)) {}
  static constexpr bool kSettles = true;

  Message emit(Source u) { return rank[u.v] / static_cast<float>(u.degree); }
  Message combine(Message a, Message b) { return a + b; }
  Message nothing() { return 0; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    increase<A>(heard[v], m);
    return kQuiet;
  }
  Priority settle_one(VertexId v) {
    rank[v] = kBase + kDamping * std::exchange(heard[v], 0.0F);
    return kQuiet;
  }
};

}  // namespace outcore
