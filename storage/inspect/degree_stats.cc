// SPDX-License-Identifier: Apache-2.0
#include "storage/inspect/degree_stats.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace outcore {

namespace {

DegreeClass& class_of(std::uint64_t degree, DegreeStats& stats) {
  if (degree == 0) return stats.none;
  if (degree <= DegreeStats::kMostOfMini) return stats.mini;
  return degree <= DegreeStats::kMostOfMedium ? stats.medium : stats.super;
}

void add_moments(const std::vector<std::uint64_t>& degrees, DegreeStats& stats) {
  double squares = 0;
  double cubes = 0;
  for (const std::uint64_t degree : degrees) {
    const double difference = static_cast<double>(degree) - stats.mean;
    squares += difference * difference;
    cubes += difference * difference * difference;
  }
  const auto count = static_cast<double>(degrees.size());
  stats.deviation = std::sqrt(squares / count);
  if (squares > 0) stats.skewness = cubes / count / std::pow(stats.deviation, 3);
}

}  // namespace

DegreeStats degree_stats(const CsrView& csr) {
  DegreeStats stats;
  if (csr.vertices() == 0) return stats;
  std::vector<std::uint64_t> degrees(csr.vertices());
  for (VertexId v = 0; v < csr.vertices(); ++v) {
    degrees[v] = csr.degree(v);
    const auto bin = static_cast<std::size_t>(std::bit_width(degrees[v]));
    if (bin >= stats.histogram.size()) stats.histogram.resize(bin + 1);
    ++stats.histogram[bin];
    DegreeClass& own_class = class_of(degrees[v], stats);
    ++own_class.vertices;
    own_class.edges += degrees[v];
  }
  const auto [least, most] = std::minmax_element(degrees.begin(), degrees.end());
  stats.least = *least;
  stats.most = *most;
  stats.mean = static_cast<double>(csr.offsets().back()) / csr.vertices();
  add_moments(degrees, stats);
  const auto middle = degrees.begin() + (csr.vertices() - 1) / 2;
  std::nth_element(degrees.begin(), middle, degrees.end());
  stats.median = *middle;
  return stats;
}

std::uint64_t isolated_vertices(const CsrView& out, const CsrView& in) {
  std::uint64_t isolated = 0;
  for (VertexId v = 0; v < out.vertices(); ++v) {
    isolated += out.degree(v) == 0 && in.degree(v) == 0 ? 1 : 0;
  }
  return isolated;
}

}  // namespace outcore
