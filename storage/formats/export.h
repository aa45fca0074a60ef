// SPDX-License-Identifier: Apache-2.0
// Containers become files that other tools read (formats.h lists them, import.h describes them).
//
// Edges are written as the container stores them: a symmetric graph's in both directions. Import
// with `symmetrised` brings such a graph back. csv, tsv, snap, el and wel give vertices the ids
// or names that they had in the imported file, the others number them as the container does. All of
// these and pairs32 have no place for isolated vertices. Weights go into csv, tsv, wel, wsg and
// adj; the others leave them out.
//
//   adj      Ligra's adjacency graph: the line "AdjacencyGraph", then the vertices, the edges, an
//            offset for each vertex and the targets, a number a line. Of a weighted graph
//            "WeightedAdjacencyGraph", and the weights behind the targets; Ligra's own programs
//            read whole ones, and cut what stands behind a point.
//
// The container is mapped, a few MB are buffered, nothing grows with the graph. One thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

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
  bool table = false;  // names may stand in quotes
};

void export_csv(ExportJob& job);
void export_tsv(ExportJob& job);
void export_el(ExportJob& job);
void export_wel(ExportJob& job);
void export_wsg(ExportJob& job);
void export_pairs32(ExportJob& job);
void export_csr64(ExportJob& job);
void export_sg(ExportJob& job);
void export_adj(ExportJob& job);
void export_snap(ExportJob& job);

// For export functions: a usage Error for a graph without weights; and an edge a line, as ids with
// `separator` between them, and with a weight if asked for.
void need_weights(const ExportJob& job, const std::string& format);
void write_text_edges(ExportJob& job, char separator, bool weights = false);

}  // namespace outcore
