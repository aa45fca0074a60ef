// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "common/progress.h"
#include "storage/formats/export.h"
#include "storage/formats/import.h"
#include "storage/formats/named_edges.h"
#include "storage/formats/text_edges.h"

namespace outcore {

namespace {

struct SnapLine {
  using Record = TextEdge;
  static LineKind parse(LineCursor& line, TextEdge& edge) {
    if (line.front() == '#' || line.front() == '%') return LineKind::nothing;
    return line.id(edge.source) && line.id(edge.target) ? LineKind::record : LineKind::refused;
  }
};

}  // namespace

void import_snap(ImportJob& job) {
  if (job.columns.named()) return import_words<NamedEdge>(job, false);
  import_text_edges(job, SnapLine{});
}

void export_snap(ExportJob& job) {
  job.file.text(fmt::format("# Nodes: {} Edges: {}\n# FromNodeId\tToNodeId\n", job.out.vertices(),
                            job.out.edges()));
  write_text_edges(job, '\t');
}

}  // namespace outcore
