// SPDX-License-Identifier: Apache-2.0
// The value of every vertex in a file, in the ids or names of the imported file (outcore run
// --output), by the ending of the file's name:
//
//   .csv, .tsv  a header, `vertex` and `value`, then a line a vertex; names in quotes where they
//               need it
//   .parquet    a table of the same two columns, written by Python's pyarrow
//   .npy        NumPy's own format, version 1.0, which any NumPy reads: 10 bytes (0x93 "NUMPY", 1,
//               0, and a little-endian u16, the length of the header), the header (a Python
//               dictionary in text, padded with blanks and a newline so that the data begin at a
//               multiple of 64), then 12 bytes a vertex without padding, little-endian: `vertex`
//               (u64) and `value` (u32, or float32 where the workload's values are floats); 16
//               bytes where they are vertices, which are u64 too. It has no place for names
//   any other   text, a line a vertex: vertex and value with a blank between
//
// Vertices are in the graph's order. In text, a float has the fewest digits that give the same
// float back. The value of an unreachable vertex is 4294967295, or inf.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "storage/formats/vertex_labels.h"
#include "workloads/workload.h"

namespace outcore {

// Throws a usage Error if such a file cannot hold the names of the graph's vertices.
void check_values_file(const std::filesystem::path& path, bool named);

// The file appears whole or not at all.
void write_values(const std::filesystem::path& path, const Answer& answer,
                  const VertexLabels& labels);

// The `count` vertices with the largest values, ties by ascending vertex: [{"vertex", "value"}],
// without unreachable vertices. If the values are vertices (components), the most frequent values
// and their counts instead: [{"vertex", "vertices"}].
nlohmann::json largest_values(const Answer& answer, const VertexLabels& labels, std::size_t count);

}  // namespace outcore
