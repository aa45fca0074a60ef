// SPDX-License-Identifier: Apache-2.0
// Turns edge lists of other tools into containers.
//
//   csv, tsv tables of fields (fields.h) with or without a header. The columns of the ends and the
//            weight are chosen by name or number; else by common names; else the first two are the
//            ends. Further columns are ignored
//   parquet, arrow
//            tables whose columns have names, chosen in the same way; read by Python's pyarrow
//            (python.h)
//   snap     text, as SNAP publishes graphs: one edge a line, two ids separated by blanks or tabs;
//            lines that begin with # or % are comments; further columns (weights, times) are
//            ignored. Ids are kept if the largest is less than twice the number of edges, so a
//            graph that is numbered from 0 without isolated vertices always keeps its ids.
//            Otherwise the ids that occur are numbered in ascending order, and stored in the
//            container's `ids`.
//   el, wel  the GAP suite's text: the same without further columns, or with the weight as third
//            column
//   pairs32  raw little-endian u32 pairs; there is one vertex more than the largest id
//   sg, wsg  the GAP suite's serialized graph: directed u8, edges i64, vertices i64, then out-lists
//            as vertices + 1 offsets (i64) and `edges` targets (i32; in wsg each is followed by its
//            weight, i32); if directed, then in-lists in the same form. In-lists are not read but
//            made from the out-lists.
//   csr64    raw little-endian: vertices + 1 offsets (u64), counted in edges and starting at 0,
//            then the targets (u32). There is no header: the last offset is the one that is
//            consistent with the file's size. The same bytes as a container's out.offsets followed
//            by its out.targets.
//   mtx      MatrixMarket, square coordinate matrices: pattern, real or integer; general or
//            symmetric (the file has the lower triangle). Row i and column j mean the edge i -> j.
//            Ids start at 1, which the container's `ids` keeps. Values are weights.
//   gr       DIMACS' ninth challenge: comments (c), the line "p sp VERTICES ARCS", then one arc a
//            line, "a FROM TO WEIGHT". Ids start at 1 (kept in `ids`)
//   graphalytics
//            LDBC Graphalytics: x.v has one id a line, x.e two ids and perhaps a weight a line;
//            x.properties says whether the graph is directed, and how many vertices and edges it
//            has. An undirected edge is in the file once. Ids need not be dense; the container's
//            `ids` keeps them.
//   webgraph Boldi and Vigna's BVGraph: x.graph, decoded from front to back with the parameters in
//            x.properties (webgraph.cc); x.offsets is not needed
//
// Ids of csv, tsv, parquet, arrow, snap, el and wel may be names instead of numbers
// (storage/container/names.h). Then vertices are numbered in the order in which their names first
// occur, in one pass, and the names are kept.
//
// Text and pairs can also be read from .gz and .zst and, except for graphalytics, from pipes,
// compressed or not. One pass is enough, unless a text's ids must be renumbered. A weight is a
// float32; integers above 2^24 are rounded to the nearest. NaN and infinity are refused, negative
// weights are not. export.h writes some of these formats.
//
// Memory: `memory`, at least 40 MiB, is the limit of the program, the sort and the pieces of text
// in work (piece_reader.h, about 3 MiB per thread; with little memory, fewer threads). Not included
// are 8 to 16 bytes per vertex if ids are renumbered, the names and 32 bytes for each if ids are
// names, the window of a .zst, and the Python program for parquet and arrow.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/error.h"
#include "storage/container/builder.h"
#include "storage/formats/byte_source.h"

namespace outcore {

// What the caller says about the columns of a table and about the ids in a file.
struct ColumnWishes {
  std::string columns;              // "src,dst", "1,2" or with a weight; empty: not given
  std::optional<bool> header = {};  // unset: the first line decides
  std::string ids = "number";       // or "string": names (storage/container/names.h)
  [[nodiscard]] bool named() const { return ids == "string"; }
};

struct ImportOptions {
  std::string format = "auto";  // by the name's ending, else by a text's first line
  bool symmetric = false;       // store each edge in both directions
  bool symmetrised = false;     // the file already has both directions; this is checked
  // An undirected graph has each edge once and no loops, so `symmetric` drops the others unless
  // keep_loops or keep_parallel is set. Without `symmetric`, everything is kept unless drop_loops
  // or drop_duplicates is set.
  bool drop_loops = false;
  bool drop_duplicates = false;
  bool keep_loops = false;
  bool keep_parallel = false;
  ColumnWishes columns = {};  // for formats with columns
  std::uint64_t memory = std::uint64_t{1} << 30;
  unsigned threads = 0;  // 0: every core
  bool force = false;
};

// `file` "-" is standard input. Throws bad_input with line or offset if it is not a graph; then
// nothing is left.
BuildCounts import_graph(const std::filesystem::path& file, const std::filesystem::path& folder,
                         const ImportOptions& options);

// What a format's function gets: the file, where to put the container, and how to build it.
struct ImportJob {
  std::unique_ptr<ByteSource> source;  // at its beginning
  std::filesystem::path file;  // the name of `source`; for a stream only its name in messages
  std::filesystem::path folder;
  BuildOptions build;
  BuildCounts counts;  // set by the function, at its end
  ColumnWishes columns;
  bool passes_once = true;  // then open_again() must not be called
  bool notes_input = true;  // record what is read, as it is; else files were recorded
  std::function<std::unique_ptr<ByteSource>()> open_again;

  // Adds provenance of a source that was read to its end.
  void note_input(ContainerBuilder& builder, const ByteSource& read) const;
};

void import_csv(ImportJob& job);
void import_tsv(ImportJob& job);
void import_parquet(ImportJob& job);
void import_arrow(ImportJob& job);
void import_snap(ImportJob& job);
void import_el(ImportJob& job);
void import_wel(ImportJob& job);
void import_pairs32(ImportJob& job);
void import_csr64(ImportJob& job);
void import_sg(ImportJob& job);
void import_wsg(ImportJob& job);
void import_mtx(ImportJob& job);
void import_gr(ImportJob& job);
void import_graphalytics(ImportJob& job);
void import_webgraph(ImportJob& job);

// For import functions: the last two 32-bit ids are not used; and the error for a file without
// edges.
inline constexpr VertexId kMostVertices = kNoVertex - 1;
Error no_edges(const std::filesystem::path& file);

}  // namespace outcore
