// SPDX-License-Identifier: Apache-2.0
#include "storage/container/container.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "common/error.h"
#include "common/files.h"
#include "common/hash.h"
#include "storage/container/builder.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ContainerTest : public testing::Test {
 protected:
  ContainerTest() { fs::remove_all(root_); }

  // What opening or checking says, and that it is bad input.
  std::string complaint() {
    try {
      check_container(folder_, [](const std::string&) {});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      return error.what();
    }
    return "nothing";
  }
  void edit_json(const std::function<void(nlohmann::json&)>& edit) {
    nlohmann::json json = read_json(folder_ / "graph.json");
    edit(json);
    write_json_atomically(folder_ / "graph.json", json);
  }
  template <typename T>
  void set(const std::string& file, std::size_t at, T value) {
    std::fstream stream(folder_ / file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(at * sizeof(T)));
    stream.write(reinterpret_cast<const char*>(&value), sizeof value);
  }

  fs::path root_ = fs::path(testing::TempDir()) / "container_test";
  fs::path folder_ = root_ / "graph";
  std::vector<Edge> edges_ = {{0, 1}, {0, 2}, {1, 2}, {4, 0}};
};

TEST_F(ContainerTest, HoldsListsOfBothDirections) {
  make_container(folder_, 5, edges_, false);
  Container container(folder_);
  EXPECT_EQ(container.facts().name, "graph");
  EXPECT_EQ(container.facts().edges, 4U);
  EXPECT_THAT(container.csr(Direction::out).list(0), ElementsAre(1, 2));
  EXPECT_THAT(container.csr(Direction::in).list(2), ElementsAre(0, 1));
  EXPECT_TRUE(container.csr(Direction::out).list(3).empty());
  EXPECT_TRUE(container.ids().empty());
  EXPECT_EQ(complaint(), "nothing");
}

TEST_F(ContainerTest, BuilderDropsLoopsAndDuplicatesOnlyWhenAsked) {
  const std::vector<Edge> edges = {{1, 0}, {0, 1}, {0, 1}, {1, 1}};
  for (const bool drop : {false, true}) {
    BuildOptions options;
    options.edges = Edges::mirrored;
    options.drop_loops = options.drop_duplicates = drop;
    options.force = true;
    ContainerBuilder builder(folder_, options);
    builder.add(edges);
    builder.finish(2);
    EXPECT_EQ(Container(folder_).facts().edges, drop ? 2U : 7U);
    EXPECT_EQ(complaint(), "nothing");
  }
}

TEST_F(ContainerTest, BuilderSortsMoreThanItsMemoryHolds) {
  BuildOptions options;
  options.memory = ExternalSort::kLeastMemory;
  constexpr VertexId kVertices = 1000;
  std::vector<Edge> edges;
  for (std::uint64_t i = 0; i < 300000; ++i) {
    edges.emplace_back(mix(i) % kVertices, mix(~i) % kVertices);
  }
  {
    ContainerBuilder builder(folder_, options);
    builder.add(edges);
    builder.finish(kVertices);
  }
  EXPECT_EQ(Container(folder_).facts().edges, edges.size());
  EXPECT_EQ(complaint(), "nothing");  // in-lists included
  EXPECT_FALSE(fs::exists(folder_ / "scratch"));
}

TEST_F(ContainerTest, AnUnfinishedBuildLeavesNothing) {
  {
    ContainerBuilder builder(folder_, {});
    builder.add(edges_);
  }
  EXPECT_TRUE(fs::is_empty(root_));
}

TEST_F(ContainerTest, AFailedForcedBuildKeepsTheOldGraph) {
  make_container(folder_, 5, edges_, false);
  {
    BuildOptions options;
    options.edges = Edges::symmetric;
    options.force = true;
    ContainerBuilder builder(folder_, options);
    builder.add(edges_);
    EXPECT_THROW(builder.finish(5), Error);  // not symmetric
  }
  EXPECT_EQ(complaint(), "nothing");
}

TEST_F(ContainerTest, RefusesWhatIsNoContainer) {
  EXPECT_THAT(complaint(), HasSubstr("found nothing, expected the folder of a graph"));
  fs::create_directories(folder_);
  EXPECT_THAT(complaint(), HasSubstr("no graph.json"));
  std::ofstream(folder_ / "graph.json") << "{\"version\": 1";
  EXPECT_THAT(complaint(), HasSubstr("broken JSON"));
}

TEST_F(ContainerTest, RefusesOtherVersionsAndMissingFields) {
  make_container(folder_, 5, edges_, false);
  edit_json([](auto& json) { json["version"] = 2; });
  EXPECT_THAT(complaint(), HasSubstr("found version 2, expected version 1"));
  edit_json([](auto& json) {
    json["version"] = 1;
    json.erase("edges");
  });
  EXPECT_THAT(complaint(), HasSubstr("'edges'"));
}

TEST_F(ContainerTest, CheckSeesAFlippedByteInEveryFile) {
  BuildOptions options;
  ContainerBuilder builder(folder_, options);
  builder.add(edges_);
  builder.finish(5, std::vector<std::uint64_t>{10, 20, 30, 40, 50});
  EXPECT_EQ(complaint(), "nothing");
  std::size_t flipped = 0;
  for (const char* name : {"out.offsets", "out.targets", "in.offsets", "in.targets", "ids"}) {
    const std::uint64_t size = fs::file_size(folder_ / name);
    for (const std::uint64_t at : {std::uint64_t{0}, size / 2, size - 1}) {
      std::ifstream stream(folder_ / name, std::ios::binary);
      stream.seekg(static_cast<std::streamoff>(at));
      const auto byte = static_cast<std::uint8_t>(stream.get());
      set<std::uint8_t>(name, at, byte ^ 4);
      EXPECT_NE(complaint(), "nothing") << name << " byte " << at;
      set<std::uint8_t>(name, at, byte);
      ++flipped;
    }
  }
  EXPECT_EQ(flipped, 15U);
  EXPECT_EQ(complaint(), "nothing");
}

TEST_F(ContainerTest, CheckNamesTheFirstBrokenPlace) {
  make_container(folder_, 5, edges_, false);
  set<EdgeIndex>("out.offsets", 2, 9);
  EXPECT_THAT(complaint(), HasSubstr("out.offsets at offset 16: found list offset 9"));
  set<EdgeIndex>("out.offsets", 2, 3);
  set<VertexId>("out.targets", 1, 5);
  EXPECT_THAT(complaint(), HasSubstr("out.targets at offset 4: found vertex 5, expected 0 to 4"));
  set<VertexId>("out.targets", 1, 0);
  EXPECT_THAT(complaint(), HasSubstr("vertex 0 after 1 in the list of 0, expected ascending"));
  set<VertexId>("out.targets", 1, 3);
  EXPECT_THAT(complaint(), HasSubstr("out.targets at offset 4: found edge 0 -> 3"));
  fs::resize_file(folder_ / "out.targets", 12);
  EXPECT_THAT(complaint(), HasSubstr("out.targets: found 12 bytes, expected 16 bytes"));
}

TEST_F(ContainerTest, CheckSeesAMissingMirror) {
  make_container(folder_, 5, edges_, true);
  EXPECT_EQ(complaint(), "nothing");
  set<VertexId>("out.targets", 0, 0);  // 0: 1 2 4 becomes 0 2 4
  EXPECT_THAT(complaint(), HasSubstr("found edge 1 -> 0, expected its mirror in the list of 0"));
}

TEST_F(ContainerTest, CheckNamesInvariantsThatHeldAndLooksAtEveryLayout) {
  make_container(folder_, 5, edges_, true);
  std::vector<std::string> held;
  check_container(folder_, [&](const std::string& line) { held.push_back(line); });
  EXPECT_THAT(held,
              ElementsAre("out: file sizes", HasSubstr("offsets ascend"), HasSubstr("lists ascend"),
                          HasSubstr("symmetric"), "checksums of all files"));
  fs::create_directories(folder_ / "layouts" / "x");
  write_json_atomically(folder_ / "layouts" / "x" / "layout.json", {{"version", 7}});
  EXPECT_THAT(complaint(), HasSubstr("version 7"));
}

TEST_F(ContainerTest, EqualDegreesHaveNeitherDeviationNorSkewness) {
  make_container(folder_, 3, std::vector<Edge>{{0, 1}, {1, 2}, {2, 0}}, false);
  Container container(folder_);
  const DegreeStats stats = degree_stats(container.csr(Direction::out));
  EXPECT_EQ(stats.deviation, 0);
  EXPECT_EQ(stats.skewness, 0);
  EXPECT_EQ(stats.share_of_mini, 1);
}

TEST_F(ContainerTest, DegreeStatsAreThoseOfTheLists) {
  // Degrees 2, 1, 0, 0, 1 and a vertex of degree 5.
  for (VertexId v = 0; v < 5; ++v) edges_.emplace_back(5, v);
  make_container(folder_, 6, edges_, false);
  Container container(folder_);
  const DegreeStats stats = degree_stats(container.csr(Direction::out));
  EXPECT_EQ(stats.least, 0U);
  EXPECT_EQ(stats.median, 1U);
  EXPECT_EQ(stats.mean, 1.5);
  EXPECT_EQ(stats.most, 5U);
  EXPECT_THAT(stats.histogram, ElementsAre(2, 2, 1, 1));
  // Differences from 1.5: squares 17.5 in all, cubes 36.
  EXPECT_DOUBLE_EQ(stats.deviation, std::sqrt(17.5 / 6));
  EXPECT_DOUBLE_EQ(stats.skewness, 36.0 / 6 / std::pow(17.5 / 6, 1.5));
  EXPECT_DOUBLE_EQ(stats.share_of_mini, 5.0 / 6);
}

}  // namespace
}  // namespace outcore
