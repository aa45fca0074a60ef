// SPDX-License-Identifier: Apache-2.0
#include "common/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace outcore {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using Kind = Parameter::Kind;
using Assignments = std::vector<std::string>;

const std::vector<Parameter> kDeclared = {
    {"source", "max-degree", "where"},
    {"k", "10", "how many", Kind::whole, 1, 1 << 30},
    {"damping", "0.85", "share", Kind::real, 0, 1},
    {.name = "form", .fallback = "one", .help = "which", .choices = {"one", "other"}},
    {.name = "r_max",
     .fallback = "0",
     .help = "",
     .kind = Kind::real,
     .least = 0.1,
     .most = 1,
     .choices = {"0"}},
    {.name = "target", .fallback = "none", .help = "", .kind = Kind::vertex, .choices = {"none"}},
    {.name = "start", .fallback = "hub", .help = "", .kind = Kind::vertex}};

Parameters given(const Assignments& assignments) { return {"toy", kDeclared, assignments}; }

std::string refused(const std::string& assignment,
                    std::span<const Parameter> declared = kDeclared) {
  try {
    const Parameters parameters("toy", declared, {assignment});
    return {};
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
}

TEST(Parameters, TakeDefaultsAndTheLastAssignment) {
  const Parameters parameters = given({"k=3", "k=4", "source=a=b"});
  EXPECT_EQ(parameters.whole("k"), 4U);
  EXPECT_EQ(parameters.real("damping"), 0.85);
  EXPECT_EQ(parameters.text("source"), "a=b");
  EXPECT_EQ(parameters.json(), nlohmann::json::parse(R"({"damping": "0.85", "form": "one", "k": "4",
      "r_max": "0", "source": "a=b", "start": "hub", "target": "none"})"));
  EXPECT_TRUE(parameters.has("k"));
  EXPECT_FALSE(parameters.has("K"));
  EXPECT_THROW((void)parameters.text("K"), std::logic_error);
}

TEST(Parameters, TellWhichDifferFromTheirDefaults) {
  EXPECT_THAT(given({"k=10"}).changed(), IsEmpty());
  EXPECT_THAT(given({"form=other", "k=011"}).changed(),
              ElementsAre(Pair("k", "11"), Pair("form", "other")));
  EXPECT_EQ(given({"k=011"}), given({"k=11"}));
  EXPECT_NE(given({"k=11"}), given({}));
}

TEST(Parameters, AreTheDefaultsWhereNothingWasDeclared) {
  EXPECT_EQ(Parameters().or_defaults(kDeclared), given({}));
  EXPECT_EQ(given({"k=3"}).or_defaults(kDeclared).whole("k"), 3U);
}

TEST(Parameters, TakeTheEndsOfTheirRanges) {
  EXPECT_EQ(given({"k=1"}).whole("k"), 1U);
  EXPECT_EQ(given({"k=1073741824"}).whole("k"), 1U << 30);
  EXPECT_EQ(given({"damping=0"}).real("damping"), 0.0);
  EXPECT_EQ(given({"damping=1"}).real("damping"), 1.0);
}

TEST(Parameters, RefuseValuesThatAreNoneOrOutOfRange) {
  for (const std::string value : {"0", "1073741825", "-1", "1.5", "1e3", "", "3x", " 3", "nan"}) {
    EXPECT_EQ(refused("k=" + value),
              "toy: k=" + value + ": expected a whole number from 1 to 1073741824");
  }
  for (const std::string value : {"-0.1", "1.1", "nan", "inf", "", "half", "0.5x"}) {
    EXPECT_EQ(refused("damping=" + value),
              "toy: damping=" + value + ": expected a number from 0 to 1");
  }
}

TEST(Parameters, TakeOneOfTheirChoices) {
  EXPECT_EQ(given({"form=other"}).text("form"), "other");
  EXPECT_EQ(refused("form=two"), "toy: form=two: expected one of one, other");
  EXPECT_EQ(refused("form="), "toy: form=: expected one of one, other");
  EXPECT_EQ(refused("form=othr"),
            "toy: form=othr: expected one of one, other; did you mean 'other'?");
}

TEST(Parameters, TakeAVertexOrAWordInItsPlace) {
  EXPECT_EQ(given({}).text("target"), "none");
  EXPECT_EQ(given({"target=18446744073709551615"}).whole("target"), 18446744073709551615U);
  for (const std::string value : {"-1", "1.5", "hub", ""}) {
    EXPECT_EQ(refused("target=" + value),
              "toy: target=" + value + ": expected none, or a vertex id");
  }
  EXPECT_EQ(refused("start=anything"), "") << "only its owner can tell";
}

TEST(Parameters, TakeANumberOrAWordInItsPlace) {
  EXPECT_EQ(given({"r_max=0"}).real("r_max"), 0.0);
  EXPECT_EQ(given({"r_max=0.5"}).real("r_max"), 0.5);
  EXPECT_EQ(refused("r_max=0.01"), "toy: r_max=0.01: expected 0, or a number from 0.1 to 1");
}

TEST(Parameters, NameWhatThereIsForAnUnknownOne) {
  EXPECT_THAT(refused("dampng=1"),
              AllOf(HasSubstr("unknown parameter of toy 'dampng'"),
                    HasSubstr("source, k, damping, form"), HasSubstr("did you mean 'damping'?")));
  EXPECT_EQ(refused("k"), "toy: 'k' has no value; write k=10");
  EXPECT_EQ(refused("k=1", {}), "toy takes no parameters, but 'k=1' was given");
}

TEST(Parameters, SayInTheirHelpWhatIsExpected) {
  const auto help = [](std::size_t i) { return kDeclared[i].full_help(); };
  EXPECT_EQ(help(0), "where");
  EXPECT_EQ(help(1), "how many (a whole number from 1 to 1073741824)");
  EXPECT_EQ(help(3), "which (one of one, other)");
}

TEST(Spec, IsANameWithAssignments) {
  EXPECT_EQ(spec_name("toy"), "toy");
  EXPECT_EQ(spec_name("toy:mode=sync"), "toy");
  EXPECT_THAT(spec_assignments("toy"), IsEmpty());
  EXPECT_THAT(spec_assignments("toy:mode=sync,stop=3"), ElementsAre("mode=sync", "stop=3"));
  EXPECT_THAT(spec_assignments("toy:stop=3+mode=sync"), ElementsAre("stop=3", "mode=sync"));
  EXPECT_THAT(spec_assignments("toy:"), ElementsAre(""));
}

}  // namespace
}  // namespace outcore
