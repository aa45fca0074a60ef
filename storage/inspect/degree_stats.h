// SPDX-License-Identifier: Apache-2.0
// What researchers tabulate of the degrees of one direction: moments, classes, a histogram.
//
// Reads offsets only. Memory: 8 bytes a vertex while it counts, for the median.
#pragma once

#include <cstdint>
#include <vector>

#include "storage/container/container.h"

namespace outcore {

// Vertices of some degrees, and the edges in their lists.
struct DegreeClass {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
};

struct DegreeStats {
  // Lists that fit the 8 bytes of an index entry, and the longest ones that ChunkGraph puts into
  // chunks (section 3.1): mini vertices have 1 to 2 edges, medium ones up to 465,920, super more.
  static constexpr std::uint64_t kMostOfMini = 2;
  static constexpr std::uint64_t kMostOfMedium = 465920;

  std::uint64_t least = 0;
  std::uint64_t median = 0;  // the lower one of two
  double mean = 0;
  std::uint64_t most = 0;
  double deviation = 0;  // of the population
  double skewness = 0;   // third standardised moment; 0 where all degrees are equal
  DegreeClass none;
  DegreeClass mini;
  DegreeClass medium;
  DegreeClass super;
  // Vertices of degree 0, then of degrees [2^(i-1), 2^i).
  std::vector<std::uint64_t> histogram;
};
DegreeStats degree_stats(const CsrView& csr);

// Vertices without an edge in either direction.
std::uint64_t isolated_vertices(const CsrView& out, const CsrView& in);

}  // namespace outcore
