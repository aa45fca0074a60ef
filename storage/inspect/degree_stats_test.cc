// SPDX-License-Identifier: Apache-2.0
#include "storage/inspect/degree_stats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace outcore {
namespace {

using ::testing::ElementsAre;

// Lists of these lengths. Only the offsets are used, but there are as many targets.
class Lists {
 public:
  explicit Lists(const std::vector<std::uint64_t>& degrees) : offsets_{0} {
    for (const std::uint64_t degree : degrees) offsets_.push_back(offsets_.back() + degree);
    targets_.resize(offsets_.back());
  }
  [[nodiscard]] CsrView csr() const { return {offsets_, targets_}; }

 private:
  std::vector<EdgeIndex> offsets_;
  std::vector<VertexId> targets_;
};

TEST(DegreeStats, AreThoseOfTheLists) {
  const Lists lists({2, 1, 0, 0, 1, 5});
  const DegreeStats stats = degree_stats(lists.csr());
  EXPECT_EQ(stats.least, 0U);
  EXPECT_EQ(stats.median, 1U);
  EXPECT_EQ(stats.mean, 1.5);
  EXPECT_EQ(stats.most, 5U);
  EXPECT_THAT(stats.histogram, ElementsAre(2, 2, 1, 1));
  // Deviations from 1.5: their squares sum to 17.5, their cubes to 36.
  EXPECT_DOUBLE_EQ(stats.deviation, std::sqrt(17.5 / 6));
  EXPECT_DOUBLE_EQ(stats.skewness, 36.0 / 6 / std::pow(17.5 / 6, 1.5));
}

TEST(DegreeStats, ClassesAreChunkGraphs) {
  const Lists lists({0, 1, 2, 2, 3, 465920, 465921});
  const DegreeStats stats = degree_stats(lists.csr());
  EXPECT_EQ(stats.none.vertices, 1U);
  EXPECT_EQ(stats.none.edges, 0U);
  EXPECT_EQ(stats.mini.vertices, 3U);
  EXPECT_EQ(stats.mini.edges, 5U);
  EXPECT_EQ(stats.medium.vertices, 2U);
  EXPECT_EQ(stats.medium.edges, 465923U);
  EXPECT_EQ(stats.super.vertices, 1U);
  EXPECT_EQ(stats.super.edges, 465921U);
}

TEST(DegreeStats, EqualDegreesHaveNeitherDeviationNorSkewness) {
  const Lists lists({1, 1, 1});
  const DegreeStats stats = degree_stats(lists.csr());
  EXPECT_EQ(stats.deviation, 0);
  EXPECT_EQ(stats.skewness, 0);
  EXPECT_EQ(stats.mini.vertices, 3U);
}

TEST(DegreeStats, NoVertexHasNoStatistics) {
  const DegreeStats stats = degree_stats(Lists({}).csr());
  EXPECT_EQ(stats.mean, 0);
  EXPECT_TRUE(stats.histogram.empty());
}

TEST(DegreeStats, IsolatedVerticesHaveNoEdgeInEitherDirection) {
  const Lists out({1, 0, 0, 0});
  const Lists in({0, 1, 0, 0});
  EXPECT_EQ(isolated_vertices(out.csr(), in.csr()), 2U);
}

}  // namespace
}  // namespace outcore
