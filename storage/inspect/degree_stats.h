// SPDX-License-Identifier: Apache-2.0
// What researchers tabulate about the degrees of one direction: moments, classes, a histogram.
//
// Reads only offsets. Memory: 8 bytes per vertex while it counts, for the median.
#pragma once

#include <cstdint>
#include <vector>

#include "storage/container/container.h"

namespace outcore {

// The vertices in a range of degrees, and the edges in their lists.
struct DegreeClass {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
};

struct DegreeStats {
  // The longest lists that fit the 8 bytes of an index entry, and the longest that ChunkGraph puts
  // into chunks (section 3.1): mini vertices have 1 to 2 edges, medium ones up to 465,920, super
  // more.
  static constexpr std::uint64_t kMostOfMini = 2;
  static constexpr std::uint64_t kMostOfMedium = 465920;

  std::uint64_t least = 0;
  std::uint64_t median = 0;  // the lower one of two
  double mean = 0;
  std::uint64_t most = 0;
  double deviation = 0;  // of the population
  double skewness = 0;   // third standardised moment; 0 if all degrees are equal
  DegreeClass none;
  DegreeClass mini;
  DegreeClass medium;
  DegreeClass super;
  // The number of vertices of degree 0, then of degrees [2^(i-1), 2^i).
  std::vector<std::uint64_t> histogram;
};
DegreeStats degree_stats(const CsrView& csr);

// Vertices without an edge in either direction.
std::uint64_t isolated_vertices(const CsrView& out, const CsrView& in);

}  // namespace outcore
