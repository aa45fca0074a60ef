// SPDX-License-Identifier: Apache-2.0
// The benefit model on numbers that can be worked out by hand.
#include "engines/sync_subgraph/benefit_model.h"

#include <gtest/gtest.h>

#include "tests/toy_container.h"

namespace outcore {
namespace {

// A cycle, as plain lists: 8 bytes a vertex, 512 lists a block.
class BenefitModelOfACycle : public ::testing::Test {
 protected:
  static constexpr VertexId kVertices = 8192;
  static constexpr std::uint64_t kListBytes = 8;
  static constexpr VertexId kListsOfABlock = 4096 / kListBytes;

  [[nodiscard]] static BenefitModel::Costs costs(BenefitModel::Kind kind) {
    return {.kind = kind,
            .rates = {.source = "test",
                      .random_mb_per_s = 100,
                      .sequential_mb_per_s = 400,
                      .write_mb_per_s = 200,
                      .request = {.us = 50, .us_per_kb = 2.5}},
            .max_blocks = 4,
            .processors = 1};
  }
  Estimate estimate(const BenefitModel::Costs& costs, const std::vector<VertexId>& active,
                    std::uint64_t value_bytes = 0, std::uint64_t kept_bytes = 0) {
    BenefitModel model(costs);
    model.learn_full(0);
    model.learn_selected(0, 1'000'000);
    return model.estimate({.bytes = kVertices * kListBytes,
                           .kept_bytes = kept_bytes,
                           .edges = 2 * kVertices,
                           .value_bytes = value_bytes},
                          Frontier::of(kVertices, active), shards_, executor_);
  }
  // The first vertices of so many lists.
  static std::vector<VertexId> first(VertexId count) {
    std::vector<VertexId> vertices(count);
    for (VertexId v = 0; v < count; ++v) vertices[v] = v;
    return vertices;
  }

  ToyContainer toy_{cycle(kVertices), true};
  Layout layout_{toy_.layout("csr")};
  Executor executor_{2};
  Shards shards_{layout_, Direction::out, executor_};
};

// |V|C / T_sr = 65,536 bytes / 400 MB/s, against 8 bytes an active vertex / 100 MB/s: they are even
// at a quarter of the vertices.
TEST_F(BenefitModelOfACycle, PaperSelectsWhereTheActiveListsCostNoMoreThanAll) {
  const BenefitModel::Costs paper = costs(BenefitModel::Kind::paper);
  const Estimate quarter = estimate(paper, first(kVertices / 4));
  EXPECT_DOUBLE_EQ(quarter.full, 65'536 / 400e6);
  EXPECT_DOUBLE_EQ(quarter.selected, 2048 * 8 / 100e6);
  EXPECT_TRUE(quarter.selects());
  EXPECT_FALSE(estimate(paper, first(kVertices / 4 + 1)).selects());
  BenefitModel::Costs faster = paper;
  faster.rates.random_mb_per_s *= 2;
  EXPECT_TRUE(estimate(faster, first(kVertices / 2)).selects());
  EXPECT_FALSE(estimate(faster, first(kVertices / 2 + 1)).selects());
}

TEST_F(BenefitModelOfACycle, ValuesOnDiskAreReadOnceMoreBySelectedRounds) {
  const BenefitModel::Costs paper = costs(BenefitModel::Kind::paper);
  const Estimate with = estimate(paper, {0}, 4000);
  const Estimate without = estimate(paper, {0});
  EXPECT_NEAR(with.full - without.full, 4000 / 400e6 + 4000 / 200e6, 1e-15);
  EXPECT_NEAR(with.selected - without.selected, 2 * 4000 / 400e6 + 4000 / 200e6, 1e-15);
}

// A list of 8 bytes costs a block of 4 KB, and lists of one block cost no more than one of them.
TEST_F(BenefitModelOfACycle, RequestsAreOfMergedBlocks) {
  const BenefitModel::Costs requests = costs(BenefitModel::Kind::requests);
  const auto seconds = [](double count, double blocks) {
    return (count * 50 + blocks * 4 * 2.5) * 1e-6;
  };
  EXPECT_NEAR(estimate(requests, {0}).selected, seconds(1, 1), 1e-12);
  EXPECT_NEAR(estimate(requests, first(kListsOfABlock)).selected, seconds(1, 1), 1e-12);
  EXPECT_NEAR(estimate(requests, {0, kListsOfABlock}).selected, seconds(1, 2), 1e-12)
      << "neighbours";
  EXPECT_NEAR(estimate(requests, {0, 2 * kListsOfABlock}).selected, seconds(2, 2), 1e-12);
  std::vector<VertexId> five;
  for (VertexId block = 0; block < 5; ++block) five.push_back(block * kListsOfABlock);
  EXPECT_NEAR(estimate(requests, five).selected, seconds(2, 5), 1e-12) << "four blocks a request";
}

TEST_F(BenefitModelOfACycle, WhatIsKeptNeedNotBeRead) {
  const BenefitModel::Costs requests = costs(BenefitModel::Kind::requests);
  EXPECT_DOUBLE_EQ(estimate(requests, {0}).full, 65'536 / 400e6);
  EXPECT_DOUBLE_EQ(estimate(requests, {0}, 0, 32'768).full, 32'768 / 400e6);
}

TEST_F(BenefitModelOfACycle, ProcessorsMayTakeLongerThanTheDevice) {
  BenefitModel::Costs requests = costs(BenefitModel::Kind::requests);
  requests.processors = 2;
  BenefitModel model(requests);
  model.learn_full(0.5);
  model.learn_selected(1.0, 1'000'000);
  const Estimate found =
      model.estimate({.bytes = 65'536, .edges = 2 * kVertices},
                     Frontier::of(kVertices, first(kListsOfABlock)), shards_, executor_);
  EXPECT_DOUBLE_EQ(found.full, 0.25);
  EXPECT_DOUBLE_EQ(found.selected, 1e-6 * 2 * kListsOfABlock / 2);
}

// Counting ends early, but not before it is sure.
TEST_F(BenefitModelOfACycle, ManyActiveVerticesNeverLookCheap) {
  for (const auto kind : {BenefitModel::Kind::paper, BenefitModel::Kind::requests}) {
    BenefitModel::Costs slow = costs(kind);
    slow.rates.request = {.us = 50, .us_per_kb = 100};
    EXPECT_FALSE(estimate(slow, first(kVertices - 1)).selects());
  }
}

}  // namespace
}  // namespace outcore
