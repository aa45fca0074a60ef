// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "storage/formats/export.h"
#include "storage/formats/field_lines.h"
#include "storage/formats/import.h"
#include "storage/formats/named_edges.h"

namespace outcore {

namespace {

// Reads the head again in each pass; the records begin after it.
template <typename Edge>
auto reader_of_fields(const ImportJob& job, const std::string& separators) {
  return [&job, separators](ByteSource& source, const char* progress, const auto& sink) {
    const FieldHead head = read_field_head(source, job.columns, separators);
    read_lines({.source = source,
                .threads = job.build.threads,
                .progress = progress,
                .lines_before = head.lines},
               FieldLine<Edge>{head.separator, head.columns}, sink);
  };
}

void import_fields(ImportJob& job, const std::string& separators) {
  const FieldHead head = read_field_head(*job.source, job.columns, separators);
  job.source->put_back(head.raw);
  const bool weighted = head.columns.weight.has_value();
  if (job.columns.named()) {
    if (weighted) {
      import_named_edges<WeightedNamedEdge>(job,
                                            reader_of_fields<WeightedNamedEdge>(job, separators));
    } else {
      import_named_edges<NamedEdge>(job, reader_of_fields<NamedEdge>(job, separators));
    }
  } else if (weighted) {
    import_numbered_edges<WeightedTextEdge>(job,
                                            reader_of_fields<WeightedTextEdge>(job, separators));
  } else {
    import_numbered_edges<TextEdge>(job, reader_of_fields<TextEdge>(job, separators));
  }
}

void export_fields(ExportJob& job, char separator) {
  const bool weighted = job.container.facts().weighted;
  job.file.text(fmt::format("source{0}target{1}\n", separator,
                            weighted ? fmt::format("{}weight", separator) : ""));
  write_text_edges(job, separator, weighted);
}

}  // namespace

void import_csv(ImportJob& job) { import_fields(job, ",;|\t"); }
void import_tsv(ImportJob& job) { import_fields(job, "\t"); }

void export_csv(ExportJob& job) { export_fields(job, ','); }
void export_tsv(ExportJob& job) { export_fields(job, '\t'); }

}  // namespace outcore
