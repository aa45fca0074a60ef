// SPDX-License-Identifier: Apache-2.0
// Writes containers as files that other tools read (formats.h lists the formats, import.h describes
// them).
//
// Edges are written as the container stores them: those of a symmetric graph in both directions.
// Import with `symmetrised` restores such a graph. csv, tsv, snap, el and wel give vertices the ids
// or names that they had in the imported file; the others use the container's numbers. All of
// these, pairs32 and parquet cannot hold isolated vertices. csv, tsv, parquet, wel, wsg and adj
// hold weights; the others leave them out.
//
//   adj      Ligra's adjacency graph: the line "AdjacencyGraph", then the number of vertices, the
//            number of edges, an offset for each vertex and the targets, one number a line. A
//            weighted graph begins with "WeightedAdjacencyGraph" and has its weights after the
//            targets; Ligra's own programs read integers and ignore what follows a decimal point.
//
//   parquet  the columns source and target (uint32), and weight (float) of a weighted graph, in the
//            order of sources, 2^20 edges a row group. The file's metadata has outcore.vertices,
//            outcore.edges and outcore.checksum (of the targets, as in graph.json). With `parts` it
//            is a folder of that many files, part-00000.parquet and so on, with equally many edges.
//
// The container is mapped and a few MB are buffered; nothing else grows with the graph. Runs on one
// thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "storage/container/container.h"
#include "storage/formats/output_file.h"

namespace outcore {

struct ExportOptions {
  std::string format = "auto";  // by the name's ending
  bool force = false;
  std::optional<unsigned> parts = {};  // of parquet: a folder of so many files
};

// The file, or folder of parts, appears whole or not at all. Throws bad_input if the container's
// lists are broken, and a usage Error if it exists (without `force`) or the format cannot hold the
// graph.
void export_graph(const std::filesystem::path& folder, const std::filesystem::path& file,
                  const ExportOptions& options);

// What a format's function gets: the file, and the graph with its lists' offsets checked.
struct ExportJob {
  Container& container;
  CsrView out;
  OutputFile& file;
  std::filesystem::path target;  // what the user named; "-" is standard output
  bool table = false;            // names may be quoted
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
void export_parquet(ExportJob& job);

// Writes the folder of `options.parts` Parquet files. REQUIRES: it is set.
void export_parts(const Container& container, const CsrView& out,
                  const std::filesystem::path& folder, const ExportOptions& options);

// For export functions: throws a usage Error for a graph without weights; and writes one edge a
// line, as ids separated by `separator`, with a weight if wanted.
void need_weights(const ExportJob& job, const std::string& format);
void write_text_edges(ExportJob& job, char separator, bool weights = false);

}  // namespace outcore
