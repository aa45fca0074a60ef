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
                      .request = {.us = 50, .us_per_kb = 2.5},
                      .in_order = {.us = 10, .us_per_kb = 2.5}},
            .merging = {.max_blocks = 4},
            .processors = 1};
  }
  Estimate estimate(const BenefitModel::Costs& costs, const std::vector<VertexId>& active,
                    std::uint64_t value_bytes = 0, const KeptBlocks& kept = {}) {
    BenefitModel model(costs);
    model.learn_full(0);
    model.learn_selected(0, 1'000'000);
    return model.estimate({.bytes = kVertices * kListBytes,
                           .kept = kept,
                           .edges = 2 * kVertices,
                           .value_bytes = value_bytes},
                          Frontier::of(kVertices, active), shards_, executor_);
  }
  KeptBlocks first_half_kept() {
    KeptBlocks kept;
    kept.add(0, {0, 8}, memory_.data(), 4096);
    return kept;
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
  const KeptBlocks nothing_kept_;
  std::vector<std::byte> memory_{8 * 4096};
  KeptBlocks half_ = first_half_kept();
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
  const Estimate before = estimate(requests, {0});
  EXPECT_DOUBLE_EQ(before.full, 65'536 / 400e6);
  EXPECT_GT(before.selected, 0);
  const Estimate after = estimate(requests, {0}, 0, half_);
  EXPECT_DOUBLE_EQ(after.full, 32'768 / 400e6);
  EXPECT_EQ(after.selected, 0);
  EXPECT_GT(estimate(requests, {kVertices - 1}, 0, half_).selected, 0);
}

// 8 blocks of 4 KB at 400 MB/s are 81.92 us: one request of one block is 60, one of three 80.
TEST_F(BenefitModelOfACycle, AnIntervalIsReadByListsWhereTheirBlocksCostLess) {
  const BenefitModel model(costs(BenefitModel::Kind::interval));
  const VertexRange half{0, kVertices / 2};
  const auto selects = [&](const std::vector<VertexId>& readers, const KeptBlocks& kept) {
    return model.selects(half, Frontier::of(kVertices, readers).bits(), shards_, kept);
  };
  EXPECT_TRUE(selects({0}, nothing_kept_));
  EXPECT_TRUE(selects({0, 1, 511}, nothing_kept_)) << "of one block";
  EXPECT_TRUE(selects({0, 512, 1024}, nothing_kept_));
  EXPECT_FALSE(selects({0, 512, 1024, 1536}, nothing_kept_));
  EXPECT_FALSE(selects({0, 1024}, nothing_kept_)) << "two requests";
  EXPECT_TRUE(selects({0, kVertices - 1, kVertices - 3000}, nothing_kept_)) << "not of this one";
  EXPECT_FALSE(selects({0}, half_)) << "all of it is kept";
}

// A hole is read where it saves a request.
TEST_F(BenefitModelOfACycle, HolesAreReadWithTheBlocksBesideThem) {
  BenefitModel::Costs holes = costs(BenefitModel::Kind::requests);
  holes.merging.max_hole = 1;
  EXPECT_NEAR(estimate(holes, {0, 2 * kListsOfABlock}).selected, (50 + 3 * 4 * 2.5) * 1e-6, 1e-12);
  EXPECT_NEAR(estimate(holes, {0, 3 * kListsOfABlock}).selected, (100 + 2 * 4 * 2.5) * 1e-6, 1e-12);
}

// 16 blocks of 4 KB at 2.5 us a KB and 10 us a request, where they are read by so many, in order.
TEST_F(BenefitModelOfACycle, ShardsInManyRequestsCostMoreThanTheirBytes) {
  BenefitModel model(costs(BenefitModel::Kind::requests));
  model.learn_full(0);
  std::uint64_t intervals = 0;
  const auto full = [&](std::uint64_t requests, const KeptBlocks& kept) {
    return model
        .estimate({.bytes = 65'536, .requests = requests, .intervals = intervals, .kept = kept},
                  Frontier::of(kVertices, first(1)), shards_, executor_)
        .full;
  };
  EXPECT_DOUBLE_EQ(full(0, nothing_kept_), 65'536 / 400e6) << "T_sr";
  EXPECT_NEAR(full(16, nothing_kept_), (16 * 10 + 64 * 2.5) * 1e-6, 1e-12);
  EXPECT_NEAR(full(16, half_), (8 * 10 + 32 * 2.5) * 1e-6, 1e-12);
  intervals = 2;
  EXPECT_NEAR(full(16, nothing_kept_), (2 * 50 + 16 * 10 + 64 * 2.5) * 1e-6, 1e-12) << "seeks";
}

TEST_F(BenefitModelOfACycle, ProcessorsMayTakeLongerThanTheDevice) {
  BenefitModel::Costs requests = costs(BenefitModel::Kind::requests);
  requests.processors = 2;
  BenefitModel model(requests);
  model.learn_full(0.5);
  model.learn_selected(1.0, 1'000'000);
  const Estimate found =
      model.estimate({.bytes = 65'536, .kept = nothing_kept_, .edges = 2 * kVertices},
                     Frontier::of(kVertices, first(kListsOfABlock)), shards_, executor_);
  EXPECT_DOUBLE_EQ(found.full, 0.25);
  EXPECT_NEAR(found.selected, (50 + 4 * 2.5) * 1e-6 + 1e-6 * 2 * kListsOfABlock / 2, 1e-12);
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
