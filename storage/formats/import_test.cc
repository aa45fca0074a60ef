// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/import_fixture.h"
#include "storage/formats/piece_reader.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(ImportTest, ReadsSnapTextWithCommentsBlankLinesAndFurtherColumns) {
  const fs::path file = write("a.txt",
                              "# Directed graph\n% another comment\n\n0\t1\n 2 0 \r\n"
                              "1   2   0.5 1234567\n  # indented\n1 0");
  EXPECT_THAT(import(file), ElementsAre(Edge{0, 1}, Edge{1, 0}, Edge{1, 2}, Edge{2, 0}));
  EXPECT_FALSE(Container(graph_).facts().has_ids);
  EXPECT_EQ(Container(graph_).facts().provenance.at("format"), "snap");
}

TEST_F(ImportTest, KeepsLoopsAndDuplicatesUnlessToldOtherwise) {
  const fs::path file = write("a.txt", "0 1\n0 1\n1 1\n1 0\n");
  EXPECT_EQ(import(file).size(), 4U);
  EXPECT_EQ(import(file, {.drop_loops = true}).size(), 3U);
  EXPECT_THAT(import(file, {.drop_duplicates = true}),
              ElementsAre(Edge{0, 1}, Edge{1, 0}, Edge{1, 1}));
}

TEST_F(ImportTest, SymmetricGraphsAreSimpleUnlessToldOtherwise) {
  const fs::path file = write("a.txt", "0 1\n0 1\n1 1\n1 0\n");
  EXPECT_THAT(import(file, {.symmetric = true}), ElementsAre(Edge{0, 1}, Edge{1, 0}));
  EXPECT_TRUE(Container(graph_).facts().symmetric);
  EXPECT_EQ(Container(graph_).facts().repeats, EdgeRepeats{});
  EXPECT_THAT(import(file, {.symmetric = true, .keep_loops = true}),
              ElementsAre(Edge{0, 1}, Edge{1, 0}, Edge{1, 1}));
  EXPECT_EQ(import(file, {.symmetric = true, .keep_parallel = true}).size(), 6U);
  EXPECT_EQ(Container(graph_).facts().repeats, (EdgeRepeats{.loops = 0, .parallel = 4}));
  for (const ImportOptions& both : {ImportOptions{.drop_loops = true, .keep_loops = true},
                                    {.drop_duplicates = true, .keep_parallel = true}}) {
    complaint(file, ExitCode::usage, "contradict each other", both);
  }
}

TEST_F(ImportTest, SaysWhatItReadAndWhatItStored) {
  const fs::path file = write("a.txt", "0 1\n0 1\n1 1\n1 0\n1 1\n");
  for (const bool simple : {true, false}) {
    ImportOptions options{.symmetric = true, .force = true};
    options.keep_loops = options.keep_parallel = !simple;
    const BuildCounts counts = import_graph(file, graph_, options);
    EXPECT_EQ(counts.read, 5U);
    EXPECT_EQ(counts.loops, 2U);
    EXPECT_EQ(counts.met_again, 2U);
    EXPECT_EQ(counts.vertices, 2U);
    EXPECT_EQ(counts.edges, simple ? 2U : 8U);
    EXPECT_TRUE(counts.symmetric);
    EXPECT_EQ(counts.stored, (simple ? EdgeRepeats{} : EdgeRepeats{.loops = 2, .parallel = 4}));
  }
  const BuildCounts loops =
      import_graph(file, graph_, {.symmetric = true, .keep_loops = true, .force = true});
  EXPECT_EQ(loops.stored, (EdgeRepeats{.loops = 1, .parallel = 0})) << "met twice, stored once";
}

TEST_F(ImportTest, KeepsIdsBelowTwiceTheEdgesAndNumbersOthersAnew) {
  EXPECT_THAT(import(write("kept.txt", "0 3\n3 1\n")), ElementsAre(Edge{0, 3}, Edge{3, 1}));
  EXPECT_EQ(Container(graph_).facts().vertices, 4U);

  EXPECT_THAT(import(write("sparse.txt", "0 4\n4 1\n")), ElementsAre(Edge{0, 2}, Edge{2, 1}));
  Container sparse(graph_);
  EXPECT_EQ(sparse.facts().vertices, 3U);
  EXPECT_THAT(sparse.ids(), ElementsAre(0, 1, 4));

  EXPECT_THAT(import(write("huge.txt", "18446744073709551614 7\n")), ElementsAre(Edge{1, 0}));
  EXPECT_THAT(Container(graph_).ids(), ElementsAre(7, 18446744073709551614U));
}

TEST_F(ImportTest, ReadsTextOfManyWindowsWithAnyNumberOfThreads) {
  std::string text;
  std::vector<Edge> expected;
  for (std::uint64_t i = 0; i < 900000; ++i) {
    expected.emplace_back(mix(i) % 100000, mix(~i) % 100000);
    text +=
        std::to_string(expected.back().first) + " " + std::to_string(expected.back().second) + "\n";
  }
  const fs::path file = write("big.txt", text);
  ASSERT_GT(text.size(), 10 * FilePiece::kBytes);  // every slot is used again
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(import(file, {.memory = std::uint64_t{1} << 20}), expected);
  const std::string two_threads = hash_file(graph_ / "out.targets");
  for (const unsigned threads : {1U, 7U}) {
    import_graph(file, graph_, {.threads = threads, .force = true});
    EXPECT_EQ(hash_file(graph_ / "out.targets"), two_threads);
  }
  expect_refused(write("bad.txt", text + "1 x\n"), ExitCode::bad_input, "bad.txt:900001");
}

TEST_F(ImportTest, NamesTheLineOfWhatIsNoEdge) {
  expect_bad_text("# c\n0 1\nabc 2\n", "bad.txt:3: found 'abc', expected a vertex id");
  expect_bad_text("0 1\n\n5\n", "bad.txt:3: found the end of the line, expected a vertex id");
  expect_bad_text("0 -1\n", "bad.txt:1: found '-1', expected a vertex id");
  expect_bad_text("0 1.5\n", "bad.txt:1: found '1.5'");
  expect_bad_text("0;1\n", "bad.txt:1: found '0;1'");
  expect_bad_text("0 18446744073709551615\n", "bad.txt:1: found '18446744073709551615'");
  expect_bad_text("0 99999999999999999999\n", "a vertex id (0 to 18446744073709551614)");
}

TEST_F(ImportTest, RefusesALineWithoutEnd) {
  expect_bad_text("0 1\n" + std::string(std::size_t{3} << 20, ' '), "bad.txt:2: found a line of");
}

TEST_F(ImportTest, RefusesFilesWithoutEdges) {
  expect_bad_text("", "found no edges");
  expect_bad_text("# only a comment\n\n", "found no edges");
  expect_refused(write("empty.pairs32", ""), ExitCode::bad_input, "found no edges");
}

TEST_F(ImportTest, RefusesWhatCannotBeRead) {
  expect_refused(root_ / "missing.txt", ExitCode::io, "No such file");
  fs::create_directories(root_ / "a_folder");
  expect_refused(root_ / "a_folder", ExitCode::bad_input, "found a folder");
  expect_refused("/dev/null", ExitCode::bad_input, "found a device or socket");
  expect_refused(write("odd.xyz", std::string("\x01\x02\x00\x03", 4)), ExitCode::bad_input,
                 "give --format");
}

TEST_F(ImportTest, RefusesUnknownFormatsAndExistingGraphs) {
  const fs::path file = write("a.txt", "0 1\n");
  EXPECT_THROW(import_graph(file, graph_, {.format = "snapp"}), Error);
  import_graph(file, graph_, {});
  try {
    import_graph(write("b.txt", "0 1\n1 0\n"), graph_, {});
    ADD_FAILURE() << "an existing graph was replaced";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), HasSubstr("--force"));
  }
  EXPECT_EQ(Container(graph_).facts().edges, 1U);
}

TEST_F(ImportTest, AFailedForcedImportKeepsTheOldGraph) {
  import_graph(write("a.txt", "0 1\n"), graph_, {});
  EXPECT_THROW(import_graph(write("b.txt", "0 1\n1 x\n"), graph_, {.force = true}), Error);
  EXPECT_EQ(Container(graph_).facts().edges, 1U);
}

TEST_F(ImportTest, ReadsPairsOfU32) {
  std::string bytes;
  append<std::uint32_t>(bytes, {3, 1, 0, 5, 3, 0});
  EXPECT_THAT(import(write("a.pairs32", bytes)), ElementsAre(Edge{0, 5}, Edge{3, 0}, Edge{3, 1}));
  EXPECT_EQ(Container(graph_).facts().vertices, 6U);
}

TEST_F(ImportTest, NamesTheOffsetOfBrokenPairs) {
  std::string bytes;
  append<std::uint32_t>(bytes, {3, 1, 0});
  expect_refused(write("cut.bin", bytes), ExitCode::bad_input,
                 "cut.bin at offset 8: found 4 bytes at the end");
  append<std::uint32_t>(bytes, {0xffffffffU});
  expect_refused(
      write("big.bin", bytes), ExitCode::bad_input,
      "big.bin at offset 12: found vertex 4294967295, expected a vertex id (0 to 4294967293)");
}

// 0 -> 1, 0 -> 2, 2 -> 1
std::string directed_sg() {
  std::string bytes;
  append<std::uint8_t>(bytes, {1});
  append<std::int64_t>(bytes, {3, 3});
  append<std::int64_t>(bytes, {0, 2, 2, 3});
  append<std::int32_t>(bytes, {1, 2, 1});
  append<std::int64_t>(bytes, {0, 0, 2, 3});
  append<std::int32_t>(bytes, {0, 2, 0});
  return bytes;
}

// A path of three vertices.
std::string undirected_sg() {
  std::string bytes;
  append<std::uint8_t>(bytes, {0});
  append<std::int64_t>(bytes, {4, 3});
  append<std::int64_t>(bytes, {0, 1, 3, 4});
  append<std::int32_t>(bytes, {1, 0, 2, 1});
  return bytes;
}

void poke(std::string& bytes, std::size_t offset, std::int64_t value, std::size_t size) {
  bytes.replace(offset, size, reinterpret_cast<const char*>(&value), size);
}

TEST_F(ImportTest, ReadsDirectedAndUndirectedSg) {
  EXPECT_THAT(import(write("d.sg", directed_sg())),
              ElementsAre(Edge{0, 1}, Edge{0, 2}, Edge{2, 1}));
  EXPECT_FALSE(Container(graph_).facts().symmetric);
  EXPECT_EQ(import(write("d.sg", directed_sg()), {.symmetric = true}).size(), 6U);
  const std::vector<Edge> path = {{0, 1}, {1, 0}, {1, 2}, {2, 1}};
  EXPECT_EQ(import(write("u.sg", undirected_sg())), path);
  EXPECT_TRUE(Container(graph_).facts().symmetric);
  EXPECT_EQ(import(write("u.sg", undirected_sg()), {.symmetric = true}), path);
}

TEST_F(ImportTest, RefusesEveryCutOfAnSgFile) {
  const std::string whole = directed_sg();
  for (std::size_t size = 1; size < whole.size(); ++size) {
    expect_refused(write("cut.sg", whole.substr(0, size)), ExitCode::bad_input, "cut.sg at offset");
  }
  expect_refused(write("long.sg", whole + "x"), ExitCode::bad_input, "bytes in all");
}

TEST_F(ImportTest, NamesTheOffsetOfBrokenSg) {
  const auto refuse = [&](std::size_t offset, std::int64_t value, std::size_t size,
                          const std::string& text) {
    std::string bytes = undirected_sg();
    poke(bytes, offset, value, size);
    expect_refused(write("bad.sg", bytes), ExitCode::bad_input, text);
  };
  refuse(0, 2, 1, "at offset 0: found 2");
  refuse(1, -4, 8, "at offset 1: found -4 edges");
  refuse(1, 0, 8, "at offset 1: found no edges");
  refuse(9, std::int64_t{1} << 40, 8,
         "at offset 9: found 1099511627776 vertices, expected 0 to 4294967294");
  refuse(17, 1, 8, "at offset 17: found list offset 1");
  refuse(25, 9, 8, "at offset 25: found list offset 9");
  refuse(33, 0, 8, "at offset 33: found list offset 0, expected 1 to 4");
  refuse(41, 3, 8, "at offset 41: found list offset 3, expected 4 to 4");
  refuse(49, -1, 4, "at offset 49: found vertex -1");
  refuse(53, 3, 4, "at offset 53: found vertex 3, expected a vertex id (0 to 2)");
  refuse(49, 2, 4, "edges without their mirror");
}

}  // namespace
}  // namespace outcore
