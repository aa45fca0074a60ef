// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/original_ids.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace outcore {
namespace {

void expect_same(const std::vector<VertexId>& vertices) {
  const OriginalIds ids{std::span(vertices)};
  ASSERT_EQ(ids.size(), vertices.size());
  for (VertexId id = 0; id < vertices.size(); ++id) {
    ASSERT_EQ(ids[id], vertices[id]) << id;
    ASSERT_EQ(ids.is_real(id), vertices[id] != kNoVertex) << id;
  }
  EXPECT_EQ(ids.all(), vertices);
}

TEST(OriginalIds, AreNone) {
  EXPECT_TRUE(OriginalIds().empty());
  expect_same({});
}

TEST(OriginalIds, NearOnesTakeTwoBytes) {
  std::vector<VertexId> vertices(1000);
  std::iota(vertices.begin(), vertices.end(), 5'000'000U);
  std::swap(vertices[3], vertices[900]);
  vertices[64] = vertices[500] = kNoVertex;  // the first of a group, and another one
  expect_same(vertices);
  EXPECT_EQ(OriginalIds(vertices).memory_bytes(), 1000 * 2 + 16 * 8);
}

TEST(OriginalIds, FewThatAreFarStandAside) {
  std::vector<VertexId> vertices(6400);
  std::iota(vertices.begin(), vertices.end(), 0U);
  vertices[100] = 70'000;
  vertices[6399] = kNoVertex - 1;
  vertices[128] = 4'000'000'000;  // a group whose first is far from the others
  expect_same(vertices);
  EXPECT_EQ(OriginalIds(vertices).memory_bytes(), 6400 * 2 + 100 * 8 + 65 * 4);
}

// As with number degree: the hubs come first.
TEST(OriginalIds, WholeGroupsThatAreFarStandAside) {
  std::vector<VertexId> vertices(6400);
  std::iota(vertices.begin(), vertices.end(), 0U);
  for (VertexId i = 0; i < 1000; ++i) vertices[i] = 200'000 * (i + 1);
  vertices[70] = kNoVertex;
  expect_same(vertices);
  EXPECT_LT(OriginalIds(vertices).memory_bytes(), 6400 * 2 + 100 * 8 + 1025 * 4);
}

TEST(OriginalIds, AllStandAsTheyAreWhereManyAreFar) {
  std::vector<VertexId> vertices(10'000);
  for (VertexId i = 0; i < vertices.size(); ++i) vertices[i] = 400'000 * i;
  std::shuffle(vertices.begin(), vertices.end(), std::minstd_rand(7));
  vertices[17] = kNoVertex;
  expect_same(vertices);
  EXPECT_EQ(OriginalIds(vertices).memory_bytes(), 10'000 * 4);
}

TEST(OriginalIds, DistancesEndBeforeTheMarks) {
  std::vector<VertexId> vertices = {100'000};
  const VertexId base = 100'000 - 0x7fff;
  for (const VertexId distance : {0U, 0xfffdU, 0xfffeU, 0xffffU, 0x10000U}) {
    vertices.push_back(base + distance);
  }
  vertices.push_back(base - 1);
  vertices.resize(200, 100'000);
  expect_same(vertices);
}

}  // namespace
}  // namespace outcore
