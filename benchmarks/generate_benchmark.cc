// SPDX-License-Identifier: Apache-2.0
// Graphs made from nothing to a container, sorted and hashed, with every core: edges per second,
// counted before duplicates are dropped. Kronecker 22 should take at most a minute.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "workloads/graphs/generate.h"

namespace outcore {
namespace {

// A folder that is removed afterwards.
class TemporaryGraph {
 public:
  ~TemporaryGraph() { std::filesystem::remove_all(folder_); }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                  fmt::format("outcore-generate-benchmark-{}", ::getpid());
};

void kronecker(benchmark::State& state) {
  const TemporaryGraph graph;
  const KroneckerOptions options{.scale = static_cast<unsigned>(state.range(0)), .degree = 16};
  for ([[maybe_unused]] auto _ : state) generate_kronecker(options, graph.folder(), 0, true);
  state.SetItemsProcessed(state.iterations() * (std::int64_t{16} << options.scale));
}
BENCHMARK(kronecker)->Arg(18)->Arg(22)->Unit(benchmark::kSecond)->UseRealTime();

void hostweb(benchmark::State& state) {
  const TemporaryGraph graph;
  const HostWebOptions options{.vertices = static_cast<std::uint64_t>(state.range(0))};
  for ([[maybe_unused]] auto _ : state) generate_hostweb(options, graph.folder(), 0, true);
  state.SetItemsProcessed(state.iterations() * state.range(0) * options.degree);
}
BENCHMARK(hostweb)->Arg(1 << 20)->Unit(benchmark::kSecond)->UseRealTime();

}  // namespace
}  // namespace outcore
