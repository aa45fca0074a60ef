// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/export.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>

#include "common/error.h"
#include "common/hash.h"
#include "storage/formats/import.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ExportTest : public testing::Test {
 protected:
  ExportTest() {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }

  // With `weight`, a weighted graph; it maps an edge's number to its weight.
  void make_random(VertexId vertices, std::uint64_t edges, bool symmetric,
                   const std::function<float(std::uint64_t)>& weight = {}) {
    std::vector<Edge> list;
    for (std::uint64_t i = 0; i < edges; ++i) {
      // Low ids are more frequent, so that hubs, duplicates and loops occur.
      const auto end = [&](std::uint64_t r) { return static_cast<VertexId>(r % vertices); };
      list.emplace_back(end(mix(i) % (vertices / 2 + 1)), end(mix(~i)));
    }
    list.emplace_back(vertices - 1, 0);
    fs::remove_all(graph_);
    if (!weight) {
      make_container(graph_, vertices, list, symmetric);
      return;
    }
    std::vector<WeightedEdge> weighted;
    for (const auto& [source, target] : list) {
      weighted.push_back({source, target, weight(weighted.size())});
    }
    make_weighted_container(graph_, vertices, weighted, symmetric);
  }
  static std::string bytes_of(const fs::path& file) {
    std::stringstream bytes;
    bytes << std::ifstream(file, std::ios::binary).rdbuf();
    return bytes.str();
  }
  // Exports the graph and imports it again; it must be identical, to the byte.
  void expect_round_trip(const std::string& file, ImportOptions options = {}) {
    options.force = true;
    export_graph(graph_, root_ / file, {.force = true});
    import_graph(root_ / file, back_, options);
    check_container(back_, [](const std::string&) {});
    for (const char* part : {"out.offsets", "out.targets", "out.weights", "in.offsets",
                             "in.targets", "in.weights", "ids"}) {
      ASSERT_EQ(fs::exists(back_ / part), fs::exists(graph_ / part)) << file << " " << part;
      if (fs::exists(graph_ / part)) {
        EXPECT_EQ(hash_file(back_ / part), hash_file(graph_ / part)) << file << " " << part;
      }
    }
  }
  // The export is refused with this code and text, and leaves nothing.
  void expect_refused(const fs::path& file, const ExportOptions& options, ExitCode code,
                      const std::string& text) {
    try {
      export_graph(graph_, file, options);
      ADD_FAILURE() << file << " was written, expected: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(text));
    }
    EXPECT_FALSE(fs::exists(fmt::format("{}.pending-{}", file.string(), ::getpid())));
  }
  void expect_import_refused(const std::string& bytes, const std::string& text) {
    const fs::path file = root_ / "bad.csr64";
    std::ofstream(file, std::ios::binary) << bytes;
    try {
      import_graph(file, back_, {.force = true});
      ADD_FAILURE() << "accepted, expected: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(text));
    }
    EXPECT_FALSE(fs::exists(back_));
  }

  fs::path root_ = fs::path(testing::TempDir()) / "export_test";
  fs::path graph_ = root_ / "graph";
  fs::path back_ = root_ / "back";
};

TEST_F(ExportTest, DirectedGraphsComeBackFromEveryFormat) {
  make_random(3000, 300000, false);
  for (const char* file : {"g.pairs32", "g.csr64", "g.sg", "g.txt", "g.el"}) {
    expect_round_trip(file);
  }
}

TEST_F(ExportTest, SymmetricGraphsComeBackFromEveryFormat) {
  make_random(3000, 200000, true);
  for (const char* file : {"g.pairs32", "g.csr64", "g.txt", "g.el"}) {
    expect_round_trip(file, {.symmetrised = true});
  }
  expect_round_trip("g.sg");
}

TEST_F(ExportTest, WeightedGraphsComeBackFromTheFormatsThatHaveWeights) {
  for (const bool symmetric : {false, true}) {
    make_random(3000, 200000, symmetric,
                [](std::uint64_t i) { return static_cast<float>(mix(i) % 100000) / 7 - 5000; });
    expect_round_trip("g.wel", {.symmetrised = symmetric});
    make_random(3000, 200000, symmetric,
                [](std::uint64_t i) { return static_cast<float>(mix(i) % 100) - 50; });
    expect_round_trip("g.wsg");
    expect_round_trip("g.wel", {.symmetrised = symmetric});
  }
}

TEST_F(ExportTest, OtherFormatsLeaveWeightsOut) {
  make_weighted_container(graph_, 3, std::vector<WeightedEdge>{{0, 1, 2}, {2, 1, 3}}, false);
  for (const char* file : {"g.pairs32", "g.csr64", "g.sg", "g.el", "g.txt"}) {
    export_graph(graph_, root_ / file, {});
    import_graph(root_ / file, back_, {.force = true});
    EXPECT_EQ(hash_file(back_ / "out.targets"), hash_file(graph_ / "out.targets")) << file;
    EXPECT_FALSE(Container(back_).facts().weighted);
  }
}

TEST_F(ExportTest, WeightedFormatsAreWhatTheirNamesSay) {
  make_weighted_container(graph_, 3, std::vector<WeightedEdge>{{0, 2, 0.1F}, {2, 1, -3}}, false);
  export_graph(graph_, root_ / "g.wel", {});
  EXPECT_EQ(bytes_of(root_ / "g.wel"), "0 2 0.1\n2 1 -3\n");
  export_graph(graph_, root_ / "g.adj", {});
  EXPECT_EQ(bytes_of(root_ / "g.adj"), "WeightedAdjacencyGraph\n3\n2\n0\n1\n1\n2\n1\n0.1\n-3\n");
  expect_refused(root_ / "g.wsg", {}, ExitCode::usage,
                 "weight 0.1 of edge 0 -> 2, expected a whole number of 32 bits");
  fs::remove_all(graph_);
  make_weighted_container(graph_, 2, std::vector<WeightedEdge>{{0, 1, 2147483648.0F}}, false);
  expect_refused(root_ / "g.wsg", {}, ExitCode::usage, "expected a whole number of 32 bits");
  fs::remove_all(graph_);
  make_container(graph_, 2, std::vector<Edge>{{0, 1}}, false);
  for (const char* format : {"wel", "wsg"}) {
    expect_refused(root_ / "new", {.format = format}, ExitCode::usage, "a graph without weights");
  }
}

TEST_F(ExportTest, IsolatedVerticesComeBackFromTheFormatsThatCountVertices) {
  make_container(graph_, 9, std::vector<Edge>{{2, 3}, {3, 3}, {3, 3}}, false);
  for (const char* file : {"g.csr64", "g.sg"}) expect_round_trip(file);
}

TEST_F(ExportTest, SnapHasTheIdsOfTheImportedFile) {
  std::ofstream(root_ / "sparse.txt") << "7000000000 12\n12 999\n999 999\n";
  import_graph(root_ / "sparse.txt", graph_, {});
  expect_round_trip("back.txt");
  EXPECT_EQ(bytes_of(root_ / "back.txt"),
            "# Nodes: 3 Edges: 3\n# FromNodeId\tToNodeId\n"
            "12\t999\n999\t999\n7000000000\t12\n");
}

TEST_F(ExportTest, AdjIsLigrasText) {
  make_container(graph_, 4, std::vector<Edge>{{0, 3}, {0, 1}, {2, 0}}, false);
  export_graph(graph_, root_ / "g.adj", {});
  EXPECT_EQ(bytes_of(root_ / "g.adj"), "AdjacencyGraph\n4\n3\n0\n2\n2\n3\n1\n3\n0\n");
}

TEST_F(ExportTest, BinaryFormatsAreWhatTheirNamesSay) {
  make_container(graph_, 3, std::vector<Edge>{{0, 2}, {2, 1}}, false);
  export_graph(graph_, root_ / "g.bin", {});
  EXPECT_EQ(bytes_of(root_ / "g.bin"), std::string("\0\0\0\0\2\0\0\0\2\0\0\0\1\0\0\0", 16));
  export_graph(graph_, root_ / "raw", {.format = "csr64"});
  EXPECT_EQ(bytes_of(root_ / "raw"),
            bytes_of(graph_ / "out.offsets") + bytes_of(graph_ / "out.targets"));
}

TEST_F(ExportTest, AGraphWithoutVerticesIsWritten) {
  make_container(graph_, 0, {}, false);
  export_graph(graph_, root_ / "g.adj", {});
  EXPECT_EQ(bytes_of(root_ / "g.adj"), "AdjacencyGraph\n0\n0\n");
  export_graph(graph_, root_ / "g.bin", {});
  EXPECT_EQ(fs::file_size(root_ / "g.bin"), 0U);
}

TEST_F(ExportTest, RefusesToReplaceAFileWithoutForceAndAnythingElseAlways) {
  make_container(graph_, 2, std::vector<Edge>{{0, 1}}, false);
  std::ofstream(root_ / "there.txt") << "precious";
  expect_refused(root_ / "there.txt", {}, ExitCode::usage, "there.txt exists; give --force");
  EXPECT_EQ(bytes_of(root_ / "there.txt"), "precious");
  export_graph(graph_, root_ / "there.txt", {.force = true});
  EXPECT_THAT(bytes_of(root_ / "there.txt"), HasSubstr("0\t1\n"));
  expect_refused(root_, {.format = "sg", .force = true}, ExitCode::usage, "is a folder");
  ASSERT_EQ(::mkfifo((root_ / "pipe").c_str(), 0600), 0);
  expect_refused(root_ / "pipe", {.format = "sg", .force = true}, ExitCode::usage, "is a pipe");
  expect_refused(root_ / "there.txt" / "g.sg", {}, ExitCode::io, "there.txt");
  export_graph(graph_, root_ / "new" / "g.sg", {});
  EXPECT_TRUE(fs::exists(root_ / "new" / "g.sg"));
}

TEST_F(ExportTest, RefusesUnknownFormats) {
  make_container(graph_, 2, std::vector<Edge>{{0, 1}}, false);
  expect_refused(root_ / "g.xyz", {}, ExitCode::usage, "give --format");
  expect_refused(root_ / "g.sg", {.format = "ligra"}, ExitCode::usage, "unknown format 'ligra'");
}

TEST_F(ExportTest, TheRemainsOfAKilledExportAreReplaced) {
  make_container(graph_, 2, std::vector<Edge>{{0, 1}}, false);
  const fs::path remains = root_ / "g.bin.pending-99999999";  // no process has this number
  std::ofstream(remains) << std::string(100, 'x');
  export_graph(graph_, root_ / "g.bin", {});
  EXPECT_EQ(fs::file_size(root_ / "g.bin"), 8U);
  EXPECT_FALSE(fs::exists(remains));
}

TEST_F(ExportTest, ABrokenOffsetIsNamedAndNothingIsWritten) {
  make_container(graph_, 3, std::vector<Edge>{{0, 1}, {1, 2}}, false);
  std::fstream offsets(graph_ / "out.offsets", std::ios::in | std::ios::out | std::ios::binary);
  offsets.seekp(8);
  offsets.put('\x63');
  offsets.close();
  expect_refused(root_ / "g.sg", {}, ExitCode::bad_input,
                 "out.offsets at offset 8: found list offset 99, expected 0 to 2");
  EXPECT_FALSE(fs::exists(root_ / "g.sg"));
}

// 0 -> 1, 2; 2 -> 1
std::string csr64_bytes() {
  std::string bytes(4 * 8 + 3 * 4, '\0');
  const std::vector<std::uint64_t> offsets = {0, 2, 2, 3};
  const std::vector<std::uint32_t> targets = {1, 2, 1};
  std::memcpy(bytes.data(), offsets.data(), 32);
  std::memcpy(bytes.data() + 32, targets.data(), 12);
  return bytes;
}

TEST_F(ExportTest, EveryCutOfACsr64FileIsRefused) {
  const std::string whole = csr64_bytes();
  for (std::size_t size = 1; size < whole.size(); ++size) {
    expect_import_refused(whole.substr(0, size), "bad.csr64");
  }
  expect_import_refused(whole + "x", "bad.csr64");
}

TEST_F(ExportTest, TheOffsetOfABrokenCsr64FileIsNamed) {
  const auto refuse = [&](std::size_t at, char value, const std::string& text) {
    std::string bytes = csr64_bytes();
    bytes[at] = value;
    expect_import_refused(bytes, text);
  };
  refuse(0, 1, "at offset 0: found list offset 1, expected 0 to 0");
  refuse(16, 1, "at offset 16: found list offset 1, expected 2 to");
  refuse(15, 1, "at offset 8: found list offset 72057594037927938");
  refuse(36, 3, "at offset 36: found vertex 3, expected a vertex id (0 to 2)");
}

TEST_F(ExportTest, WhatIsSaidToBeSymmetrisedIsChecked) {
  std::ofstream(root_ / "a.txt") << "0 1\n1 0\n1 2\n";
  EXPECT_THROW(import_graph(root_ / "a.txt", back_, {.symmetrised = true}), Error);
  EXPECT_THROW(import_graph(root_ / "a.txt", back_, {.symmetric = true, .symmetrised = true}),
               Error);
  EXPECT_FALSE(fs::exists(back_));
}

}  // namespace
}  // namespace outcore
