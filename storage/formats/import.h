// SPDX-License-Identifier: Apache-2.0
// Edge lists of other tools become containers. One file a format; to add one: write its file,
// declare its function below, give it a line in import.cc.
//
//   snap     text, as SNAP publishes graphs: an edge a line, two ids between blanks or tabs, lines
//            that begin with # or % are comments; further columns (weights, times) are ignored.
//            Ids are kept when the greatest is less than twice the number of edges, so a graph
//            that is numbered from 0 without isolated vertices always keeps its ids; otherwise the
//            ids that occur are numbered in ascending order, and the container's `ids` has them.
//   pairs32  raw little-endian u32 pairs; as many vertices as the greatest id, and one
//   sg       the GAP suite's serialized graph: directed u8, edges i64, vertices i64, then out-lists
//            as vertices + 1 offsets (i64) and edges targets (i32), then in-lists likewise when
//            directed. In-lists are not read but made from the out-lists.
//   csr64    raw little-endian: vertices + 1 offsets (u64), in edges, the first 0, then the targets
//            (u32). There is no header: the last offset is the one that accounts for the file's
//            size. The same bytes as a container's out.offsets and out.targets, one after the
//            other.
//
// export.h writes these files, and Ligra's adjacency graphs: the line "AdjacencyGraph", then the
// vertices, the edges, an offset for each vertex and the targets, a number a line.
//
// Memory: the sort's (container/builder.h), a few MB of buffers a thread, and for snap with sparse
// ids 40 bytes a vertex. Files are read up to three times, so pipes are refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "common/files.h"
#include "storage/container/builder.h"

namespace outcore {

struct ImportOptions {
  std::string format = "auto";  // by the name's ending, or snap when the file begins with text
  bool symmetric = false;       // store each edge in both directions
  bool symmetrised = false;     // the file has both directions already, which is checked
  bool drop_loops = false;
  bool drop_duplicates = false;
  std::uint64_t memory = std::uint64_t{1} << 30;
  unsigned threads = 0;  // 0: every core
  bool force = false;
};

// Throws bad_input with line or offset for what is no graph; nothing is left then.
void import_graph(const std::filesystem::path& file, const std::filesystem::path& folder,
                  const ImportOptions& options);

// What a format's function gets: the opened file, where the container goes and how to build it.
struct ImportJob {
  File file;
  std::filesystem::path folder;
  BuildOptions build;
};

struct Format {
  std::string name;
  std::string help;
  void (*import)(ImportJob& job);
};
std::span<const Format> formats();

void import_snap(ImportJob& job);
void import_pairs32(ImportJob& job);
void import_sg(ImportJob& job);
void import_csr64(ImportJob& job);

}  // namespace outcore
