// SPDX-License-Identifier: Apache-2.0
#include "common/progress.h"
#include "storage/formats/export.h"

namespace outcore {

void export_adj(ExportJob& job) {
  const auto line = [&](std::uint64_t value) {
    job.file.number(value);
    job.file.text("\n");
  };
  const bool weighted = job.container.facts().weighted;
  job.file.text(weighted ? "WeightedAdjacencyGraph\n" : "AdjacencyGraph\n");
  line(job.out.vertices());
  line(job.out.edges());
  for (VertexId v = 0; v < job.out.vertices(); ++v) line(job.out.offsets()[v]);
  Progress progress("exporting", job.out.edges(), "edges");
  for (VertexId v = 0; v < job.out.vertices(); ++v) {
    for (const VertexId target : job.out.list(v)) line(target);
    progress.add(job.out.degree(v));
  }
  if (!weighted) return;
  for (const float weight : job.out.weights()) {
    job.file.number(weight);
    job.file.text("\n");
  }
}

}  // namespace outcore
