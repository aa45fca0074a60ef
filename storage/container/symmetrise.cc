// SPDX-License-Identifier: Apache-2.0
#include "storage/container/symmetrise.h"

#include <fmt/format.h>

#include <vector>

#include "common/error.h"
#include "common/progress.h"
#include "storage/container/container.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

void refuse_target(const Container& container, const CsrView& out, VertexId target) {
  if (target < out.vertices()) return;
  throw bad_input(Place::file(container.folder() / "out.targets"), fmt::format("vertex {}", target),
                  fmt::format("0 to {}", out.vertices() - 1), "'outcore check' says more");
}

void add_lists(const Container& container, const CsrView& out, ContainerBuilder& builder) {
  constexpr std::size_t kBatch = std::size_t{1} << 16;
  Progress progress("symmetrising", out.edges(), "edges");
  std::vector<Edge> edges;
  std::vector<WeightedEdge> weighted;
  const auto hand_on = [&] {
    progress.add(edges.size() + weighted.size());
    if (container.facts().weighted) {
      builder.add_weighted(weighted);
    } else {
      builder.add(edges);
    }
    edges.clear();
    weighted.clear();
  };
  for (VertexId v = 0; v < out.vertices(); ++v) {
    const auto list = out.list(v);
    const auto weights = out.weights(v);
    for (std::size_t i = 0; i < list.size(); ++i) {
      refuse_target(container, out, list[i]);
      if (weights.empty()) {
        edges.emplace_back(v, list[i]);
      } else {
        weighted.push_back({v, list[i], weights[i]});
      }
      if (edges.size() + weighted.size() == kBatch) hand_on();
    }
  }
  hand_on();
}

}  // namespace

BuildCounts symmetrise(const fs::path& from, const fs::path& to, const SymmetriseOptions& options) {
  Container container(from);
  if (container.facts().symmetric) {
    throw usage_error(fmt::format("{} is symmetric already", from.string()));
  }
  if (fs::exists(to) && fs::equivalent(from, to)) {
    throw usage_error(
        fmt::format("{}: the new graph cannot replace the one that it is made from; "
                    "give another folder",
                    to.string()));
  }
  BuildOptions build;
  build.edges = Edges::mirrored;
  build.drop_loops = !options.keep_loops;
  build.drop_duplicates = !options.keep_parallel;
  build.weighted = container.facts().weighted;
  build.memory = options.memory;
  build.threads = threads_or_all(options.threads);
  build.force = options.force;
  build.source = from;
  build.provenance = {{"symmetrised", container.facts().name},
                      {"of", container.facts().provenance},
                      {"drop_loops", build.drop_loops},
                      {"drop_duplicates", build.drop_duplicates}};
  ContainerBuilder builder(to, build);
  add_lists(container, container.csr(Direction::out), builder);
  return builder.finish_as(container);
}

}  // namespace outcore
