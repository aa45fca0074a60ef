// SPDX-License-Identifier: Apache-2.0
// The orders of numbers/ and places/, on graphs small enough to work out by hand. layout_test.cc
// shows that layouts in these orders hold their graph.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "common/hash.h"
#include "storage/layout/by_degree.h"
#include "storage/layout/parts.h"
#include "storage/layout/two_level_bfs.h"

namespace outcore {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

// Both directions of a directed graph, in memory.
class TwoWays {
 public:
  TwoWays(VertexId vertices, std::vector<std::pair<VertexId, VertexId>> edges)
      : vertices_(vertices) {
    std::sort(edges.begin(), edges.end());
    fill(edges, out_offsets_, out_targets_);
    for (auto& [from, to] : edges) std::swap(from, to);
    std::sort(edges.begin(), edges.end());
    fill(edges, in_offsets_, in_targets_);
  }
  [[nodiscard]] CsrView out() const { return {out_offsets_, out_targets_}; }
  [[nodiscard]] CsrView in() const { return {in_offsets_, in_targets_}; }

 private:
  void fill(const std::vector<std::pair<VertexId, VertexId>>& edges,
            std::vector<EdgeIndex>& offsets, std::vector<VertexId>& targets) const {
    offsets.assign(std::size_t{vertices_} + 1, 0);
    for (const auto& [from, to] : edges) {
      ++offsets[from + 1];
      targets.push_back(to);
    }
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  }
  VertexId vertices_;
  std::vector<EdgeIndex> out_offsets_;
  std::vector<VertexId> out_targets_;
  std::vector<EdgeIndex> in_offsets_;
  std::vector<VertexId> in_targets_;
};

TEST(ByDescendingDegree, IsAStableSortForShortAndForVeryLongLists) {
  std::vector<std::uint64_t> degrees;
  for (std::uint64_t i = 0; i < 5000; ++i) degrees.push_back(mix(i) % (i % 7 == 0 ? 140'000 : 9));
  degrees[17] = std::uint64_t{1} << 33;
  degrees[18] = 65535;
  degrees[19] = 65536;
  std::vector<VertexId> expected(degrees.size());
  std::iota(expected.begin(), expected.end(), VertexId{0});
  std::stable_sort(expected.begin(), expected.end(),
                   [&](VertexId a, VertexId b) { return degrees[a] > degrees[b]; });
  EXPECT_EQ(by_descending_degree(5000, [&](VertexId i) { return degrees[i]; }), expected);
  EXPECT_TRUE(by_descending_degree(0, [](VertexId) { return std::uint64_t{0}; }).empty());
}

TEST(TwoLevelBfs, PutsWhatARootReachesInTwoStepsBehindIt) {
  // Most in-edges: 5 (from 1, 2, 3). From it 7 and 4, from those 9 and 0; 6 is three steps away.
  const TwoWays graph(
      10, {{1, 5}, {2, 5}, {3, 5}, {5, 7}, {5, 4}, {7, 0}, {4, 9}, {9, 6}, {6, 8}, {8, 6}});
  // In-degrees: 5 has 3, 6 has 2, then 0, 4, 7, 8, 9 have 1, then 1, 2, 3 none.
  // Root 5: 5 | 4 7 | 9 0. Root 6: 6 | 8 (whose target 6 is placed already). Then 1, 2 and 3, each
  // alone.
  EXPECT_THAT(number_bfs2(graph.out(), graph.in()), ElementsAre(5, 4, 7, 9, 0, 6, 8, 1, 2, 3));
}

TEST(TwoLevelBfs, GoesOverInListsByOutDegreeForTheOtherDirection) {
  const TwoWays graph(4, {{2, 0}, {2, 1}, {2, 3}, {1, 3}});
  const NumberedGraph in_lists{graph.in(), graph.out(), {}, {}};
  // Out-degrees: 2 has 3, 1 has 1. No edge leads to 2, and only 2 leads to 1.
  EXPECT_THAT(place_by_bfs2(in_lists), ElementsAre(2, 1, 0, 3));
}

TEST(TwoLevelBfs, LeavesTheLastTwentiethInTheOrderOfInDegrees) {
  // A star of 96 of 100 vertices; of the other four, 97 leads to 96 and both have in-degree 1.
  std::vector<std::pair<VertexId, VertexId>> edges;
  for (VertexId v = 1; v < 96; ++v) edges.emplace_back(0, v);
  edges.insert(edges.end(), {{1, 0}, {2, 0}, {97, 96}, {99, 97}, {96, 98}});
  const TwoWays graph(100, edges);
  const std::vector<VertexId> order = number_bfs2(graph.out(), graph.in());
  std::vector<VertexId> expected(100);
  std::iota(expected.begin(), expected.end(), VertexId{0});
  EXPECT_THAT(order, ElementsAreArray(expected));  // not 96, 98, 97 as by a BFS from 96
}

TEST(TwoLevelBfs, PlacesByTheIdsOfTheLayout) {
  const TwoWays graph(4, {{0, 1}, {0, 3}, {2, 0}, {3, 0}});
  const std::vector<VertexId> original = {3, 2, 1, 0};  // layout id i is vertex 3 - i, and back
  const NumberedGraph numbered{graph.out(), graph.in(), original, original};
  // Vertex 0 is the root; its targets 3 and 1 are ids 0 and 2; no edge leads to vertex 2, id 1.
  EXPECT_THAT(place_by_bfs2(numbered), ElementsAre(3, 0, 2, 1));
}

TEST(Numbers, ByDegreeAndHubsFirst) {
  // Out-degrees 1, 3, 0, 1, 2, 3; the average is 10 / 6.
  const TwoWays graph(
      6, {{0, 1}, {1, 0}, {1, 2}, {1, 3}, {3, 0}, {4, 1}, {4, 2}, {5, 0}, {5, 1}, {5, 2}});
  EXPECT_THAT(number_by_degree(graph.out(), graph.in()), ElementsAre(1, 5, 4, 0, 3, 2));
  EXPECT_THAT(number_hubs_first(graph.out(), graph.in()), ElementsAre(1, 5, 4, 0, 2, 3));
}

}  // namespace
}  // namespace outcore
