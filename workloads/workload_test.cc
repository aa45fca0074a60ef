// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace outcore {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Kind = ParameterSpec::Kind;

const std::vector<ParameterSpec> kSpecs = {
    {"source", "max-degree", "where"},
    {"k", "10", "how many", Kind::whole, 1, 1 << 30},
    {"damping", "0.85", "share", Kind::real, 0, 1},
    {.name = "form", .fallback = "one", .help = "which", .choices = {"one", "other"}}};

template <typename F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "nothing was refused";
}

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
  for (const auto& [written, meant] : std::vector<std::pair<std::string, std::string>>{
           {"bsf", "bfs"}, {"pagrank-push", "pagerank-push"}, {"ssps", "sssp"}}) {
    EXPECT_THAT(refusal([&] { find_workload(written); }),
                HasSubstr("did you mean '" + meant + "'?"));
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

// A graph that an engine has renumbered, with virtual ids; only its degrees can be asked for.
class Renumbered final : public Engine {
 public:
  Renumbered(const CsrView& out, std::vector<VertexId> originals)
      : out_(out), originals_(std::move(originals)) {
    graph_.id_space = static_cast<VertexId>(originals_.size());
    graph_.vertices = out.vertices();
    graph_.originals = originals_;
  }
  [[nodiscard]] Capabilities capabilities() const override { return {}; }
  [[nodiscard]] const Graph& graph() const override { return graph_; }
  void for_each_vertex(const VertexFn& f) override {
    for (VertexId v = 0; v < graph_.id_space; ++v) {  // a vertex a call: any ranges will do
      const std::uint32_t degree =
          graph_.is_real(v) ? static_cast<std::uint32_t>(out_.degree(graph_.original(v))) : 0;
      f({v, v + 1}, {&degree, 1});
    }
  }
  void converge(Program&, Frontier&&) override {}
  Frontier round(Program&, Frontier&& frontier, Direction, Mode) override { return frontier; }
  [[nodiscard]] EngineReport report() const override { return {}; }

 private:
  CsrView out_;
  std::vector<VertexId> originals_;
  Graph graph_;
};

class Source : public ::testing::Test {
 protected:
  // Degrees 1, 2, 0, 2, 1.
  const std::vector<EdgeIndex> offsets_ = {0, 1, 3, 3, 5, 6};
  const std::vector<VertexId> targets_ = {1, 0, 3, 1, 4, 3};
  const CsrView out_{offsets_, targets_};
  Renumbered engine_{out_, {4, 3, kNoVertex, 2, 1, kNoVertex, 0}};
};

TEST_F(Source, IsTheSameVertexInEveryNumbering) {
  const Graph& graph = engine_.graph();
  EXPECT_EQ(find_source(out_, "max-degree"), 1U) << "the least of those with most edges";
  for (const std::string text :
       {"max-degree", "0", "2", "4", "random:0", "random:1", "random:2", "random:3", "random:4"}) {
    EXPECT_EQ(graph.original(find_source(engine_, text)), find_source(out_, text)) << text;
  }
}

TEST_F(Source, AtRandomHasEdgesAndHangsOnTheSeed) {
  std::vector<bool> chosen(5);
  for (int seed = 0; seed < 64; ++seed) {
    chosen[find_source(out_, "random:" + std::to_string(seed))] = true;
  }
  EXPECT_EQ(chosen, (std::vector<bool>{true, true, false, true, true}));
}

TEST_F(Source, ThatAreSeveralComeInOneOrderInEveryNumbering) {
  const auto several = [&](const std::string& text, std::size_t count) {
    std::vector<VertexId> ids;
    for (const VertexId v : find_sources(engine_, text, count)) {
      ids.push_back(engine_.graph().original(v));
    }
    EXPECT_EQ(ids, find_sources(out_, text, count)) << text;
    return ids;
  };
  EXPECT_EQ(several("max-degree", 3), (std::vector<VertexId>{1, 3, 0}));
  EXPECT_EQ(several("max-degree", 99), (std::vector<VertexId>{1, 3, 0, 4})) << "2 has no edge";
  EXPECT_EQ(several("4", 1), (std::vector<VertexId>{4}));
  for (const std::string text : {"random:0", "random:1", "random:2"}) {
    std::vector<VertexId> all = several(text, 4);
    EXPECT_EQ(all.front(), find_source(out_, text));
    EXPECT_EQ(several(text, 2), (std::vector<VertexId>{all[0], all[1]}));
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, (std::vector<VertexId>{0, 1, 3, 4})) << "each once";
  }
  EXPECT_THAT(refusal([&] { find_sources(out_, "4", 2); }),
              AllOf(HasSubstr("--source 4"), HasSubstr("2 are wanted"), HasSubstr("random:SEED")));
}

TEST_F(Source, ThatDoesNotExistIsRefusedBeforeAndAfterAnEngineIsBuilt) {
  for (const std::string text : {"5", "4294967295", "4294967296", "99999999999"}) {
    const std::string expected = "--source " + text + ": there is no such vertex";
    EXPECT_EQ(refusal([&] { find_source(out_, text); }), expected);
    EXPECT_EQ(refusal([&] { find_source(engine_, text); }), expected);
    EXPECT_EQ(refusal([&] { check_source(text, 5, 6); }), expected);
  }
  for (const std::string text : {"-1", "max-degre", "random", "random:", "random:x", "", "1.0"}) {
    const std::string expected =
        "--source " + text + ": write max-degree, random:SEED or a vertex id";
    EXPECT_EQ(refusal([&] { find_source(out_, text); }), expected);
    EXPECT_EQ(refusal([&] { check_source(text, 5, 6); }), expected);
  }
  EXPECT_NO_THROW(check_source("4", 5, 6));
  EXPECT_NO_THROW(check_source("0", 1, 0)) << "a vertex without edges can be named";
  EXPECT_THAT(refusal([&] { check_source("max-degree", 5, 0); }), HasSubstr("has an edge"));
}

TEST_F(Source, BringsValuesIntoCanonicalOrder) {
  std::vector<int> values = {40, 30, -1, 20, 10, -1, 0};
  EXPECT_EQ(in_canonical_order(engine_.graph(), std::move(values)),
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
  EXPECT_THAT(missing({.heads = true}, walk), StartsWith("drive"));
  EXPECT_THAT(missing({.drive = true}, find_workload("wcc-sample")), StartsWith("heads"));
  EXPECT_THAT(missing({.round = Visibility::interval}, find_workload("bfs-do")),
              StartsWith("rounds"));
}

}  // namespace
}  // namespace outcore
