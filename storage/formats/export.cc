// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/export.h"

#include <fmt/format.h>

#include <array>

#include "common/error.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

const std::array<ExportFormat, 5> kFormats = {{
    {"pairs32", " .pairs32 .bin ", "raw little-endian u32 pairs", export_pairs32},
    {"csr64", " .csr64 ", "vertices + 1 offsets (u64), then the targets (u32)", export_csr64},
    {"sg", " .sg ", "the GAP suite's serialized graph", export_sg},
    {"adj", " .adj ", "Ligra's AdjacencyGraph text", export_adj},
    {"snap", " .txt .snap ", "text, an edge a line, with the imported file's ids", export_snap},
}};

const ExportFormat& format_of(const fs::path& file, const std::string& name) {
  const std::string ending = " " + file.extension().string() + " ";
  std::vector<std::string> known = {"auto"};
  for (const ExportFormat& format : kFormats) {
    if (format.name == name) return format;
    if (name == "auto" && format.endings.find(ending) != std::string::npos) return format;
    known.push_back(format.name);
  }
  if (name != "auto") throw unknown_name("format", name, known);
  std::string endings;
  for (const ExportFormat& format : kFormats) endings += format.endings.substr(1);
  throw usage_error(fmt::format("{}: its ending stands for no format; give --format, or one of {}",
                                file.string(), endings));
}

// Mapped lists may be cut from these offsets; the targets are not looked at.
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

}  // namespace

std::span<const ExportFormat> export_formats() { return kFormats; }

void export_graph(const fs::path& folder, const fs::path& file, const ExportOptions& options) {
  const ExportFormat& format = format_of(file, options.format);
  Container container(folder);
  const CsrView out = container.csr(Direction::out);
  check_offsets(container, out);
  OutputFile output(file, options.force);
  ExportJob job{container, out, output};
  format.write(job);
  output.commit();
}

}  // namespace outcore
