// SPDX-License-Identifier: Apache-2.0
// Reads a file of values, one a vertex, that any program may have written. Its format, by the
// ending of its name or as asked:
//
//   csv, tsv    a line a vertex, `vertex,value` or the value alone; a header may precede
//   npy         NumPy's: an array of numbers, or of records of two numbers, vertex and value
//   u32, f32    the values alone, 4 bytes each, little-endian
//   parquet     a table of vertex and value, or of the value alone, read by Python's pyarrow
//   text        any other ending: a line a vertex, `vertex value` or the value alone; lines that
//               begin with # or % are none
//
// Vertices are called as in the imported file, or by number. Values alone are in the order of those
// ids (of names: in the order in which the file has them first), as our own files have them. Text
// may be compressed (.gz, .zst).
#pragma once

#include <filesystem>
#include <string>

#include "cli/vertex_ids.h"
#include "workloads/workload.h"

namespace outcore {

// Throws bad_input with file and line (or offset), what was found and what was expected; a usage
// Error for an unknown format.
Answer read_foreign_values(const std::filesystem::path& file, const std::string& format,
                           ValueKind kind, Container& container, Called called);

}  // namespace outcore
