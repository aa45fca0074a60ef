// SPDX-License-Identifier: Apache-2.0
// What an edge costs a processor by which its message is told: into bins and out of them, to the
// vertex at once with and without atomics, and pulled (pagerank_by_contract of contract_benchmark).
// An iteration of PageRank over one CSR in memory, in the order of ids, through a Program's virtual
// calls; on as many threads as the benchmark's argument asks for.
//
// Items are edges, so items_per_second is edges a second of all threads.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "benchmarks/csr_in_memory.h"
#include "common/executor.h"
#include "engines/binning/bins.h"
#include "engines/binning/gather.h"
#include "engines/engine.h"

namespace outcore {
namespace {

constexpr VertexId kRange = 16384;  // vertices in a worker's turn

// Everything that an iteration needs, and the calls of it that the engine makes.
class Iteration {
 public:
  explicit Iteration(const benchmark::State& state)
      : graph_(graph_of(state)),
        executor_(static_cast<unsigned>(state.range(1))),
        rank_(state_of(graph_.vertices(), 1.0F)),
        messages_(state_of(graph_.vertices(), 0.5F)),
        ranks_(rank_),
        activated_(executor_.size()) {}

  [[nodiscard]] const Csr& graph() const { return graph_; }
  [[nodiscard]] Executor& executor() { return executor_; }
  [[nodiscard]] Program& program() { return ranks_; }
  [[nodiscard]] NextFrontier& activated(unsigned worker) { return activated_[worker]; }
  [[nodiscard]] Messages messages() {
    return {reinterpret_cast<std::byte*>(messages_.data()), sizeof(float)};
  }

  // f(worker, pieces) for all lists.
  template <typename F>
  void batches(const F& f) {
    executor_.parallel_for(0, graph_.vertices(), kRange,
                           [&](unsigned worker, std::size_t first, std::size_t last) {
                             Piece pieces[kBatch];
                             std::size_t count = 0;
                             for (; first < last; ++first) {
                               const auto v = static_cast<VertexId>(first);
                               if (graph_.list(v).empty()) continue;
                               pieces[count++] = graph_.piece(v, v);
                               if (count < kBatch) continue;
                               f(worker, std::span<const Piece>(pieces));
                               count = 0;
                             }
                             f(worker, std::span<const Piece>(pieces, count));
                           });
  }

 private:
  const Csr& graph_;
  Executor executor_;
  std::vector<float> rank_;
  std::vector<float> messages_;
  Ranks ranks_;
  std::vector<NextFrontier> activated_;
};

void count_edges(benchmark::State& state, const Iteration& iteration) {
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(iteration.graph().targets.size()));
}

void scatter(benchmark::State& state, Access access) {
  Iteration iteration(state);
  for (auto _ : state) {
    iteration.batches([&](unsigned worker, std::span<const Piece> pieces) {
      iteration.program().scatter({pieces, access}, iteration.messages(),
                                  iteration.activated(worker));
    });
  }
  count_edges(state, iteration);
}

void told_with_atomics(benchmark::State& state) { scatter(state, Access::shared); }
BENCHMARK(told_with_atomics)
    ->ArgNames({"scale", "threads"})
    ->ArgsProduct({{22}, {1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void told_alone(benchmark::State& state) { scatter(state, Access::exclusive); }
BENCHMARK(told_alone)
    ->ArgNames({"scale", "threads"})
    ->ArgsProduct({{22}, {1}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void pulled(benchmark::State& state) {
  Iteration iteration(state);
  for (auto _ : state) {
    iteration.batches([&](unsigned worker, std::span<const Piece> pieces) {
      iteration.program().gather({pieces, Access::exclusive}, iteration.messages(), nullptr,
                                 iteration.activated(worker));
    });
  }
  count_edges(state, iteration);
}
BENCHMARK(pulled)
    ->ArgNames({"scale", "threads"})
    ->ArgsProduct({{22}, {1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Throws records away, for what it costs to put them into bins.
class NoGatherer final : public Bins {
 public:
  explicit NoGatherer(const WorkerBins& bins) { lines_ = bins.lines(); }
  void take(VertexId v) override { lines_.counts[v >> lines_.bin_shift] = 0; }
};

void binned(benchmark::State& state, bool drained) {
  Iteration iteration(state);
  const Parameters settings = engine_settings("binning:bins=" + std::to_string(state.range(2)) +
                                              ",staging=" + std::to_string(state.range(3)));
  const unsigned workers = iteration.executor().size();
  BinSpace space(BinSizes::of(settings, iteration.graph().vertices(), workers));
  std::vector<WorkerBins> bins;
  std::vector<NoGatherer> lines;
  bins.reserve(workers);
  for (unsigned worker = 0; worker < workers; ++worker) {
    lines.emplace_back(bins.emplace_back(space));
  }
  double gathering = 0;
  for (auto _ : state) {
    std::vector<Gatherer> gatherers;
    for (unsigned worker = 0; worker < workers; ++worker) {
      gatherers.emplace_back(iteration.program(), space, iteration.activated(worker));
    }
    space.start(sizeof(float), workers);
    for (unsigned worker = 0; worker < workers; ++worker) bins[worker].start(&gatherers[worker]);
    iteration.batches([&](unsigned worker, std::span<const Piece> pieces) {
      Bins& to = drained ? static_cast<Bins&>(bins[worker]) : lines[worker];
      iteration.program().bin({pieces, Access::exclusive}, iteration.messages(), to);
      if (drained) gatherers[worker].gather_there();
    });
    if (drained) {
      iteration.executor().parallel_for(0, space.sizes().bins, 16,
                                        [&](unsigned worker, std::size_t bin, std::size_t end) {
                                          gatherers[worker].gather_rest(bin, end, bins);
                                        });
    }
    for (const Gatherer& gatherer : gatherers) gathering += gatherer.counts().processor_seconds;
  }
  count_edges(state, iteration);
  state.counters["gather_ns_an_edge"] = gathering * 1e9 /
                                        static_cast<double>(iteration.graph().targets.size()) /
                                        static_cast<double>(state.iterations());
}

void into_lines_alone(benchmark::State& state) { binned(state, false); }
BENCHMARK(into_lines_alone)
    ->ArgNames({"scale", "threads", "bins", "staging"})
    ->ArgsProduct({{22}, {1}, {64, 256, 1024}, {16, 128}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void through_bins(benchmark::State& state) { binned(state, true); }
BENCHMARK(through_bins)
    ->ArgNames({"scale", "threads", "bins", "staging"})
    ->ArgsProduct({{22}, {1, 2}, {32, 64, 128, 256, 1024, 4096}, {16, 32, 64, 128}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace outcore
