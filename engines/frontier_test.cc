// SPDX-License-Identifier: Apache-2.0
#include "engines/frontier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outcore {
namespace {

using ::testing::ElementsAre;

std::vector<VertexId> members(const Frontier& frontier) {
  std::vector<VertexId> result;
  frontier.for_each([&](VertexId v) { result.push_back(v); });
  return result;
}

TEST(Frontier, HoldsEachVertexOnce) {
  const std::vector<VertexId> vertices = {700, 3, 700, 64};
  const Frontier frontier = Frontier::of(1000, vertices);
  EXPECT_EQ(frontier.size(), 3U);
  EXPECT_TRUE(frontier.contains(700));
  EXPECT_FALSE(frontier.contains(4));
  EXPECT_THAT(members(frontier), ElementsAre(700, 3, 64));
}

TEST(Frontier, TurnsDenseAndBackWithoutLosingAny) {
  Frontier frontier(130);
  for (VertexId v = 0; v < 130; v += 2) frontier.add(v);
  EXPECT_FALSE(frontier.is_sparse());
  EXPECT_EQ(members(frontier).size(), 65U);
  EXPECT_EQ(members(frontier).back(), 128U);
  frontier.clear();
  EXPECT_TRUE(frontier.empty());
  EXPECT_TRUE(members(frontier).empty());
  frontier.add(129);
  EXPECT_THAT(members(frontier), ElementsAre(129));
}

TEST(Frontier, TakesInAllOfAnother) {
  const std::vector<VertexId> few = {3, 700};
  const std::vector<VertexId> others = {64, 700};
  std::vector<VertexId> many;
  for (VertexId v = 0; v < 1000; v += 3) many.push_back(v);
  Frontier sparse = Frontier::of(1000, few);
  sparse.add(Frontier::of(1000, others));
  EXPECT_TRUE(sparse.is_sparse());
  EXPECT_THAT(members(sparse), ElementsAre(3, 700, 64));
  sparse.add(Frontier::of(1000, many));
  EXPECT_FALSE(sparse.is_sparse());
  EXPECT_EQ(sparse.size(), many.size() + 2) << "3 was there";
  EXPECT_EQ(members(sparse).size(), sparse.size());
}

TEST(Frontier, AllSkipsVirtualIds) {
  const OriginalIds originals{std::vector<VertexId>{1, kNoVertex, 0}};
  const Graph graph{.id_space = 3, .vertices = 2, .originals = &originals};
  EXPECT_THAT(members(Frontier::all(graph)), ElementsAre(0, 2));
}

TEST(Frontier, AllAreAllWhereNoneIsVirtual) {
  for (const VertexId n : {0U, 1U, 63U, 64U, 65U, 128U}) {
    const Frontier all = Frontier::all({.id_space = n, .vertices = n});
    EXPECT_EQ(all.size(), n);
    EXPECT_EQ(members(all).size(), n);
  }
}

TEST(Frontier, IsAddedToWhatItHolds) {
  Bitmap bits(1000);
  bits.set(3);
  Frontier frontier = Frontier::from_bits(std::move(bits));
  std::vector<Collector> collectors(2, Collector(frontier));
  for (const VertexId v : {3U, 64U, 999U}) collectors[0].add(v, 0);
  collectors[1].add(64, 0);
  for (Collector& collector : collectors) collector.drain();
  frontier.adopt(collectors);
  EXPECT_EQ(frontier.size(), 3U);
  EXPECT_THAT(members(frontier), ElementsAre(3, 64, 999));
}

TEST(Bitmap, SetsAndKeepsByWords) {
  Bitmap threes(200);
  threes.set_where(5, 140, [](std::size_t i) { return i % 3 == 0; });
  Bitmap evens(200);
  evens.set_where(0, 200, [](std::size_t i) { return i % 2 == 0; });
  EXPECT_TRUE(evens.set_alone(77));
  EXPECT_FALSE(evens.set_alone(77));
  threes.keep(64, 128, evens);
  std::vector<std::size_t> expected;
  for (std::size_t i = 5; i < 140; ++i) {
    if (i % 3 == 0 && (i < 64 || i >= 128 || i % 2 == 0)) expected.push_back(i);
  }
  std::vector<std::size_t> found;
  threes.for_each(0, 200, [&](std::size_t i) { found.push_back(i); });
  EXPECT_EQ(found, expected);
}

TEST(Priorities, OfFloatsKeepTheirOrder) {
  const std::vector<float> ascending = {-1e30F, -1.0F, -1e-30F, 0.0F, 1e-30F, 0.5F, 1.0F, 3e38F};
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    EXPECT_LT(priority_of(ascending[i - 1]), priority_of(ascending[i])) << ascending[i];
  }
}

TEST(HashedWeights, AreTheSameBothWaysAndFollowOriginalIds) {
  const OriginalIds originals{std::vector<VertexId>{5, 9}};
  const Graph renumbered{.id_space = 2, .vertices = 2, .originals = &originals};
  const Graph plain{.id_space = 10, .vertices = 10};
  EXPECT_EQ(renumbered.hashed_weight(0, 1), plain.hashed_weight(9, 5));
  for (VertexId v = 0; v < 1000; ++v) {
    const float w = plain.hashed_weight(v, v + 1);
    EXPECT_GE(w, 1);
    EXPECT_LE(w, 255);
  }
}

}  // namespace
}  // namespace outcore
