// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/freeze_durable_store.h"

#include <fmt/format.h>

#include <vector>

#include "common/error.h"
#include "common/progress.h"
#include "storage/evolving/durable/real_disk.h"
#include "storage/evolving/durable/store_view.h"

namespace outcore::evolving {

BuildCounts freeze_durable_store(const std::filesystem::path& store,
                                 const std::filesystem::path& graph, const FreezeOptions& options) {
  RealDisk disk(store);
  BuildOptions build;
  build.memory = options.memory;
  build.threads = options.threads;
  build.force = options.force;
  StoreView view(disk);
  build.provenance = {{"frozen", "store"}, {"updates", view.updates()}};
  ContainerBuilder builder(graph, build);
  constexpr std::size_t kBatch = std::size_t{1} << 16;
  std::vector<Edge> batch;
  Progress progress("freezing", 0, "edges");
  std::uint64_t edges = 0;
  const auto hand_on = [&] {
    builder.add(batch);
    progress.add(batch.size());
    edges += batch.size();
    batch.clear();
  };
  const auto lists = view.lists(Direction::out);
  VertexId vertex = 0;
  std::vector<PairChange> copies;
  while (lists->next(vertex, copies)) {
    for (const PairChange& pair : copies)
      batch.insert(batch.end(), pair.adds, {vertex, pair.neighbour});
    if (batch.size() >= kBatch) hand_on();
  }
  hand_on();
  if (edges == 0) {
    throw Error(ExitCode::bad_input,
                fmt::format("{}: no edge is left of {} updates, and a graph needs one",
                            store.string(), view.updates()));
  }
  return builder.finish(view.vertices());
}

}  // namespace outcore::evolving
