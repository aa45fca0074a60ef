// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/error.h"
#include "workloads/graphs/edge_loop.h"
#include "workloads/streams/stream_output.h"

namespace outcore {

namespace {

// How likely one of the first r ranks is, for each r.
std::vector<double> zipf_sums(std::uint32_t ranks, double exponent) {
  std::vector<double> sums(ranks);
  double sum = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    sums[rank] = sum += std::pow(rank + 1, -exponent);
  }
  for (double& value : sums) value /= sum;
  return sums;
}

void check_bursts(const BurstsOptions& options) {
  check_stream_vertices(options.vertices);
  if (options.hot == 0 || options.hot > options.vertices) {
    throw usage_error(
        fmt::format("--hot {}: expected 1 to {}, the vertices", options.hot, options.vertices));
  }
  if (options.drift == 0) throw usage_error("--drift 0: expected at least one edge");
  if (!(options.exponent >= 0 && options.exponent <= 8)) {
    throw usage_error(fmt::format("--exponent {}: expected 0 to 8", options.exponent));
  }
}

}  // namespace

// The hot vertices are a window on an endless sequence of vertices, drawn by their places in it.
// With each drift the window moves on by an eighth. Its last place is the hottest.
StreamCounts stream_bursts(const BurstsOptions& options, const StreamTarget& target) {
  check_bursts(options);
  const std::vector<double> sums = zipf_sums(options.hot, options.exponent);
  const std::uint64_t step = std::max<std::uint64_t>(1, options.hot / 8);
  return stream_by_number(target, options.updates, [&](std::uint64_t number) {
    const std::uint64_t choice = draw(options.seed, 2 * number);
    const double uniform = static_cast<double>(choice >> 11) * 0x1p-53;
    const auto rank = std::min<std::uint64_t>(
        static_cast<std::uint64_t>(std::upper_bound(sums.begin(), sums.end(), uniform) -
                                   sums.begin()),
        options.hot - 1);
    const std::uint64_t place = number / options.drift * step + options.hot - 1 - rank;
    const std::uint64_t source = below(draw(options.seed + 1, place), options.vertices);
    const std::uint64_t beside =
        1 + below(draw(options.seed, 2 * number + 1), options.vertices - 1);
    return evolving::Update{static_cast<VertexId>(source),
                            static_cast<VertexId>((source + beside) % options.vertices)};
  });
}

}  // namespace outcore
