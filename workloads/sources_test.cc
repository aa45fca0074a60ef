// SPDX-License-Identifier: Apache-2.0
#include "workloads/sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workloads/refusal_for_tests.h"

namespace outcore {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A graph that an engine has renumbered, with virtual ids. It only reports degrees.
class Renumbered final : public Engine {
 public:
  Renumbered(const CsrView& out, const std::vector<VertexId>& originals)
      : out_(out), originals_(originals) {
    graph_.id_space = static_cast<VertexId>(originals_.size());
    graph_.vertices = out.vertices();
    graph_.originals = &originals_;
  }
  [[nodiscard]] EngineTraits traits() const override { return {}; }
  [[nodiscard]] const Graph& graph() const override { return graph_; }
  void for_each_vertex(const VertexFn& f) override {
    for (VertexId v = 0; v < graph_.id_space; ++v) {  // one vertex per call: any ranges are allowed
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
  OriginalIds originals_;
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
  EXPECT_EQ(several("4+2+0", 1), (std::vector<VertexId>{0, 2, 4})) << "as many as are named";
  EXPECT_EQ(several("4+0", 2), (std::vector<VertexId>{0, 4}));
  for (const std::string text : {"random:0", "random:1", "random:2"}) {
    std::vector<VertexId> all = several(text, 4);
    EXPECT_EQ(all.front(), find_source(out_, text));
    EXPECT_EQ(several(text, 2), (std::vector<VertexId>{all[0], all[1]}));
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, (std::vector<VertexId>{0, 1, 3, 4})) << "each once";
  }
}

TEST_F(Source, ThatNamesTooFewOrTooManyIsRefusedBeforeAndAfterAnEngineIsBuilt) {
  const auto refusals = [&](const std::string& text, std::size_t count) {
    const std::string found = refusal([&] { find_sources(out_, text, count); });
    EXPECT_EQ(refusal([&] { find_sources(engine_, text, count); }), found);
    EXPECT_EQ(refusal([&] { check_source(text, count, 6); }), found);
    return found;
  };
  EXPECT_THAT(refusals("4", 2), AllOf(HasSubstr("--source 4: that is one vertex but 2 are wanted"),
                                      HasSubstr("random:SEED")));
  EXPECT_THAT(refusals("4+0+1", 2), HasSubstr("--source 4+0+1: that is 3 vertices but 2"));
  EXPECT_THAT(refusals("1+3+1", 3), HasSubstr("--source 1+3+1: 1 is named twice"));
  const std::string one = refusal([&] { find_source(out_, "4+0"); });
  EXPECT_THAT(one, HasSubstr("--source 4+0: those are 2 vertices, but this begins at one"));
  EXPECT_EQ(refusal([&] { check_source("4+0", std::nullopt, 6); }), one);
  EXPECT_EQ(refusal([&] { find_sources(out_, "4+5", 1); }),
            "--source 4+5: some of these vertices do not exist");
}

TEST_F(Source, ThatDoesNotExistIsRefusedBeforeAndAfterAnEngineIsBuilt) {
  for (const std::string text : {"5", "4294967295", "4294967296", "99999999999"}) {
    const std::string expected = "--source " + text + ": there is no such vertex";
    EXPECT_EQ(refusal([&] { find_source(out_, text); }), expected);
    EXPECT_EQ(refusal([&] { find_source(engine_, text); }), expected);
  }
  for (const std::string text : {"-1", "max-degre", "random", "random:", "random:x", "", "1.0",
                                 "1+", "+", "+1", "1++2", "1+max-degree", "random:1+2"}) {
    const std::string expected =
        "--source " + text + ": write max-degree, random:SEED or a vertex id";
    EXPECT_EQ(refusal([&] { find_source(out_, text); }), expected);
    EXPECT_EQ(refusal([&] { check_source(text, 1, 6); }), expected);
  }
  EXPECT_NO_THROW(check_source("4", std::nullopt, 6));
  EXPECT_NO_THROW(check_source("0", std::nullopt, 0)) << "a vertex without edges can be named";
  EXPECT_THAT(refusal([&] { check_source("max-degree", 1, 0); }), HasSubstr("has an edge"));
}

}  // namespace
}  // namespace outcore
