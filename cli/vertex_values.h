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
// Vertices ascend as the graph numbers them. In text, floats have as few digits as bring the same
// float back; what no path leads to is 4294967295, or inf.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "storage/formats/vertex_labels.h"
#include "workloads/workload.h"

namespace outcore {

// Throws a usage Error where such a file cannot hold what the graph calls its vertices.
void check_values_file(const std::filesystem::path& path, bool named);

// The file appears whole.
void write_values(const std::filesystem::path& path, const Answer& answer,
                  const VertexLabels& labels);

// The `count` vertices with the largest values, ties by ascending vertex: [{"vertex", "value"}].
// Without those that no path leads to. Where the values are vertices (components), those that most
// vertices have, and how many: [{"vertex", "vertices"}].
nlohmann::json largest_values(const Answer& answer, const VertexLabels& labels, std::size_t count);

}  // namespace outcore
