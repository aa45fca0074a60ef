// SPDX-License-Identifier: Apache-2.0
#include "storage/container/container.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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

  // The message of opening or checking the container, which must be bad_input.
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

TEST_F(ContainerTest, HoldsAWeightForEachEdgeOfBothDirections) {
  const std::vector<WeightedEdge> edges = {{2, 0, -1.5F}, {0, 1, 0.25F}, {1, 0, 7}, {1, 2, 3}};
  make_weighted_container(folder_, 4, edges, false);
  Container container(folder_);
  EXPECT_TRUE(container.facts().weighted);
  const CsrView out = container.csr(Direction::out);
  EXPECT_THAT(out.list(1), ElementsAre(0, 2));
  EXPECT_THAT(out.weights(1), ElementsAre(7, 3));
  EXPECT_THAT(out.weights(2), ElementsAre(-1.5F));
  EXPECT_TRUE(out.weights(3).empty());
  const CsrView in = container.csr(Direction::in);
  EXPECT_THAT(in.list(0), ElementsAre(1, 2));
  EXPECT_THAT(in.weights(0), ElementsAre(7, -1.5F));
  EXPECT_EQ(complaint(), "nothing");

  make_container(root_ / "bare", 5, edges_, false);
  Container bare(root_ / "bare");
  EXPECT_FALSE(bare.facts().weighted);
  EXPECT_TRUE(bare.csr(Direction::out).weights(0).empty());
  EXPECT_FALSE(fs::exists(root_ / "bare" / "out.weights"));
}

TEST_F(ContainerTest, TheLeastWeightOfDuplicatesStays) {
  const std::vector<WeightedEdge> edges = {{0, 1, 3}, {0, 1, -2}, {0, 1, 0.5F}, {1, 0, 1}};
  for (const bool drop : {false, true}) {
    for (const Edges kind : {Edges::directed, Edges::mirrored}) {
      BuildOptions options;
      options.edges = kind;
      options.drop_duplicates = drop;
      options.weighted = options.force = true;
      ContainerBuilder builder(folder_, options);
      builder.add_weighted(edges);
      builder.finish(2);
      Container container(folder_);
      const auto of_0 = container.csr(Direction::out).weights(0);
      const auto of_1 = container.csr(Direction::out).weights(1);
      if (kind == Edges::mirrored && drop) {
        EXPECT_THAT(of_0, ElementsAre(-2));
        EXPECT_THAT(of_1, ElementsAre(-2));
      } else if (kind == Edges::mirrored) {
        EXPECT_THAT(of_0, ElementsAre(-2, 0.5F, 1, 3));
      } else if (drop) {
        EXPECT_THAT(of_0, ElementsAre(-2));
        EXPECT_THAT(of_1, ElementsAre(1));
      } else {
        EXPECT_THAT(of_0, ElementsAre(-2, 0.5F, 3));
        EXPECT_THAT(container.csr(Direction::in).weights(1), ElementsAre(-2, 0.5F, 3));
      }
      EXPECT_EQ(complaint(), "nothing");
    }
  }
}

TEST_F(ContainerTest, SymmetricMeansThatWeightsAreToo) {
  BuildOptions options;
  options.edges = Edges::symmetric;
  options.weighted = options.force = true;
  const auto build = [&](float there, float back) {
    ContainerBuilder builder(folder_, options);
    builder.add_weighted(std::vector<WeightedEdge>{{0, 1, there}, {1, 0, back}, {1, 1, 9}});
    builder.finish(2);
  };
  build(2, 2);
  EXPECT_EQ(complaint(), "nothing");
  EXPECT_THROW(build(2, 2.5F), Error);
}

TEST_F(ContainerTest, CheckNamesTheFirstBrokenWeight) {
  const std::vector<WeightedEdge> edges = {{0, 1, 1}, {0, 1, 2}, {1, 2, 5}};
  make_weighted_container(folder_, 3, edges, true);  // 0: 1 1; 1: 0 0 2; 2: 1
  const auto with = [&](std::size_t edge, float wrong, float right) {
    set<float>("out.weights", edge, wrong);
    const std::string text = complaint();
    set<float>("out.weights", edge, right);
    return text;
  };
  EXPECT_THAT(with(4, std::nanf(""), 5), HasSubstr("out.weights at offset 16: found weight nan"));
  EXPECT_THAT(with(0, -INFINITY, 1),
              HasSubstr("at offset 0: found weight -inf, expected a finite"));
  EXPECT_THAT(with(1, 0.5F, 2),
              HasSubstr("found weight 0.5 after 1 of parallel edges 0 -> 1, expected ascending"));
  EXPECT_THAT(with(4, 6, 5), HasSubstr("at offset 16: found weight 6 of edge 1 -> 2, expected the "
                                       "weight of its mirror in the list of 2"));
  EXPECT_EQ(complaint(), "nothing");
  make_weighted_container(root_ / "directed", 3, edges, false);
  folder_ = root_ / "directed";
  set<float>("in.weights", 2, 6);
  EXPECT_THAT(complaint(), HasSubstr("out.weights at offset 8: found weight 5 of edge 1 -> 2"));
}

TEST_F(ContainerTest, WeightedGraphsAreTheSameForEveryOrderMemoryAndThreadCount) {
  std::vector<WeightedEdge> edges;
  for (std::uint64_t i = 0; i < 200000; ++i) {
    edges.push_back({static_cast<VertexId>(mix(i) % 300), static_cast<VertexId>(mix(~i) % 300),
                     static_cast<float>(mix(i * 3) % 1000) - 500});
  }
  std::vector<std::string> hashes;
  for (const unsigned threads : {1U, 2U, 7U}) {
    BuildOptions options;
    options.memory = threads == 1 ? kLeastSortMemory : std::uint64_t{64} << 20;
    options.threads = threads;
    options.weighted = options.force = true;
    std::reverse(edges.begin(), edges.end());
    ContainerBuilder builder(folder_, options);
    builder.add_weighted(edges);
    builder.finish(300);
    std::string hash;
    for (const char* name : {"out.targets", "out.weights", "in.targets", "in.weights"}) {
      hash += hash_file(folder_ / name);
    }
    hashes.push_back(hash);
  }
  EXPECT_EQ(complaint(), "nothing");
  EXPECT_EQ(hashes[1], hashes[0]);
  EXPECT_EQ(hashes[2], hashes[0]);
}

TEST_F(ContainerTest, BuilderSortsMoreThanItsMemoryHolds) {
  BuildOptions options;
  options.memory = kLeastSortMemory;
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
  for (const int version : {kContainerVersion - 1, kContainerVersion + 1}) {
    edit_json([&](auto& json) { json["version"] = version; });
    EXPECT_THAT(complaint(), HasSubstr(fmt::format("found version {}, expected version {}", version,
                                                   kContainerVersion)));
    EXPECT_THAT(complaint(), HasSubstr("import or generate the graph again"));
  }
  for (const char* field : {"edges", "weighted"}) {
    edit_json([&](auto& json) {
      json["version"] = kContainerVersion;
      json.erase(field);
    });
    EXPECT_THAT(complaint(), HasSubstr(fmt::format("'{}'", field)));
    edit_json([&](auto& json) { json[field] = 4; });
  }
}

TEST_F(ContainerTest, CheckSeesAnyChangeOfTheManifest) {
  make_container(folder_, 5, edges_, false);
  EXPECT_EQ(complaint(), "nothing");
  edit_json([](auto& json) { json["provenance"]["seed"] = 8; });
  EXPECT_THAT(complaint(), HasSubstr("graph.json: found seal xxh3:"));
  edit_json([](auto& json) { json.erase("seal"); });
  EXPECT_THAT(complaint(), HasSubstr("'seal'"));
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

// Broken offsets are found before any code follows them.
TEST_F(ContainerTest, ListsThatLeaveTheTargetsAreRefusedWhereTheyAreMapped) {
  make_container(folder_, 3, std::vector<Edge>{{0, 1}, {1, 2}}, false);
  set("out.offsets", 1, EdgeIndex{9});
  Container container(folder_);
  EXPECT_THROW((void)container.csr(Direction::out), Error);
  EXPECT_THROW((void)container.csr(Direction::out), Error) << "the second time too";
  EXPECT_EQ(container.csr(Direction::in).edges(), 2U);
  // Times 4 bytes this wraps to the size of the file in 64 bits.
  set("out.offsets", 1, EdgeIndex{1});
  set("out.offsets", 3, (EdgeIndex{1} << 62) + 2);
  edit_json([](auto& json) { json["edges"] = (std::uint64_t{1} << 62) + 2; });
  EXPECT_THAT(complaint(), HasSubstr("4611686018427387906 edges"));
}

TEST_F(ContainerTest, CheckSeesAMissingMirror) {
  make_container(folder_, 5, edges_, true);
  EXPECT_EQ(complaint(), "nothing");
  set<VertexId>("out.targets", 0, 0);  // 0: 1 2 4 becomes 0 2 4
  EXPECT_THAT(complaint(), HasSubstr("found edge 1 -> 0, expected its mirror in the list of 0"));
}

TEST_F(ContainerTest, CheckNamesInvariantsThatHeld) {
  make_container(folder_, 5, edges_, true);
  std::vector<std::string> held;
  check_container(folder_, [&](const std::string& line) { held.push_back(line); });
  EXPECT_THAT(held, ElementsAre("out: file sizes", HasSubstr("offsets ascend"),
                                HasSubstr("lists ascend"), HasSubstr("symmetric"),
                                HasSubstr("loops and parallel edges"), "checksums of all files"));
}

}  // namespace
}  // namespace outcore
