// SPDX-License-Identifier: Apache-2.0
// el, wel, gr, mtx and Graphalytics: what they read, and every way in which a line can be wrong.
#include "storage/formats/import_fixture.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TextFormatsTest : public ImportTest {
 protected:
  void refuse(const std::string& name, const std::string& text, const std::string& message) {
    expect_refused(write(name, text), ExitCode::bad_input, message);
  }
};

TEST_F(TextFormatsTest, ElHasTwoColumns) {
  EXPECT_THAT(import(write("a.el", "# c\n0 1\n2 0\r\n\n1 2")),
              ElementsAre(Edge{0, 1}, Edge{1, 2}, Edge{2, 0}));
  EXPECT_FALSE(Container(graph_).facts().weighted);
  refuse("bad.el", "0 1\n0 1 7\n", "bad.el:2: found '7', expected the end of the line");
  refuse("bad.el", "0 1\n0\n", "bad.el:2: found the end of the line, expected a vertex id");
  refuse("bad.el", "# nothing\n", "found no edges");
}

TEST_F(TextFormatsTest, WelHasWeights) {
  EXPECT_THAT(import(write("a.wel", "0 1 2.5\n2 0 -3\n1 2 1e-3\n1 2 +7\n0 2 16777217")),
              ElementsAre(Edge{0, 1}, Edge{0, 2}, Edge{1, 2}, Edge{1, 2}, Edge{2, 0}));
  EXPECT_THAT(weights(), ElementsAre(2.5F, 16777216, 1e-3F, 7, -3));
  EXPECT_TRUE(Container(graph_).facts().weighted);
  EXPECT_THAT(import(write("a.wel", "0 1 1e-60\n1 0 0\n")), ElementsAre(Edge{0, 1}, Edge{1, 0}));
  EXPECT_THAT(weights(), ElementsAre(0, 0));
}

TEST_F(TextFormatsTest, WeightsThatAreNoneAreRefusedWithTheirLine) {
  for (const char* word :
       {"nan", "-nan", "inf", "-INF", "1e39", "abc", "1.5x", "+", "--1", "0x10"}) {
    refuse("bad.wel", std::string("0 1 1\n1 0 ") + word + "\n",
           std::string("bad.wel:2: found '") + word + "', expected a weight (a finite number)");
  }
  refuse("bad.wel", "0 1\n", "bad.wel:1: found the end of the line, expected a weight");
  refuse("bad.wel", "0 1 2 3\n", "bad.wel:1: found '3', expected the end of the line");
}

TEST_F(TextFormatsTest, SparseIdsOfWeightedTextAreKept) {
  EXPECT_THAT(import(write("a.wel", "70 9000000000 2\n9000000000 5 4\n")),
              ElementsAre(Edge{1, 2}, Edge{2, 0}));
  EXPECT_THAT(weights(), ElementsAre(2, 4));
  EXPECT_THAT(ids(), ElementsAre(5, 70, 9000000000));
}

TEST_F(TextFormatsTest, TheLeastWeightOfDuplicatesIsKeptWhateverTheirOrder) {
  for (const char* text : {"0 1 3\n1 0 5\n0 1 2\n", "0 1 2\n0 1 3\n1 0 5\n"}) {
    EXPECT_THAT(import(write("a.wel", text), {.symmetric = true, .drop_duplicates = true}),
                ElementsAre(Edge{0, 1}, Edge{1, 0}));
    EXPECT_THAT(weights(), ElementsAre(2, 2));
  }
}

TEST_F(TextFormatsTest, GrIsDimacs) {
  EXPECT_THAT(
      import(write("a.gr", "c a comment\n\np sp 4 3\na 1 2 5\nc another\na 2 1 6\na 4 1 7\n")),
      ElementsAre(Edge{0, 1}, Edge{1, 0}, Edge{3, 0}));
  EXPECT_THAT(weights(), ElementsAre(5, 6, 7));
  EXPECT_THAT(ids(), ElementsAre(1, 2, 3, 4));
  const std::string head = "c x\np sp 3 2\n";
  refuse("bad.gr", head + "a 1 2 3\n", "found only 1 edges, expected 2, as line 2 says");
  refuse("bad.gr", head + "a 1 2 3\na 1 2 3\na 1 2 3\n", "found more edges, expected 2");
  refuse("bad.gr", head + "a 1 4 3\n", "bad.gr:3: found '4', expected a vertex id (1 to 3)");
  refuse("bad.gr", head + "a 0 1 3\n", "bad.gr:3: found '0', expected a vertex id (1 to 3)");
  refuse("bad.gr", head + "a 1 2\n", "bad.gr:3: found the end of the line, expected a weight");
  refuse("bad.gr", head + "e 1 2\n", "bad.gr:3: found 'e', expected an arc");
  refuse("bad.gr", "p tw 3 2\n1 2\n", "bad.gr:1: found 'p tw 3 2', expected 'p sp VERTICES ARCS'");
  refuse("bad.gr", "p sp 3\n", "bad.gr:1: found ' 3', expected 'p sp");
  refuse("bad.gr", "p sp 3 2 x\n", "bad.gr:1");
  refuse("bad.gr", "p sp -3 2\n", "bad.gr:1");
  refuse("bad.gr", "p sp 4294967295 2\n", "found 4294967295 vertices, expected at most 4294967294");
  refuse("bad.gr", "p sp 3 0\n", "found no edges");
  refuse("bad.gr", "c only\n", "found the end of the file, expected 'p sp");
  refuse("bad.gr", "a 1 2 3\n", "bad.gr:1: found 'a 1 2 3'");
}

constexpr const char* kBanner = "%%MatrixMarket matrix coordinate ";

TEST_F(TextFormatsTest, MtxIsMatrixMarket) {
  const auto mtx = [&](const std::string& kind, const std::string& rest) {
    return write("a.mtx", kBanner + kind + "\n% comment\n\n" + rest);
  };
  EXPECT_THAT(import(mtx("pattern general", "3 3 2\n1 2\n3 1\n")),
              ElementsAre(Edge{0, 1}, Edge{2, 0}));
  EXPECT_FALSE(Container(graph_).facts().weighted);
  EXPECT_THAT(ids(), ElementsAre(1, 2, 3));
  EXPECT_THAT(import(mtx("REAL General", "3 3 2\n1 2 0.5\n% between\n3 1 -2e1\n")),
              ElementsAre(Edge{0, 1}, Edge{2, 0}));
  EXPECT_THAT(weights(), ElementsAre(0.5F, -20));
  EXPECT_THAT(import(mtx("integer symmetric", "3 3 3\n2 1 4\n2 2 5\n3 1 6\n")),
              ElementsAre(Edge{0, 1}, Edge{0, 2}, Edge{1, 0}, Edge{1, 1}, Edge{2, 0}));
  EXPECT_THAT(weights(), ElementsAre(4, 6, 4, 5, 6));
  EXPECT_TRUE(Container(graph_).facts().symmetric);
}

TEST_F(TextFormatsTest, MtxThatLiesIsRefused) {
  const auto bad = [&](const std::string& text, const std::string& message) {
    refuse("bad.mtx", text, message);
  };
  const std::string general = std::string(kBanner) + "pattern general\n";
  const std::string symmetric = std::string(kBanner) + "real symmetric\n";
  bad(general + "3 3 3\n1 2\n3 1\n", "found only 2 edges, expected 3, as line 2 says");
  bad(general + "3 3 1\n1 2\n3 1\n", "found more edges, expected 1");
  bad(general + "3 3 1\n1 4\n", "bad.mtx:3: found '4', expected a vertex id (1 to 3)");
  bad(general + "3 3 1\n0 1\n", "bad.mtx:3: found '0'");
  bad(general + "3 3 1\n1 2 5\n", "bad.mtx:3: found '5', expected the end of the line");
  bad(symmetric + "3 3 1\n1 2 5\n", "bad.mtx:3: found '2', expected a column up to 1");
  bad(symmetric + "3 3 1\n2 1\n", "bad.mtx:3: found the end of the line, expected a weight");
  bad(symmetric + "3 3 1\n2 1 NaN\n", "bad.mtx:3: found 'NaN', expected a weight");
  bad(general + "3 4 1\n1 2\n", "bad.mtx:2: found 3 rows and 4 columns, expected a square matrix");
  bad(general + "3 3\n1 2\n", "bad.mtx:2: found '3 3', expected 'ROWS COLUMNS ENTRIES'");
  bad(general + "4294967295 4294967295 1\n1 2\n", "found 4294967295 vertices");
  bad(general + "3 3 0\n", "found no edges");
  bad(general, "found the end of the file, expected 'ROWS");
  bad("3 3 1\n1 2\n", "bad.mtx:1: found '3 3 1', expected '%%MatrixMarket");
  for (const char* kind : {"complex general", "real hermitian", "real skew-symmetric", "real",
                           "pattern general more"}) {
    bad(std::string(kBanner) + kind + "\n3 3 1\n1 2\n", "bad.mtx:1: found '%%MatrixMarket");
  }
  bad("%%MatrixMarket matrix array real general\n1 1\n1\n", "bad.mtx:1");
}

class GraphalyticsTest : public TextFormatsTest {
 protected:
  fs::path graph(const std::string& more = {}, const std::string& directed = "true") {
    write("x.v", vertices_);
    write("x.e", edges_);
    return write("x.properties",
                 "# Graphalytics\ngraph.x.vertex-file = x.v\ngraph.x.edge-file = x.e\n"
                 "graph.x.directed = " +
                     directed + "\n" + more);
  }
  static constexpr const char* kWeight = "graph.x.edge-properties.names = weight\n";
  std::string vertices_ = "7\n3\n9000000000\n4\n";
  std::string edges_ = "7 3 0.5\n3 9000000000 2\n";
};

TEST_F(GraphalyticsTest, ReadsThreeFilesByTheNameOfAny) {
  graph("graph.x.meta.vertices = 4\ngraph.x.meta.edges = 2\n");
  for (const char* name : {"x.properties", "x.v", "x.e"}) {
    EXPECT_THAT(import(root_ / name), ElementsAre(Edge{0, 3}, Edge{2, 0})) << name;
    EXPECT_THAT(ids(), ElementsAre(3, 4, 7, 9000000000));
    EXPECT_FALSE(Container(graph_).facts().weighted);
  }
  graph(kWeight, "false");
  EXPECT_THAT(import(root_ / "x.e"), ElementsAre(Edge{0, 2}, Edge{0, 3}, Edge{2, 0}, Edge{3, 0}));
  EXPECT_THAT(weights(), ElementsAre(0.5F, 2, 0.5F, 2));
  vertices_ = "0\n1\n2\n";
  edges_ = "0 1\n";
  EXPECT_THAT(import(graph()), ElementsAre(Edge{0, 1}));
  EXPECT_THAT(ids(), ElementsAre());
}

TEST_F(GraphalyticsTest, RefusesPartsThatDoNotFit) {
  const auto bad = [&](const fs::path& file, const std::string& message) {
    complaint(file, ExitCode::bad_input, message);
  };
  bad(graph("graph.x.meta.vertices = 5\n"), "found 4 of them, expected meta.vertices = 5");
  bad(graph("graph.x.meta.edges = 3\n"), "found 2 of them, expected meta.edges = 3");
  bad(graph("", "yes"), "x.properties:4: found 'yes', expected true or false");
  edges_ = "7 3 1\n7 5 1\n";
  bad(graph(), "x.e:2: found '5', expected an id that the graph's .v file has");
  edges_ = "7 3 1\n7 3\n";
  bad(graph(kWeight), "x.e:2: found the end of the line, expected a weight");
  edges_ = "7 3 nan\n";
  bad(graph(kWeight), "x.e:1: found 'nan'");
  edges_ = "";
  bad(graph(), "found no edges");
  edges_ = "7 3\n";
  vertices_ = "7\n3\n7\n";
  bad(graph(), "x.v: found 1 ids twice, expected each vertex once");
  vertices_ = "7\nx\n";
  bad(graph(), "x.v:2: found 'x', expected a vertex id");
  bad(write("x.properties", "nothing = here\n"), "found no key graph.NAME.directed");
  graph();
  fs::remove(root_ / "x.v");
  bad(root_ / "x.properties", "x.v: found nothing, expected a part of the graph");
}

}  // namespace
}  // namespace outcore
