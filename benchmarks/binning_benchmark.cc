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

  // f(worker, pieces) for all lists; begin(worker, first vertex) before those of a turn.
  template <typename F, typename Begin>
  void batches(const F& f, const Begin& begin) {
    executor_.parallel_for(0, graph_.vertices(), kRange,
                           [&](unsigned worker, std::size_t first, std::size_t last) {
                             begin(worker, first);
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
  template <typename F>
  void batches(const F& f) {
    batches(f, [](unsigned, std::size_t) {});
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

// The bins of all workers, and what is made of them: records that are gathered, or messages alone,
// whose targets were kept before.
class Binned {
 public:
  Binned(const benchmark::State& state, Iteration& iteration, bool keeps)
      : iteration_(iteration),
        keeps_(keeps),
        space_(sizes_of(state, iteration)),
        kept_(space_.sizes(), ~std::uint64_t{0}) {
    for (unsigned worker = 0; worker < workers(); ++worker) bins_.emplace_back(space_, !keeps);
    if (keeps) keep();
  }

  [[nodiscard]] WorkerBins& bins(unsigned worker) { return bins_[worker]; }
  [[nodiscard]] double gathering_seconds() const { return seconds_; }

  void pass() {
    std::vector<Gatherer> gatherers;
    for (unsigned worker = 0; worker < workers(); ++worker) {
      gatherers.emplace_back(iteration_.program(), space_, iteration_.activated(worker));
    }
    space_.start(sizeof(float), workers(), &kept_);
    for (unsigned worker = 0; worker < workers(); ++worker) {
      bins_[worker].start(&gatherers[worker], turns());
    }
    iteration_.batches(
        [&](unsigned worker, std::span<const Piece> pieces) {
          iteration_.program().bin({pieces, Access::exclusive}, iteration_.messages(),
                                   bins_[worker]);
          gatherers[worker].gather_there();
        },
        [&](unsigned worker, std::size_t first) {
          if (keeps_) bins_[worker].begin_run(first / kRange);
        });
    iteration_.executor().parallel_for(0, space_.sizes().bins, 16,
                                       [&](unsigned worker, std::size_t bin, std::size_t end) {
                                         gatherers[worker].gather_rest(bin, end, bins_);
                                       });
    for (const Gatherer& gatherer : gatherers) seconds_ += gatherer.counts().processor_seconds;
  }

 private:
  static BinSizes sizes_of(const benchmark::State& state, Iteration& iteration) {
    const Parameters settings = engine_settings("binning:bins=" + std::to_string(state.range(2)) +
                                                ",staging=" + std::to_string(state.range(3)));
    return BinSizes::of(settings, iteration.graph().vertices(), iteration.executor().size());
  }
  [[nodiscard]] unsigned workers() const { return iteration_.executor().size(); }
  [[nodiscard]] std::size_t turns() const {
    return (iteration_.graph().vertices() + std::size_t{kRange} - 1) / kRange;
  }
  void keep() {
    std::vector<BlockRun> runs(turns());
    kept_.begin_round(runs, false);
    const Csr& graph = iteration_.graph();
    for (std::size_t turn = 0; turn < turns(); ++turn) {
      const std::uint64_t* begins = graph.offsets.data() + turn * kRange;
      const std::size_t vertices = std::min<std::size_t>(kRange, graph.vertices() - turn * kRange);
      kept_.keep(turn, std::span(graph.targets).subspan(begins[0], begins[vertices] - begins[0]));
    }
  }

  Iteration& iteration_;
  const bool keeps_;
  BinSpace space_;
  KeptIds kept_;
  std::vector<WorkerBins> bins_;
  double seconds_ = 0;
};

void through(benchmark::State& state, bool keeps) {
  Iteration iteration(state);
  Binned binned(state, iteration, keeps);
  for (auto _ : state) binned.pass();
  count_edges(state, iteration);
  state.counters["gather_ns_an_edge"] = binned.gathering_seconds() * 1e9 /
                                        static_cast<double>(iteration.graph().targets.size()) /
                                        static_cast<double>(state.iterations());
}

void into_lines_alone(benchmark::State& state) {
  Iteration iteration(state);
  Binned binned(state, iteration, /*keeps=*/false);
  NoGatherer lines(binned.bins(0));
  for (auto _ : state) {
    iteration.batches([&](unsigned, std::span<const Piece> pieces) {
      iteration.program().bin({pieces, Access::exclusive}, iteration.messages(), lines);
    });
  }
  count_edges(state, iteration);
}
BENCHMARK(into_lines_alone)
    ->ArgNames({"scale", "threads", "bins", "staging"})
    ->ArgsProduct({{22}, {1}, {64, 256, 1024}, {16, 128}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void through_bins(benchmark::State& state) { through(state, /*keeps=*/false); }
BENCHMARK(through_bins)
    ->ArgNames({"scale", "threads", "bins", "staging"})
    ->ArgsProduct({{22}, {1, 2}, {32, 64, 128, 256, 1024, 4096}, {16, 32, 64, 128}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void through_bins_with_kept_ids(benchmark::State& state) { through(state, /*keeps=*/true); }
BENCHMARK(through_bins_with_kept_ids)
    ->ArgNames({"scale", "threads", "bins", "staging"})
    ->ArgsProduct({{22}, {1, 2}, {32, 64, 128}, {64, 128}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace outcore
