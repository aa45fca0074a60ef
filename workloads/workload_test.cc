// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workloads/refusal_for_tests.h"

namespace outcore {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Workloads, AreFoundByTheNearestNameAlsoWhereLettersAreSwapped) {
  for (const auto& [written, meant] :
       std::vector<std::pair<std::string, std::string>>{{"bsf", "bfs"},
                                                        {"pagrank-push", "pagerank-push"},
                                                        {"ssps", "sssp"},
                                                        {"BFS", "bfs"},
                                                        {"PageRank", "pagerank"},
                                                        {"rand", "random-walk"}}) {
    EXPECT_THAT(refusal([&] { find_workload(written); }),
                HasSubstr("did you mean '" + meant + "'?"));
  }
}

TEST(Workloads, AreFoundByTheNamesThatTheGapSuiteHasForThem) {
  EXPECT_THAT(refusal([] { find_workload("cc"); }), EndsWith("mean 'wcc' or 'wcc-sample'?"));
  EXPECT_THAT(refusal([] { find_workload("PR"); }), EndsWith("mean 'pagerank'?"));
}

TEST(Workloads, AreNotSuggestedWhereNoneIsNear) {
  for (const char* name : {"tc", "zzz", "triangles", "x", ""}) {
    EXPECT_THAT(refusal([&] { find_workload(name); }), Not(HasSubstr("did you mean"))) << name;
  }
}

TEST(Workloads, AreFoundByTheirOwnNames) {
  for (const Workload& workload : workloads()) {
    EXPECT_EQ(&find_workload(workload.name), &workload);
  }
}

TEST(Workloads, BringValuesIntoCanonicalOrder) {
  const OriginalIds originals{std::vector<VertexId>{4, 3, kNoVertex, 2, 1, kNoVertex, 0}};
  const Graph renumbered = {.id_space = 7, .vertices = 5, .originals = &originals};
  StateStore store;
  State<int> values = store.zeros<int>("values", 7);
  std::ranges::copy(std::vector<int>{40, 30, -1, 20, 10, -1, 0}, values.begin());
  EXPECT_EQ(in_canonical_order(renumbered, values), (std::vector<int>{0, 10, 20, 30, 40}));
  Graph same;
  same.id_space = same.vertices = 2;
  EXPECT_EQ(in_canonical_order(same, values), (std::vector<int>{40, 30}));
}

TEST(Compare, NamesTheFirstVertexThatDiffers) {
  const std::vector<std::uint32_t> expected = {1, 2, 3};
  EXPECT_TRUE(compare("a check", expected, expected).passed);
  EXPECT_EQ(compare("a check", expected, expected).how, "a check");
  const Verdict wrong = compare("a check", {1, 5, 9}, expected);
  EXPECT_FALSE(wrong.passed);
  EXPECT_EQ(wrong.detail, "vertex 1: found 5, expected 2");
  EXPECT_FALSE(compare("a check", {1, 2}, expected).passed);
  EXPECT_EQ(compare("a check", {1, 2, 3, 4}, expected).detail, "4 values for 3 vertices");
}

TEST(Answer, HasADigestOfItsValuesAndTheirOrder) {
  const auto digest = [](std::vector<std::uint32_t> values) {
    return Answer{.values = std::move(values), .summary = {}}.digest();
  };
  EXPECT_EQ(digest({1, 2, 3}), digest({1, 2, 3}));
  EXPECT_NE(digest({1, 2, 3}), digest({1, 3, 2}));
  EXPECT_NE(digest({1, 2, 3}), digest({1, 2, 3, 0}));
}

TEST(Workload, NamesWhatAnEngineLacks) {
  const Workload& walk = find_workload("random-walk");
  EXPECT_EQ(missing({.drive = true}, walk), "");
  EXPECT_THAT(missing({.heads = Heads::any}, walk), StartsWith("drive"));
  EXPECT_THAT(missing({.drive = true}, find_workload("wcc-sample")), StartsWith("heads"));
  EXPECT_THAT(missing({.round = Visibility::interval}, find_workload("bfs-do")),
              StartsWith("rounds"));
}

}  // namespace
}  // namespace outcore
