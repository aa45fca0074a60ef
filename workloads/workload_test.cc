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

using Kind = ParameterSpec::Kind;

const std::vector<ParameterSpec> kSpecs = {
    {"source", "max-degree", "where"},
    {"k", "10", "how many", Kind::whole, 1, 1 << 30},
    {"damping", "0.85", "share", Kind::real, 0, 1},
    {.name = "form", .fallback = "one", .help = "which", .choices = {"one", "other"}}};

std::string refused(const std::string& assignment) {
  return refusal([&] { Parameters("toy", kSpecs, {assignment}); });
}

TEST(Parameters, TakeDefaultsAndTheLastAssignment) {
  const Parameters parameters("toy", kSpecs, {"k=3", "k=4", "source=a=b"});
  EXPECT_EQ(parameters.whole("k"), 4U);
  EXPECT_EQ(parameters.real("damping"), 0.85);
  EXPECT_EQ(parameters.text("source"), "a=b");
  EXPECT_EQ(parameters.json().dump(), R"({"damping":"0.85","form":"one","k":"4","source":"a=b"})");
}

TEST(Parameters, TakeTheEndsOfTheirRanges) {
  EXPECT_EQ(Parameters("toy", kSpecs, {"k=1"}).whole("k"), 1U);
  EXPECT_EQ(Parameters("toy", kSpecs, {"k=1073741824"}).whole("k"), 1U << 30);
  EXPECT_EQ(Parameters("toy", kSpecs, {"damping=0"}).real("damping"), 0.0);
  EXPECT_EQ(Parameters("toy", kSpecs, {"damping=1"}).real("damping"), 1.0);
}

TEST(Parameters, RefuseValuesThatAreNoneOrOutOfRange) {
  for (const char* value : {"0", "1073741825", "-1", "1.5", "1e3", "", "3x", " 3", "nan"}) {
    EXPECT_EQ(refused(std::string("k=") + value),
              std::string("toy k=") + value + ": expected a whole number from 1 to 1073741824");
  }
  for (const char* value : {"-0.1", "1.1", "nan", "inf", "", "half", "0.5x"}) {
    EXPECT_EQ(refused(std::string("damping=") + value),
              std::string("toy damping=") + value + ": expected a number from 0 to 1");
  }
}

TEST(Parameters, TakeOneOfTheirChoices) {
  EXPECT_EQ(Parameters("toy", kSpecs, {"form=other"}).text("form"), "other");
  EXPECT_EQ(refused("form=two"), "toy form=two: expected one of one, other");
  EXPECT_EQ(refused("form="), "toy form=: expected one of one, other");
}

TEST(Parameters, TakeAVertexOrAWordInItsPlace) {
  const std::vector<ParameterSpec> specs = {{.name = "target",
                                             .fallback = "none",
                                             .help = "whom",
                                             .kind = Kind::vertex,
                                             .choices = {"none"}}};
  EXPECT_EQ(Parameters("toy", specs, {}).text("target"), "none");
  EXPECT_EQ(Parameters("toy", specs, {"target=18446744073709551615"}).whole("target"),
            18446744073709551615U);
  for (const char* value : {"-1", "1.5", "nobody", ""}) {
    EXPECT_EQ(refusal([&] { Parameters("toy", specs, {std::string("target=") + value}); }),
              std::string("toy target=") + value + ": expected a vertex id, or none");
  }
}

TEST(Parameters, NameWhatThereIsForAnUnknownOne) {
  EXPECT_THAT(refused("dampng=1"),
              AllOf(HasSubstr("source, k, damping, form"), HasSubstr("did you mean 'damping'?")));
  EXPECT_THAT(refused("k"), HasSubstr("name=value"));
  EXPECT_EQ(refusal([] { Parameters("toy", {}, {"source=1"}); }),
            "toy takes no parameters, not 'source' either");
}

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

TEST(Workloads, TakeTheirOwnDefaults) {
  for (const Workload& workload : workloads()) {
    std::vector<std::string> defaults;
    for (const ParameterSpec& spec : workload.parameters) {
      defaults.push_back(spec.name + "=" + spec.fallback);
    }
    EXPECT_NO_THROW(Parameters(workload.name, workload.parameters, defaults)) << workload.name;
    EXPECT_EQ(&find_workload(workload.name), &workload);
  }
}

TEST(Workloads, BringValuesIntoCanonicalOrder) {
  const OriginalIds originals{std::vector<VertexId>{4, 3, kNoVertex, 2, 1, kNoVertex, 0}};
  const Graph renumbered = {.id_space = 7, .vertices = 5, .originals = &originals};
  std::vector<int> values = {40, 30, -1, 20, 10, -1, 0};
  EXPECT_EQ(in_canonical_order(renumbered, std::move(values)),
            (std::vector<int>{0, 10, 20, 30, 40}));
  Graph same;
  same.id_space = same.vertices = 2;
  EXPECT_EQ(in_canonical_order(same, std::vector<int>{7, 8}), (std::vector<int>{7, 8}));
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
