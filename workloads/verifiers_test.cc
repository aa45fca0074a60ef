// SPDX-License-Identifier: Apache-2.0
// A verifier is worth what it catches: each must pass an answer worked out by hand, and fail every
// planted wrong one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "workloads/workload.h"

namespace outcore {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr float kFar = std::numeric_limits<float>::infinity();

// A triangle 0 1 2 with a tail 2 - 3 - 4, and an isolated 5; symmetric.
class Verifiers : public ::testing::Test {
 protected:
  template <typename T>
  Verdict verdict(const std::string& workload, const std::vector<std::string>& set,
                  std::vector<T> values, const nlohmann::json& summary = {}) const {
    const Workload& entry = find_workload(workload);
    return entry.verify(canonical_, {.values = std::move(values), .summary = summary},
                        Parameters(workload, entry.parameters, set));
  }

  template <typename T>
  void expect_only(const std::string& workload, const std::vector<std::string>& set,
                   const std::vector<T>& right, const std::vector<std::vector<T>>& planted,
                   const nlohmann::json& summary = {}) const {
    const Verdict good = verdict(workload, set, right, summary);
    EXPECT_TRUE(good.passed) << workload << ": " << good.detail;
    EXPECT_FALSE(good.how.empty());
    for (std::size_t i = 0; i < planted.size(); ++i) {
      const Verdict bad = verdict(workload, set, planted[i], summary);
      EXPECT_FALSE(bad.passed) << workload << ": planted answer " << i << " went unnoticed";
      EXPECT_THAT(bad.detail, AnyOf(HasSubstr("vertex "), HasSubstr("values for 6 vertices")));
    }
  }

  const std::vector<EdgeIndex> offsets_ = {0, 2, 4, 7, 9, 10, 10};
  const std::vector<VertexId> targets_ = {1, 2, 0, 2, 0, 1, 3, 2, 4, 3};
  const Canonical canonical_{{offsets_, targets_}, {offsets_, targets_}};
};

TEST_F(Verifiers, OfBothBfsCatchWrongLevels) {
  for (const char* workload : {"bfs", "bfs-do"}) {
    expect_only<std::uint32_t>(workload, {"source=0"}, {0, 1, 1, 2, 3, kNone},
                               {{0, 1, 1, 2, 4, kNone},  // one too large at the end
                                {0, 1, 1, 1, 2, kNone},  // one too small, consistently
                                {0, 1, 2, 3, 4, kNone},  // along a longer path
                                {0, 1, 1, 2, 3, 4},      // an unreachable vertex is reached
                                {0, 1, 1, 2, kNone, kNone},
                                {1, 0, 1, 2, 3, kNone},  // from another source
                                {0, 1, 1, 2, 3}});
  }
}

TEST_F(Verifiers, OfBfsStartsWhereTheRunDid) {
  EXPECT_TRUE(verdict<std::uint32_t>("bfs", {}, {1, 1, 0, 1, 2, kNone}).passed) << "max-degree: 2";
}

// The hashes of lists add up, as often as a query begins at the vertex: by the hash that hops.cc
// states.
TEST_F(Verifiers, OfHopsCatchWrongSums) {
  const auto start = static_cast<VertexId>(mix(mix(1)) % 5);
  const auto sum_of = [&](VertexId v) {
    std::uint32_t sum = 0;
    for (const VertexId u : canonical_.out.list(v)) sum += static_cast<std::uint32_t>(mix(u));
    return sum;
  };
  std::uint32_t two_hops = sum_of(start);
  for (const VertexId u : canonical_.out.list(start)) two_hops += sum_of(u);
  for (const auto& [workload, sum] :
       std::map<std::string, std::uint32_t>{{"one-hop", sum_of(start)}, {"two-hop", two_hops}}) {
    std::vector<std::uint32_t> right(6, 0);
    right[start] = sum;
    std::vector<std::uint32_t> twice = right;
    twice[start] += sum;
    std::vector<std::uint32_t> elsewhere(6, 0);
    elsewhere[(start + 1) % 5] = sum;
    const std::vector<std::uint32_t> none(6, 0);
    expect_only<std::uint32_t>(workload, {"count=1"}, right, {twice, elsewhere, none});
    expect_only<std::uint32_t>(workload, {"count=1", "direction=both"}, twice, {right});
  }
}

TEST_F(Verifiers, OfBothWccCatchWrongLabels) {
  for (const char* workload : {"wcc", "wcc-sample"}) {
    expect_only<std::uint32_t>(workload, {}, {0, 0, 0, 0, 0, 5},
                               {{0, 0, 0, 0, 0, 0},    // two components under one label
                                {0, 0, 0, 3, 3, 5},    // one component under two labels
                                {1, 1, 1, 1, 1, 5},    // not the smallest id
                                {5, 5, 5, 5, 5, 0}});  // swapped
  }
}

TEST_F(Verifiers, OfDfsCatchesWhatIsReachedWrongly) {
  expect_only<std::uint32_t>("dfs", {"source=3"}, {1, 1, 1, 1, 1, 0},
                             {{1, 1, 1, 1, 1, 1},    // an unreachable vertex
                              {1, 1, 1, 1, 0, 0},    // a branch lost
                              {1, 1, 1, 0, 1, 0},    // the source itself
                              {1, 1, 2, 1, 1, 0}});  // a vertex twice
  // With a target, only the target is marked, and only if it is found.
  expect_only<std::uint32_t>("dfs", {"source=3", "target=0"}, {1, 0, 0, 0, 0, 0},
                             {{0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 0}});
  expect_only<std::uint32_t>("dfs", {"source=3", "target=5"}, {0, 0, 0, 0, 0, 0},
                             {{0, 0, 0, 0, 0, 1}});
}

TEST_F(Verifiers, OfRandomWalkCatchesVisitsTooManyAndTooFew) {
  // The only walker's start and step, by the hashes that random_walk.cc states.
  const std::uint64_t walker = mix(1);  // mix(seed) ^ 0
  const VertexId start = mix(walker) % 6;
  ASSERT_LT(start, 5U) << "seed 1 starts where there is somewhere to go";
  const std::span<const VertexId> list = canonical_.out.list(start);
  const std::size_t rank = mix(mix(walker) ^ 1) % list.size();
  std::vector<std::uint32_t> right(6, 0);
  right[start] = right[list[rank]] = 1;
  std::vector<std::uint32_t> stood_still = right;
  stood_still[list[rank]] = 0;
  std::vector<std::uint32_t> elsewhere = stood_still;
  elsewhere[list[(rank + 1) % list.size()]] = 1;
  std::vector<std::uint32_t> twice = right;
  ++twice[list[rank]];
  std::vector<std::uint32_t> jumped = stood_still;
  jumped[5] = 1;
  expect_only<std::uint32_t>("random-walk", {"walkers=1", "steps=1"}, right,
                             {stood_still, elsewhere, twice, jumped});
}

TEST_F(Verifiers, OfKcoreCatchesVerticesTooManyAndTooFew) {
  const std::vector<std::uint32_t> triangle = {1, 1, 1, 0, 0, 0};
  const std::vector<std::uint32_t> with_tail = {1, 1, 1, 1, 1, 0};
  expect_only<std::uint32_t>("kcore", {"k=2"}, triangle,
                             {with_tail, {1, 1, 1, 1, 0, 0}, {0, 1, 1, 0, 0, 0}});
  expect_only<std::uint32_t>("kcore", {"k=1"}, with_tail, {triangle, {1, 1, 1, 1, 1, 1}});
  expect_only<std::uint32_t>("kcore", {"k=3"}, {0, 0, 0, 0, 0, 0}, {triangle});
}

TEST_F(Verifiers, OfSsspCatchesWrongDistances) {
  const auto weight = [](VertexId u, VertexId v) { return hashed_weight(u, v); };
  const float one = std::min(weight(0, 1), weight(0, 2) + weight(2, 1));
  const float two = std::min(weight(0, 2), weight(0, 1) + weight(1, 2));
  const float three = two + weight(2, 3);
  const float four = three + weight(3, 4);
  expect_only<float>("sssp", {"source=0"}, {0, one, two, three, four, kFar},
                     {{0, one, two, three, four - 1, kFar},  // too short
                      {0, one, two, three, four + 1, kFar},  // too long
                      {0, one, two, kFar, kFar, kFar},
                      {0, one, two, three, four, four},
                      {1, one, two, three, four, kFar}});
}

TEST_F(Verifiers, OfPagerankCatchesLostAndMisplacedRank) {
  // One round by hand: each has 1/6 and hands it on in equal shares.
  const auto rank = [](double shares) { return static_cast<float>(0.15 / 6 + 0.85 / 6 * shares); };
  const float end = rank(1.0 / 2 + 1.0 / 3);
  const std::vector<float> right = {end, end, rank(3.0 / 2), rank(1.0 / 3 + 1), rank(0.5), rank(0)};
  std::vector<float> lost = right;
  lost[5] = 0;
  std::vector<float> swapped = right;
  std::swap(swapped[2], swapped[3]);
  std::vector<float> none = right;
  none[4] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> uniform(6, 1.0F / 6);  // as if no round had been done
  std::vector<float> more = right;
  more.push_back(0);
  double change = 0;
  for (const float r : right) change += std::fabs(r - 1.0 / 6);
  const double bound = change * 0.85 / 0.15 + 1e-5;
  const nlohmann::json summary = {
      {"iterations", 1}, {"last_change", change}, {"error_bound", bound}};
  expect_only<float>("pagerank", {"iterations=1"}, right, {lost, swapped, none, uniform, more, {}},
                     summary);
  std::vector<float> as_cave = right;
  for (float& r : as_cave) r *= 6;
  expect_only<float>("pagerank", {"iterations=1", "form=cave"}, as_cave, {right}, summary);
  const auto said = [&](double last, double within) {
    return verdict<float>("pagerank", {"iterations=1"}, right,
                          {{"iterations", 1}, {"last_change", last}, {"error_bound", within}})
        .detail;
  };
  EXPECT_THAT(said(0, bound), HasSubstr("the summary says that the last change was 0"));
  EXPECT_THAT(said(2 * change, 2 * bound), HasSubstr("the last change was"));
  EXPECT_THAT(said(change, bound / 2), HasSubstr("the summary says that ranks are within"));

  std::vector<float> rounded = right;
  rounded[2] *= 1.0F + 1e-5F;
  EXPECT_TRUE(verdict<float>("pagerank", {"iterations=1"}, rounded, summary).passed)
      << "sums in another order differ by as much";
}

TEST_F(Verifiers, OfPagerankCatchesStoppingTooSoonAndTooLate) {
  const std::vector<float> any(6, 1.0F / 6);
  const auto said = [&](const std::vector<std::string>& set, int iterations) {
    return verdict<float>("pagerank", set, any, {{"iterations", iterations}}).detail;
  };
  EXPECT_THAT(said({"iterations=3"}, 2), HasSubstr("2 iterations, although"));
  EXPECT_THAT(said({"iterations=3"}, 0), HasSubstr("0 iterations, but 3 were"));
  EXPECT_THAT(said({"iterations=3"}, 4), HasSubstr("4 iterations, but 3 were"));
  EXPECT_THAT(said({"iterations=9", "tolerance=0.001"}, 1), HasSubstr("1 iterations, although"));
  EXPECT_THAT(said({"iterations=9", "tolerance=1"}, 5), HasSubstr("5 iterations, although"));
}

TEST_F(Verifiers, OfSpmvCatchesLostAndMisplacedProducts) {
  const auto weight = [](VertexId u, VertexId v) { return double{hashed_weight(u, v)}; };
  const auto x = [](VertexId v) {
    return static_cast<double>(mix(mix(1) ^ v) >> 40) / static_cast<double>(1 << 24);
  };
  const auto y = [](double sum) { return static_cast<float>(sum); };
  const double one = weight(0, 1) * x(0) + weight(1, 2) * x(2);
  const std::vector<float> right = {
      y(weight(0, 1) * x(1) + weight(0, 2) * x(2)),
      y(one),
      y(weight(0, 2) * x(0) + weight(1, 2) * x(1) + weight(2, 3) * x(3)),
      y(weight(2, 3) * x(2) + weight(3, 4) * x(4)),
      y(weight(3, 4) * x(3)),
      0};
  std::vector<float> lost = right;
  lost[2] = y(weight(0, 2) * x(0) + weight(1, 2) * x(1));  // as if a piece of its list were missing
  std::vector<float> twice = right;
  twice[4] *= 2;
  std::vector<float> unweighted = right;
  unweighted[1] = y(x(0) + x(2));
  std::vector<float> invented = right;
  invented[5] = 1e-6F;
  expect_only<float>("spmv", {}, right, {lost, twice, unweighted, invented});
  expect_only<float>("spmv", {"weights=hashed"}, right, {lost});
  EXPECT_FALSE(verdict<float>("spmv", {"seed=2"}, right).passed) << "another vector";
}

TEST_F(Verifiers, OfCorenessCatchesCoresOffByOne) {
  expect_only<std::uint32_t>("coreness", {}, {2, 2, 2, 1, 1, 0},
                             {{2, 2, 2, 1, 1, 1},  // one vertex too large
                              {2, 2, 2, 2, 1, 0},  // next to a larger core
                              {2, 2, 1, 1, 1, 0},  // one vertex too small
                              {3, 3, 3, 2, 2, 1},  // all too large, consistently
                              {2, 2, 3, 2, 1, 0},  // degrees
                              {2, 2, 2, 1, 1}});
}

TEST_F(Verifiers, OfMisCatchesSetsThatAreNotTheOne) {
  const auto place = [](VertexId v) {
    std::uint32_t x = v ^ static_cast<std::uint32_t>(mix(1));
    x = (x ^ x >> 16) * 0x7feb352dU;
    x = (x ^ x >> 15) * 0x846ca68bU;
    return x ^ x >> 16;
  };
  const auto first = [&](VertexId a, VertexId b) { return place(a) < place(b) ? a : b; };
  // By hand: the first vertex of the triangle, and of the tail what that allows.
  std::vector<std::uint32_t> right(6, 0);
  const VertexId top = first(first(0, 1), 2);
  right[top] = 1;
  right[5] = 1;
  right[top == 2 ? 4 : first(3, 4)] = 1;
  if (top != 2 && place(2) < place(top)) FAIL() << "2 comes first of the triangle and is not top";
  const Verdict verdict_of_right = verdict<std::uint32_t>("mis", {}, right);
  EXPECT_TRUE(verdict_of_right.passed) << verdict_of_right.detail;
  const auto said = [&](std::vector<std::uint32_t> values) {
    return verdict<std::uint32_t>("mis", {}, std::move(values)).detail;
  };
  EXPECT_THAT(said({1, 1, 0, 1, 0, 1}), HasSubstr("vertex 0 and its neighbour 1 are both in"));
  EXPECT_THAT(said({1, 0, 0, 0, 0, 1}), HasSubstr("vertex 3 is out and has no neighbour"));
  EXPECT_THAT(said({1, 0, 0, 1, 0, 0}), HasSubstr("vertex 5 is out and has no neighbour"));
  EXPECT_THAT(said({1, 0, 0, 2, 0, 1}), HasSubstr("vertex 3: found 2"));
  EXPECT_THAT(said({1, 0, 0}), AnyOf(HasSubstr("values for 6"), HasSubstr("vertex 2")));
  // Independent and maximal, but not what the order chooses.
  std::vector<std::uint32_t> other = right;
  other[3] ^= 1U;
  other[4] ^= 1U;
  if (top == 2) other = {1, 0, 0, 1, 0, 1};
  EXPECT_THAT(said(other), HasSubstr("expected"));
}

TEST_F(Verifiers, OfRadiiCatchesWrongDistances) {
  // All five vertices with edges are sources: true eccentricities.
  expect_only<std::uint32_t>("radii", {}, {3, 3, 2, 2, 3, kNone},
                             {{3, 3, 2, 2, 2, kNone},  // stopped a round too soon
                              {3, 3, 2, 2, 4, kNone},  // a round too late
                              {3, 3, 2, 2, 3, 0},      // an unreachable vertex is reached
                              {kNone, 3, 2, 2, 3, kNone},
                              {3, 3, 2, 2, 3}});
}

TEST_F(Verifiers, OfBcCatchesPathsTooManyAndTooFew) {
  // From 0: 3 and 4 are reached through 2 alone.
  expect_only<float>("bc", {"source=0"}, {0, 0, 2, 1, 0, 0},
                     {{0, 1, 2, 1, 0, 0},  // through 1 too
                      {0, 1, 1, 1, 0, 0},  // half of what belongs to 2
                      {0, 0, 3, 1, 0, 0},  // 2 itself counted as an end
                      {0, 0, 1, 1, 0, 0},  // what lies beyond 3 lost
                      {4, 0, 2, 1, 0, 0},  // a dependency on the root itself
                      {0, 0, 2, 1, kFar, 0}});
  // From two roots: 2 (degree 3), then 0 (the smaller of two with degree 2).
  expect_only<float>("bc", {"roots=2"}, {0, 0, 2, 2, 0, 0}, {{0, 0, 2, 1, 0, 0}});
}

TEST_F(Verifiers, OfPagerankDeltaCatchesLostDeltas) {
  // Two rounds by hand. In the first, all: 0.15 / 6 + 0.85 / 6 * shares.
  const double d = 0.85;
  const double base = 0.15 / 6;
  const auto heard = [](const std::vector<double>& m) {
    return std::vector<double>{m[1] / 2 + m[2] / 3,
                               m[0] / 2 + m[2] / 3,
                               m[0] / 2 + m[1] / 2 + m[3] / 2,
                               m[2] / 3 + m[4],
                               m[3] / 2,
                               0};
  };
  const std::vector<double> first = heard(std::vector<double>(6, 1.0 / 6));
  std::vector<double> delta(6);
  for (std::size_t v = 0; v < 6; ++v) delta[v] = base + d * first[v] - 1.0 / 6;
  const std::vector<double> second = heard(delta);
  std::vector<float> right(6);
  std::vector<float> without_second(6);
  for (std::size_t v = 0; v < 6; ++v) {
    without_second[v] = static_cast<float>(base + d * first[v]);
    right[v] = static_cast<float>(base + d * (first[v] + second[v]));
  }
  std::vector<float> one_lost = right;
  one_lost[4] = without_second[4];
  std::vector<float> none = right;
  none[0] = std::numeric_limits<float>::quiet_NaN();
  // All deltas are handed on except those of the second round.
  double unsaid = 0;
  for (const double change : second) unsaid += d * std::fabs(change);
  const nlohmann::json summary = {{"error_bound", unsaid * d / (1 - d) + 1e-6}};
  expect_only<float>("pagerank-delta", {"iterations=2"}, right, {without_second, one_lost, none},
                     summary);
  EXPECT_THAT(
      verdict<float>("pagerank-delta", {"iterations=2"}, right, {{"error_bound", unsaid}}).detail,
      HasSubstr("deltas that were not handed on leave"));
  // If all deltas except the largest, 4's, are too small, the other ranks stay as they were.
  EXPECT_FALSE(
      verdict<float>("pagerank-delta", {"iterations=2", "epsilon2=0.5"}, right, summary).passed);
}

// After an iteration 0 hears 1 and 2, 1 hears 0 and 2, 2 hears 0, 1 and 3, 3 hears 2 and 4.
TEST_F(Verifiers, OfCdlpCatchWrongLabels) {
  expect_only<VertexId>("cdlp", {"iterations=1"}, {1, 0, 0, 2, 3, 5},
                        {{0, 1, 2, 3, 4, 5},  // each vertex kept its own label
                         {1, 0, 0, 4, 3, 5},  // not the least
                         {0, 0, 0, 2, 3, 5},  // 0 counts its own label
                         {1, 0, 0, 2, 3, 0},  // a vertex without neighbours has another's label
                         {1, 1, 0, 2, 3, 5},
                         {1, 0, 0, 2, 3}});
  expect_only<VertexId>("cdlp", {"iterations=2"}, {0, 0, 0, 0, 2, 5},
                        {{1, 0, 0, 2, 3, 5},  // an iteration too few
                         {0, 0, 0, 2, 2, 5}});
  const nlohmann::json too_many = {{"communities", 6}};
  EXPECT_FALSE(verdict<VertexId>("cdlp", {"iterations=1"}, {1, 0, 0, 2, 3, 5}, too_many).passed);
}

TEST_F(Verifiers, OfLccCatchWrongCoefficients) {
  const float third = static_cast<float>(1.0 / 3);
  expect_only<float>("lcc", {}, {1, 1, third, 0, 0, 0},
                     {{1, 1, 1, 0, 0, 0},
                      {1, 1, third, 0, 1, 0},            // one neighbour has no pair
                      {0.5F, 0.5F, third / 2, 0, 0, 0},  // each edge at one end only
                      {1, 1, std::nanf(""), 0, 0, 0},
                      {1, 1, third, 0, 0}});
  // As a directed graph with an edge at most between two vertices.
  expect_only<float>("lcc", {"edges=directed"}, {0.5F, 0.5F, third / 2, 0, 0, 0},
                     {{1, 1, third, 0, 0, 0}});
}

TEST_F(Verifiers, OfPagerankAskWhereTheRankOfSinksGoes) {
  const nlohmann::json said = {{"iterations", 1}, {"last_change", 0.330556}, {"error_bound", 9}};
  const auto ranks = [](double spread) {
    std::vector<float> values;
    for (const double heard : {0.5 + 1 / 3.0, 0.5 + 1 / 3.0, 1 + 0.5, 1 + 1 / 3.0, 0.5, 0.0}) {
      values.push_back(static_cast<float>((0.15 + 0.85 * (heard + spread)) / 6));
    }
    return values;
  };
  const std::vector<std::string> set = {"iterations=1", "sinks=spread"};
  const Verdict good = verdict("pagerank", set, ranks(1 / 6.0), said);
  EXPECT_TRUE(good.passed) << good.detail;
  EXPECT_THAT(verdict("pagerank", set, ranks(0), said).detail, HasSubstr("vertex "));
}

TEST_F(Verifiers, OfPushesCatchLostAndInventedMass) {
  const nlohmann::json left = {{"largest_residual", 0.125}, {"error_bound", 0.5}};
  // The walk from 5 ends there: nothing is handed on.
  expect_only<float>("ppr", {"source=5", "alpha=0.5"}, {0, 0, 0, 0, 0, 0.5F},
                     {{0, 0, 0, 0, 0, 0},        // never taken up
                      {0, 0, 0, 0, 0, 1},        // taken up twice
                      {0, 0, 0, 0, 0.1F, 0.5F},  // a vertex that no walk reaches
                      {0, 0, 0, 0, 0, 0.45F},
                      {0, 0, 0, 0, -0.1F, 0.5F},
                      {0, 0, 0, 0, 0, kFar},
                      {0, 0, 0, 0, 0}},
                     left);
  // From 4, with a threshold that stops after two pushes: 4, then 3.
  expect_only<float>("ppr", {"source=4", "alpha=0.5", "r_max=0.2"}, {0, 0, 0, 0.25F, 0.5F, 0},
                     {{0, 0, 0, 0, 0.5F, 0},         // 3 keeps more than it may
                      {0, 0, 0, 0.25F, 0.4F, 0},     // part of 4's rank lost
                      {0, 0, 0.3F, 0.25F, 0.5F, 0},  // 2 took more than it was handed
                      {0, 0, 0, 0.5F, 0.25F, 0}},
                     left);
  const auto said = [&](double largest, double sum) {
    return verdict<float>("ppr", {"source=4", "alpha=0.5", "r_max=0.2"}, {0, 0, 0, 0.25F, 0.5F, 0},
                          {{"largest_residual", largest}, {"error_bound", sum}});
  };
  EXPECT_TRUE(said(0.125, 0.25).passed) << "what 3 has handed to 2 and 4";
  EXPECT_THAT(said(0.1, 0.25).detail, HasSubstr("the summary says at most 0.1"));
  EXPECT_THAT(said(0.125, 0.2).detail, HasSubstr("in all 0.2"));
  // Every walk ends where it begins.
  const float sixth = 1.0F / 6;
  expect_only<float>("pagerank-push", {"alpha=1"}, {sixth, sixth, sixth, sixth, sixth, sixth},
                     {{sixth, sixth, sixth, sixth, sixth, 0},
                      {sixth, sixth, sixth, sixth, sixth, 0.16F},
                      {1, 0, 0, 0, 0, 0}},
                     left);
}

}  // namespace
}  // namespace outcore
