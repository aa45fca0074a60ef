// SPDX-License-Identifier: Apache-2.0
// The value of every vertex in a file, in the ids of the imported file (outcore run --output).
//
// FILE.npy is NumPy's own format, version 1.0, which any NumPy reads: 10 bytes (0x93 "NUMPY", 1, 0,
// and a little-endian u16, the length of the header), the header (a Python dictionary in text,
// padded with blanks and a newline so that the data begin at a multiple of 64), then 12 bytes a
// vertex without padding, little-endian: `vertex` (u64) and `value` (u32, or float32 where the
// workload's values are floats); 16 bytes where they are vertices, which are u64 too. Vertices
// ascend.
//
// Any other name: text, a line a vertex, id and value with a blank between. Floats have as few
// digits as bring the same float back; what no path leads to is 4294967295, or inf.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "workloads/workload.h"

namespace outcore {

// `ids` of the vertices in canonical order; empty: each is its own. The file appears whole.
void write_values(const std::filesystem::path& path, const Answer& answer,
                  std::span<const std::uint64_t> ids);

}  // namespace outcore
