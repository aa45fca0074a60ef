// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/export.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/progress.h"
#include "storage/formats/formats.h"
#include "storage/formats/vertex_labels.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

const Format& format_of(const fs::path& file, const std::string& name) {
  const Format* const format = find_format(name, file, FormatUse::write);
  if (format != nullptr) return *format;
  throw usage_error(fmt::format("{}: its ending means no format; give --format, or use one of {}",
                                file == "-" ? "the standard output" : file.string(),
                                known_endings(FormatUse::write)));
}

// Checks that lists can be cut from the mapped files by these offsets; ignores the targets.
void check_offsets(const Container& container, const CsrView& out) {
  const auto offsets = out.offsets();
  for (std::size_t v = 0; v < offsets.size(); ++v) {
    const std::uint64_t before = v == 0 ? 0 : offsets[v - 1];
    const std::uint64_t least = v + 1 == offsets.size() ? out.edges() : before;
    const std::uint64_t most = v == 0 ? least : out.edges();
    if (offsets[v] >= least && offsets[v] <= most) continue;
    throw bad_input(Place::offset(container.folder() / "out.offsets", v * sizeof(EdgeIndex)),
                    fmt::format("list offset {}", offsets[v]), fmt::format("{} to {}", least, most),
                    "'outcore check' says more");
  }
}

// In a line of words a name ends at its first blank, so names with blanks are refused.
void refuse_blanks(const ExportJob& job, const VertexLabels& labels) {
  if (!labels.named()) return;
  for (VertexId v = 0; v < job.out.vertices(); ++v) {
    const std::string_view name = labels.name(v);
    if (name.find_first_of(" \t\r\n") == std::string_view::npos) continue;
    throw usage_error(
        fmt::format("{}: vertex '{}' has a blank in its name, which this format cannot "
                    "hold; give --format csv or tsv",
                    job.container.folder().string(), name));
  }
}

}  // namespace

void need_weights(const ExportJob& job, const std::string& format) {
  if (job.container.facts().weighted) return;
  throw usage_error(
      fmt::format("{}: a graph without weights, expected a weighted one for the "
                  "format {}",
                  job.container.folder().string(), format));
}

void write_text_edges(ExportJob& job, char separator, bool weights) {
  const VertexLabels labels(job.container);
  const char quoting = job.table ? separator : ' ';
  if (!job.table) refuse_blanks(job, labels);
  Progress progress("exporting", job.out.edges(), "edges");
  for (VertexId v = 0; v < job.out.vertices(); ++v) {
    const auto list = job.out.list(v);
    for (std::size_t i = 0; i < list.size(); ++i) {
      labels.put(job.file, v, quoting);
      job.file.put(separator);
      labels.put(job.file, list[i], quoting);
      if (weights) {
        job.file.put(separator);
        job.file.number(job.out.weights(v)[i]);
      }
      job.file.text("\n");
    }
    progress.add(list.size());
  }
}

void export_graph(const fs::path& folder, const fs::path& file, const ExportOptions& options) {
  const Format& format = format_of(file, options.format);
  Container container(folder);
  const CsrView out = container.csr(Direction::out);
  check_offsets(container, out);
  if (options.parts) {
    if (format.name != "parquet") {
      throw usage_error(
          fmt::format("--parts: a file of format {} has no parts, expected parquet", format.name));
    }
    return export_parts(container, out, file, options);
  }
  OutputFile output(file, options.force);
  ExportJob job{container, out, output, file, format.columns};
  format.write(job);
  output.commit();
}

}  // namespace outcore
