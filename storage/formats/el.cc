// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/export.h"
#include "storage/formats/import.h"
#include "storage/formats/named_edges.h"
#include "storage/formats/text_edges.h"

namespace outcore {

namespace {

struct ElLine {
  using Record = TextEdge;
  static LineKind parse(LineCursor& line, TextEdge& edge) {
    if (line.front() == '#' || line.front() == '%') return LineKind::nothing;
    return line.id(edge.source) && line.id(edge.target) && line.end() ? LineKind::record
                                                                      : LineKind::refused;
  }
};

}  // namespace

void import_el(ImportJob& job) {
  if (job.columns.named()) return import_words<NamedEdge>(job, true);
  import_text_edges(job, ElLine{});
}

void export_el(ExportJob& job) { write_text_edges(job, ' '); }

}  // namespace outcore
