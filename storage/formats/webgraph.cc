// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "common/hash.h"
#include "common/progress.h"
#include "storage/formats/bv_graph.h"
#include "storage/formats/import.h"

namespace outcore {

void import_webgraph(ImportJob& job) {
  constexpr std::size_t kBatch = std::size_t{1} << 16;
  BvGraph graph(job.file);
  const BvParameters& parameters = graph.parameters();
  if (parameters.arcs == 0) throw no_edges(job.file);
  const std::filesystem::path properties =
      std::filesystem::path(job.file).replace_extension(".properties");
  job.build.provenance["files"] = {{properties.filename().string(), hash_file(properties)}};
  ContainerBuilder builder(job.folder, job.build);
  Progress progress("importing", parameters.arcs, "edges");
  std::vector<Edge> batch;
  for (VertexId v = 0; v < parameters.vertices; ++v) {
    for (const VertexId target : graph.next()) batch.emplace_back(v, target);
    if (batch.size() < kBatch && v + 1 < parameters.vertices) continue;
    builder.add(batch);
    progress.add(batch.size());
    batch.clear();
  }
  job.counts = builder.finish(static_cast<VertexId>(parameters.vertices));
}

}  // namespace outcore
