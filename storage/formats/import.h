// SPDX-License-Identifier: Apache-2.0
// Edge lists of other tools become containers.
//
//   csv, tsv tables of fields (fields.h) with or without a header. Columns of the ends and of the
//            weight are chosen by name or number, else by what they are called, else the first two
//            are the ends; further ones are ignored
//   parquet, arrow
//            tables whose columns have names, chosen likewise; read by Python's pyarrow (python.h)
//   snap     text, as SNAP publishes graphs: an edge a line, two ids between blanks or tabs, lines
//            that begin with # or % are comments; further columns (weights, times) are ignored.
//            Ids are kept when the greatest is less than twice the number of edges, so a graph
//            that is numbered from 0 without isolated vertices always keeps its ids; otherwise the
//            ids that occur are numbered in ascending order, and the container's `ids` has them.
//   el, wel  the GAP suite's text: the same without further columns, or with a third one, the
//            weight
//   pairs32  raw little-endian u32 pairs; as many vertices as the greatest id, and one
//   sg, wsg  the GAP suite's serialized graph: directed u8, edges i64, vertices i64, then out-lists
//            as vertices + 1 offsets (i64) and edges targets (i32; in wsg each is followed by its
//            weight, i32), then in-lists likewise when directed. In-lists are not read but made
//            from the out-lists.
//   csr64    raw little-endian: vertices + 1 offsets (u64), in edges, the first 0, then the targets
//            (u32). There is no header: the last offset is the one that accounts for the file's
//            size. The same bytes as a container's out.offsets and out.targets, one after the
//            other.
//   mtx      MatrixMarket, square coordinate matrices: pattern, real or integer; general or
//            symmetric (the lower triangle is in the file). Row i and column j are i -> j; ids are
//            numbered from 1, which the container's `ids` keeps. Values are weights.
//   gr       DIMACS' ninth challenge: comments c, the line "p sp VERTICES ARCS", then an arc a
//            line, "a FROM TO WEIGHT", ids numbered from 1 (kept in `ids`)
//   graphalytics
//            LDBC Graphalytics: x.v has an id a line, x.e two ids and perhaps a weight a line,
//            x.properties says whether the graph is directed and how many there are of both. An
//            undirected edge is once in the file. Ids need not be dense: the container's `ids`.
//   webgraph Boldi and Vigna's BVGraph: x.graph, decoded front to back with the parameters in
//            x.properties (webgraph.cc); x.offsets is not needed
//
// Ids of csv, tsv, parquet, arrow, snap, el and wel may be names in place of numbers
// (storage/container/names.h): vertices are then numbered in the order in which names come, in one
// pass, and the names are kept.
//
// Text and pairs are also read from .gz and .zst, and, but for graphalytics, from pipes, compressed
// or not: one pass is enough, unless a text's ids are to be numbered anew. A weight is a float32:
// of integers above 2^24 the nearest; NaN and infinity are refused, negative ones are not. export.h
// writes some of these.
//
// Memory: `memory`, of 40 MiB or more, bounds the program, the sort and the pieces of text under
// way (piece_reader.h, about 3 MiB a thread: with little memory, fewer threads); beyond it come 8
// to 16 bytes a vertex where ids are numbered anew, the names and 32 bytes for each where they are
// names, the window of a .zst, and the Python program of parquet and arrow.
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

// What the caller says of the columns of a table and of the ids in a file.
struct ColumnWishes {
  std::string columns;         // "src,dst", "1,2" or the same with a weight; empty: not said
  std::optional<bool> header;  // not said: the first line tells
  std::string ids = "number";  // or string: names (storage/container/names.h)
  [[nodiscard]] bool named() const { return ids == "string"; }
};

struct ImportOptions {
  std::string format = "auto";  // by the name's ending, else by the first line of a text
  bool symmetric = false;       // store each edge in both directions
  bool symmetrised = false;     // the file has both directions already, which is checked
  // An undirected graph has each edge once and no loops: `symmetric` drops what is more, unless the
  // last two say otherwise. Without `symmetric` all is kept, unless the first two say otherwise.
  bool drop_loops = false;
  bool drop_duplicates = false;
  bool keep_loops = false;
  bool keep_parallel = false;
  ColumnWishes columns;  // of formats that have columns
  std::uint64_t memory = std::uint64_t{1} << 30;
  unsigned threads = 0;  // 0: every core
  bool force = false;
};

// `file` "-" is the standard input. Throws bad_input with line or offset for what is no graph;
// nothing is left then.
BuildCounts import_graph(const std::filesystem::path& file, const std::filesystem::path& folder,
                         const ImportOptions& options);

// What a format's function gets: the file, where the container goes and how to build it.
struct ImportJob {
  std::unique_ptr<ByteSource> source;  // at its beginning
  std::filesystem::path file;          // of `source`; of a stream no more than what to call it
  std::filesystem::path folder;
  BuildOptions build;
  BuildCounts counts;  // what the function found, at its end
  ColumnWishes columns;
  bool passes_once = true;  // open_again() is not to be called
  bool notes_input = true;  // of what is read, as it is; else the file's own were noted
  std::function<std::unique_ptr<ByteSource>()> open_again;

  // The provenance of what was read to its end.
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

// For import functions: the last two of 32-bit ids are not given out; and how to say that a file
// has no edges.
inline constexpr VertexId kMostVertices = kNoVertex - 1;
Error no_edges(const std::filesystem::path& file);

}  // namespace outcore
