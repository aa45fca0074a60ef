// SPDX-License-Identifier: Apache-2.0
// What the contract costs: BFS (push) and an iteration of PageRank (pull) over one CSR in memory,
// one thread. Once as hand-fused loops, and once through a Program's virtual calls for batches of
// 64 lists, as engines make them. Both access the same state in the same order with the same
// prefetching, and PageRank's ranks and messages are in the same memory, because the luck of page
// placement would otherwise differ.
//
// On two graphs: one whose state of 2 MB fits the caches of a core, where a batch costs most
// relative to its edges, and one whose state does not, as for graphs that need an out-of-core
// engine.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <vector>

#include "benchmarks/csr_in_memory.h"
#include "workloads/bfs_program.h"

namespace outcore {
namespace {

constexpr VertexId kRange = 1024;       // vertices that settle together
constexpr std::uint32_t kAhead = 16;    // edges by which states are prefetched
constexpr std::size_t kListsAhead = 4;  // lists by which their starts are prefetched

VertexId hub(const Csr& graph) {
  VertexId best = 0;
  for (VertexId v = 0; v < graph.vertices(); ++v) {
    if (graph.list(v).size() > graph.list(best).size()) best = v;
  }
  return best;
}

void on_both_graphs(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("scale")->Arg(19)->Arg(22)->Unit(benchmark::kMillisecond);
}

void bfs_fused(benchmark::State& state) {
  const Csr& graph = graph_of(state);
  const VertexId source = hub(graph);
  for (auto _ : state) {
    std::vector<std::uint32_t> level(graph.vertices(), kNoLevel);
    std::vector<VertexId> frontier = {source};
    level[source] = 0;
    for (std::uint32_t depth = 1; !frontier.empty(); ++depth) {
      std::vector<VertexId> next;
      for (std::size_t at = 0; at < frontier.size(); ++at) {
        if (at + kListsAhead < frontier.size()) {
          __builtin_prefetch(graph.list(frontier[at + kListsAhead]).data());
        }
        const std::span<const VertexId> list = graph.list(frontier[at]);
        for (std::size_t i = 0; i < list.size(); ++i) {
          if (i + kAhead < list.size()) __builtin_prefetch(&level[list[i + kAhead]]);
          if (level[list[i]] <= depth) continue;
          level[list[i]] = depth;
          next.push_back(list[i]);
        }
      }
      frontier = std::move(next);
    }
    benchmark::DoNotOptimize(level.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(graph.targets.size()));
}
BENCHMARK(bfs_fused)->Apply(on_both_graphs);

void bfs_by_contract(benchmark::State& state) {
  const Csr& graph = graph_of(state);
  const VertexId source = hub(graph);
  StateStore store;
  for (auto _ : state) {
    State<std::uint32_t> unmet = store.zeros<std::uint32_t>("level", graph.vertices());
    std::ranges::fill(unmet, kNoLevel);
    Bfs<std::uint32_t> bfs(std::move(unmet), source);
    Program& program = bfs;
    benchmark::DoNotOptimize(&program);  // keeps the calls virtual
    std::vector<VertexId> frontier = {source};
    while (!frontier.empty()) {
      NextFrontier next;
      for (std::size_t first = 0; first < frontier.size(); first += kBatch) {
        const std::size_t count = std::min(kBatch, frontier.size() - first);
        Piece pieces[kBatch];
        Source sources[kBatch];
        std::uint32_t messages[kBatch];
        for (std::size_t i = 0; i < count; ++i) {
          pieces[i] = graph.piece(frontier[first + i], static_cast<std::uint32_t>(i));
          sources[i] = {pieces[i].v, pieces[i].degree};
        }
        const Messages taken(reinterpret_cast<std::byte*>(messages), sizeof(std::uint32_t));
        program.begin({sources, count}, taken);
        program.scatter({{pieces, count}, Access::exclusive}, taken, next);
      }
      next.drain();
      frontier = std::move(next.list);
    }
    benchmark::DoNotOptimize(bfs.level.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(graph.targets.size()));
}
BENCHMARK(bfs_by_contract)->Apply(on_both_graphs);

// One object for both.
struct PagerankState {
  std::vector<float> rank;
  std::vector<float> shares;
};

PagerankState& pagerank_state_of(const Csr& graph) {
  static std::map<VertexId, PagerankState> states;
  const VertexId n = graph.vertices();
  const auto [at, is_new] = states.try_emplace(n);
  if (is_new) at->second = {state_of(n, 0.0F), state_of(n, 0.0F)};
  std::ranges::fill(at->second.rank, 1.0F);
  return at->second;
}

void pagerank_fused(benchmark::State& state) {
  const Csr& graph = graph_of(state);
  auto& [rank, shares] = pagerank_state_of(graph);
  for (auto _ : state) {
    for (VertexId v = 0; v < graph.vertices(); ++v) {
      shares[v] = rank[v] / static_cast<float>(graph.list(v).size());
    }
    for (VertexId v = 0; v < graph.vertices(); ++v) {
      float sum = 0;
      for (const VertexId u : graph.list(v)) sum += shares[u];
      rank[v] = kBase + kDamping * sum;
    }
    benchmark::DoNotOptimize(rank.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(graph.targets.size()));
}
BENCHMARK(pagerank_fused)->Apply(on_both_graphs);

void pagerank_by_contract(benchmark::State& state) {
  const Csr& graph = graph_of(state);
  auto& [rank, shares] = pagerank_state_of(graph);
  const Messages dense(reinterpret_cast<std::byte*>(shares.data()), sizeof(float));
  Ranks ranks(rank);
  Program& program = ranks;
  benchmark::DoNotOptimize(&program);
  NextFrontier nobody;
  Bitmap linked(graph.vertices());
  linked.set_where(0, graph.vertices(),
                   [&](std::size_t v) { return !graph.list(static_cast<VertexId>(v)).empty(); });
  const auto batches = [&](auto&& f) {
    for (VertexId first = 0; first < graph.vertices(); first += kBatch) {
      f(first, std::min<std::size_t>(kBatch, graph.vertices() - first));
    }
  };
  for (auto _ : state) {
    batches([&](VertexId first, std::size_t count) {
      Source sources[kBatch];
      for (VertexId i = 0; i < count; ++i) {
        sources[i] = {first + i, graph.degree(std::size_t{first} + i)};
      }
      program.begin({sources, count}, dense.from(first));
    });
    Piece pieces[kBatch];
    std::size_t count = 0;
    const auto gather = [&] {
      program.gather({{pieces, count}, Access::exclusive}, dense, nullptr, nobody);
      count = 0;
    };
    for (VertexId first = 0; first < graph.vertices(); first += kRange) {
      const VertexId end = std::min(graph.vertices(), first + kRange);
      linked.for_each(first, end, [&](std::size_t v) {
        pieces[count++] = graph.piece(static_cast<VertexId>(v), 0);
        if (count == kBatch) gather();
      });
      gather();
      program.settle({first, end}, nobody);
    }
    benchmark::DoNotOptimize(rank.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(graph.targets.size()));
}
BENCHMARK(pagerank_by_contract)->Apply(on_both_graphs);

}  // namespace
}  // namespace outcore
