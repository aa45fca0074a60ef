// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/export.h"
#include "storage/formats/import.h"
#include "storage/formats/named_edges.h"
#include "storage/formats/text_edges.h"

namespace outcore {

namespace {

struct WelLine {
  using Record = WeightedTextEdge;
  static LineKind parse(LineCursor& line, WeightedTextEdge& edge) {
    if (line.front() == '#' || line.front() == '%') return LineKind::nothing;
    return line.id(edge.source) && line.id(edge.target) && line.weight(edge.weight) && line.end()
               ? LineKind::record
               : LineKind::refused;
  }
};

}  // namespace

void import_wel(ImportJob& job) {
  if (job.columns.named()) return import_words<WeightedNamedEdge>(job, true);
  import_text_edges(job, WelLine{});
}

void export_wel(ExportJob& job) {
  need_weights(job, "wel");
  write_text_edges(job, ' ', true);
}

}  // namespace outcore
