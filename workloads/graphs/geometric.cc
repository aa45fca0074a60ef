// SPDX-License-Identifier: Apache-2.0
// Points are thrown into square cells whose side is the radius, so that a point's neighbours lie in
// its own cell and the eight around it. Only the number of points in each cell is kept, 4 bytes a
// cell; where a point lies in its cell is a hash. Coordinates are whole numbers, because sums of
// floating-point numbers differ between compilers.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <numeric>

#include "common/error.h"
#include "workloads/graphs/edge_loop.h"
#include "workloads/graphs/generate.h"

namespace outcore {

namespace {

constexpr unsigned kSideBits = 24;  // a cell's side, and the radius, is 2^24
constexpr unsigned kMostDegree = 256;

class Points {
 public:
  Points(const GeometricOptions& options, unsigned threads)
      : columns_(columns_of(options)), places_(draw(options.seed, 1)) {
    begins_.resize(columns_ * columns_ + 1);
    count(options, threads);
    std::inclusive_scan(begins_.begin(), begins_.end(), begins_.begin());
  }

  // Appends the edges to points further on: in the same row of cells, and in the next.
  void add_edges(VertexId point, std::vector<Edge>& edges) const {
    const auto next = std::upper_bound(begins_.begin(), begins_.end(), point);
    const auto cell = static_cast<std::uint64_t>(next - begins_.begin() - 1);
    const std::uint64_t column = cell % columns_;
    const std::uint64_t last = std::min(column + 1, columns_ - 1);
    add_edges(point, cell, cell, edges);
    if (last > column) add_edges(point, cell, cell + 1, edges);
    if (cell + columns_ + 1 >= begins_.size()) return;
    const std::uint64_t below_it = cell - column + columns_;
    for (std::uint64_t c = column > 0 ? column - 1 : 0; c <= last; ++c) {
      add_edges(point, cell, below_it + c, edges);
    }
  }

 private:
  // So many cells a side that a disk of the radius holds `degree` points on average.
  static std::uint64_t columns_of(const GeometricOptions& options) {
    const double points = static_cast<double>(options.vertices);
    const double columns = std::sqrt(points * std::numbers::pi / options.degree);
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(columns));
  }

  // Leaves the number of points of cell c at c + 1.
  void count(const GeometricOptions& options, unsigned threads) {
    const std::uint64_t cells = draw(options.seed, 0);
    [[maybe_unused]] const int team = static_cast<int>(threads);  // unused without OpenMP
#pragma omp parallel for num_threads(team) schedule(static)
    for (std::uint64_t v = 0; v < options.vertices; ++v) {
      const std::uint64_t row = below(draw(cells, 2 * v), columns_);
      const std::uint64_t column = below(draw(cells, 2 * v + 1), columns_);
      std::atomic_ref<VertexId>(begins_[row * columns_ + column + 1])
          .fetch_add(1, std::memory_order_relaxed);
    }
  }

  void add_edges(VertexId point, std::uint64_t cell, std::uint64_t other,
                 std::vector<Edge>& edges) const {
    const auto [x, y] = place(point, cell);
    for (VertexId u = std::max(begins_[other], point + 1); u < begins_[other + 1]; ++u) {
      const auto [ux, uy] = place(u, other);
      const std::int64_t across = ux - x;
      const std::int64_t down = uy - y;
      if (across * across + down * down < std::int64_t{1} << 2 * kSideBits) {
        edges.emplace_back(point, u);
      }
    }
  }

  [[nodiscard]] std::pair<std::int64_t, std::int64_t> place(VertexId point,
                                                            std::uint64_t cell) const {
    constexpr std::uint64_t kInside = (std::uint64_t{1} << kSideBits) - 1;
    const std::uint64_t random = draw(places_, point);
    const std::uint64_t x = (cell % columns_ << kSideBits) + (random & kInside);
    const std::uint64_t y = (cell / columns_ << kSideBits) + (random >> 32 & kInside);
    return {static_cast<std::int64_t>(x), static_cast<std::int64_t>(y)};
  }

  std::uint64_t columns_;
  std::uint64_t places_;          // the seed of where points lie in their cells
  std::vector<VertexId> begins_;  // the first point of each cell, row by row
};

}  // namespace

void generate_geometric(const GeometricOptions& options, const std::filesystem::path& folder,
                        unsigned threads, bool force) {
  check_vertices(options.vertices);
  if (options.degree < 1 || options.degree > kMostDegree) {
    throw usage_error(fmt::format("--degree {}: expected 1 to {}", options.degree, kMostDegree));
  }
  BuildOptions build = simple_graph(true, threads, force);
  build.provenance = {{"generator", "geometric"},
                      {"vertices", options.vertices},
                      {"degree", options.degree},
                      {"seed", options.seed}};
  const Points points(options, build.threads);
  generate_by_vertex(folder, static_cast<VertexId>(options.vertices), std::move(build),
                     {options.ids, options.seed}, [&](VertexId point, std::vector<Edge>& edges) {
                       points.add_edges(point, edges);
                     });
}

}  // namespace outcore
