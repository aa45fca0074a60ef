// SPDX-License-Identifier: Apache-2.0
// How the vertices are cut into bins, and the space of bins into buffers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/ids.h"
#include "common/parameters.h"

namespace outcore {

struct BinSizes {
  unsigned workers = 1;
  unsigned bin_shift = 0;   // a bin is a range of 2^bin_shift vertices
  unsigned line_shift = 0;  // a line holds 2^line_shift records
  std::size_t bins = 1;
  std::size_t buffer_bytes = 0;
  std::size_t buffers = 0;
  std::size_t spare = 0;  // while no more buffers are empty, bins are to be gathered

  [[nodiscard]] std::size_t line() const { return std::size_t{1} << line_shift; }
  [[nodiscard]] std::size_t space() const { return buffer_bytes * buffers; }

  // From `bins`, `bin-space`, `staging` and `spill`, with which buffers are whole pages. Throws a
  // usage Error for what cannot be.
  static BinSizes of(const Parameters& settings, VertexId vertices, unsigned workers);
};

}  // namespace outcore
