// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/formats.h"

#include <fmt/format.h>

#include <array>

#include "common/error.h"
#include "storage/formats/export.h"
#include "storage/formats/import.h"

namespace outcore {

namespace {

const std::array kFormats = {
    Format{"csv", " .csv ", "table: fields between commas (or ; or |), with a header or without",
           import_csv, export_csv, Reading::stream, true, true},
    Format{"tsv", " .tsv ", "table: fields between tabs", import_tsv, export_tsv, Reading::stream,
           true, true},
    Format{"parquet", " .parquet .pq ", "table, by way of Python's pyarrow", import_parquet,
           export_parquet, Reading::anywhere, true, true},
    Format{"arrow", " .arrow .feather .ipc ", "table: Arrow's IPC files, read by Python's pyarrow",
           import_arrow, nullptr, Reading::anywhere, true, true},
    Format{"snap", " .txt .snap ", "text, one edge a line, further columns ignored", import_snap,
           export_snap, Reading::stream, false, true},
    Format{"el", " .el ", "text, two ids a line", import_el, export_el, Reading::stream, false,
           true},
    Format{"wel", " .wel ", "text, two ids and a weight a line", import_wel, export_wel,
           Reading::stream, false, true},
    Format{"pairs32", " .pairs32 .el32 .bin ", "raw little-endian u32 pairs", import_pairs32,
           export_pairs32, Reading::stream},
    Format{"csr64", " .csr64 ", "vertices + 1 offsets (u64), then the targets (u32)", import_csr64,
           export_csr64},
    Format{"sg", " .sg ", "the GAP suite's serialized graph", import_sg, export_sg},
    Format{"wsg", " .wsg ", "the same with integer weights", import_wsg, export_wsg},
    Format{"mtx", " .mtx ", "MatrixMarket coordinates: pattern, real, integer", import_mtx, nullptr,
           Reading::stream},
    Format{"gr", " .gr ", "DIMACS shortest paths: weighted arcs", import_gr, nullptr,
           Reading::stream},
    Format{"graphalytics", " .properties .v .e ", "LDBC Graphalytics: .properties, .v and .e",
           import_graphalytics, nullptr, Reading::parts},
    Format{"webgraph", " .graph ", "WebGraph's BVGraph: .graph and .properties", import_webgraph,
           nullptr},
    Format{"adj", " .adj ", "Ligra's AdjacencyGraph text", nullptr, export_adj},
};

bool can(const Format& format, FormatUse use) {
  return use == FormatUse::import ? format.import != nullptr : format.write != nullptr;
}

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format* find_format(const std::string& name, const std::filesystem::path& file,
                          FormatUse use) {
  const std::string ending = fmt::format(" {} ", file.extension().string());
  std::vector<std::string> known = {"auto"};
  for (const Format& format : kFormats) {
    if (!can(format, use)) continue;
    if (format.name == name) return &format;
    if (name == "auto" && format.endings.find(ending) != std::string::npos) return &format;
    known.push_back(format.name);
  }
  if (name != "auto") throw unknown_name("format", name, known);
  return nullptr;
}

std::string known_endings(FormatUse use) {
  std::string endings;
  for (const Format& format : kFormats) {
    if (can(format, use)) endings += format.endings.substr(1);
  }
  endings.pop_back();
  return endings;
}

std::string list_formats(FormatUse use) {
  std::string lines;
  for (const Format& format : kFormats) {
    if (!can(format, use)) continue;
    lines += fmt::format("\n  {:<13}{:<22}{}", format.name, format.endings, format.help);
  }
  return lines;
}

}  // namespace outcore
