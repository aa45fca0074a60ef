// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/freeze.h"

#include <fmt/format.h>

#include <vector>

#include "common/error.h"
#include "common/progress.h"

namespace outcore::evolving {

BuildCounts freeze(const Snapshot& snapshot, const std::filesystem::path& folder,
                   const FreezeOptions& options) {
  if (snapshot.edges() == 0) {
    throw Error(ExitCode::bad_input,
                fmt::format("{}: no edge is left of {} updates, and a graph needs one",
                            folder.string(), snapshot.updates()));
  }
  BuildOptions build;
  build.edges = snapshot.symmetric() ? Edges::symmetric : Edges::directed;
  build.memory = options.memory;
  build.threads = options.threads;
  build.force = options.force;
  build.provenance = {{"frozen", "store"}, {"updates", snapshot.updates()}};
  ContainerBuilder builder(folder, build);
  constexpr std::size_t kBatch = std::size_t{1} << 16;
  std::vector<Edge> batch;
  ListReader reader(snapshot);
  Progress progress("freezing", snapshot.edges(), "edges");
  const auto hand_on = [&] {
    builder.add(batch);
    progress.add(batch.size());
    batch.clear();
  };
  for (VertexId v = 0; v < snapshot.vertices(); ++v) {
    reader.for_each_piece(Direction::out, v, [&](std::span<const VertexId> piece) {
      for (const VertexId u : piece) batch.emplace_back(v, u);
    });
    if (batch.size() >= kBatch) hand_on();
  }
  hand_on();
  return builder.finish(snapshot.vertices());
}

}  // namespace outcore::evolving
