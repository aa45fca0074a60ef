// SPDX-License-Identifier: Apache-2.0
// Containers become files that other tools read. A format's writer stands beside its reader, in the
// format's file; to add one: write it there, declare it below, give it a line in export.cc.
//
// Edges are written as the container stores them: a symmetric graph's in both directions. Import
// with `symmetrised` brings such a graph back. What the formats hold is described in import.h;
// pairs32, csr64, sg and adj number vertices as the container does, snap gives them the ids that
// they had in the imported file. pairs32 and snap have no place for isolated vertices.
//
// The container is mapped, a few MB are buffered, nothing grows with the graph. One thread.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "storage/container/container.h"
#include "storage/formats/output_file.h"

namespace outcore {

struct ExportOptions {
  std::string format = "auto";  // by the name's ending
  bool force = false;
};

// The file appears whole or not at all. Throws bad_input when the container's lists are broken, a
// usage Error when the file exists (without `force`) or the format cannot hold the graph.
void export_graph(const std::filesystem::path& folder, const std::filesystem::path& file,
                  const ExportOptions& options);

// What a format's function gets: the graph, checked as far as its lists' offsets go, and the file.
struct ExportJob {
  Container& container;
  CsrView out;
  OutputFile& file;
};

struct ExportFormat {
  std::string name;
  std::string endings;  // those that stand for it, between blanks
  std::string help;
  void (*write)(ExportJob& job);
};
std::span<const ExportFormat> export_formats();

void export_pairs32(ExportJob& job);
void export_csr64(ExportJob& job);
void export_sg(ExportJob& job);
void export_adj(ExportJob& job);
void export_snap(ExportJob& job);

}  // namespace outcore
