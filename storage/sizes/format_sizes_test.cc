// SPDX-License-Identifier: Apache-2.0
// All expected sizes are counted by hand, in the comments.
#include "storage/sizes/format_sizes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "storage/container/builder.h"
#include "storage/container/container.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;

class FormatSizes : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }

  std::map<std::string, FormatSize> sizes(VertexId vertices, const std::vector<Edge>& edges,
                                          bool symmetric) {
    make(vertices, edges, symmetric);
    std::map<std::string, FormatSize> by_name;
    for (const FormatSize& size : format_sizes(lists(), 2)) by_name[size.name] = size;
    return by_name;
  }

  void make(VertexId vertices, const std::vector<Edge>& edges, bool symmetric) {
    fs::remove_all(folder_);
    make_container(folder_, vertices, edges, symmetric);
    container_.emplace(folder_);
  }

  NumberedLists lists() {
    const CsrView out = container_->csr(Direction::out);
    const CsrView in = container_->csr(Direction::in);
    return {{out, in, {}, {}}, {in, out, {}, {}}, container_->facts().symmetric};
  }

  fs::path folder_ = fs::path(testing::TempDir()) / "format_sizes_test";
  std::optional<Container> container_;
};

// Out-lists: 1: 2 5 300; 5: 1. In-lists: 1: 5; 2: 1; 5: 1; 300: 1.
TEST_F(FormatSizes, OfADirectedGraph) {
  auto of = sizes(301, {{1, 2}, {1, 5}, {1, 300}, {5, 1}}, false);
  EXPECT_EQ(of["edge list"].total(), 4 * 8U);
  EXPECT_EQ(of["CSR"].edge_bytes, 2 * 4 * 4U);
  EXPECT_EQ(of["CSR"].index_bytes, 2 * 302 * 8U);
  // Out 1 + 1 + 2 (the paper's example) and 1; in 1 each.
  EXPECT_EQ(of["LOSC"].edge_bytes, 4 + 1 + 4U);
  EXPECT_EQ(of["LOSC"].index_bytes, 2 * 302 * 8U);
  // Out: 1; 1 + 1; 1 + 2 and 1 for -4. In: 1 each for 4, -1 and -4, but two bytes for 1 - 300.
  EXPECT_EQ(of["Ligra+"].edge_bytes, 6 + 1 + 3 + 2U);
  EXPECT_EQ(of["Ligra+"].index_bytes, 2 * (302 * 8 + 301 * 4U));
  EXPECT_EQ(of["G-Store"].edge_bytes, 4 * 4U);   // out-edges only
  EXPECT_EQ(of["G-Store"].index_bytes, 2 * 8U);  // one tile: begin and end
}

// Lists: 0: 1 2; 1: 0 2; 2: 0 1 2, where the last is a loop.
TEST_F(FormatSizes, OfAnUndirectedGraphKeepOneCopyWhereTheSystemDoes) {
  auto of = sizes(3, {{0, 1}, {0, 2}, {1, 2}, {2, 2}}, true);
  EXPECT_EQ(of["edge list"].total(), 7 * 8U);
  EXPECT_EQ(of["CSR"].total(), 7 * 4 + 4 * 8U);
  EXPECT_EQ(of["LOSC"].total(), 7 * 1 + 4 * 8U);
  // 1 + (1 + 1), 1 + (1 + 1), 1 + (1 + 2).
  EXPECT_EQ(of["Ligra+"].total(), 3 + 3 + 4 + 4 * 8 + 3 * 4U);
  EXPECT_EQ(of["G-Store"].edge_bytes, 4 * 4U);  // 0-1, 0-2, 1-2, 2-2
  EXPECT_EQ(of["G-Store"].index_bytes, 2 * 8U);
}

TEST_F(FormatSizes, OfGStoreCountTilesOfTheUpperTriangle) {
  // 65,537 vertices need two tiles per side: three in the upper triangle, four for a directed
  // graph.
  EXPECT_EQ(sizes(65537, {{0, 65536}}, true)["G-Store"].index_bytes, (3 + 1) * 8U);
  EXPECT_EQ(sizes(65537, {{0, 65536}}, false)["G-Store"].index_bytes, (4 + 1) * 8U);
  EXPECT_EQ(sizes(65536, {{0, 65535}}, false)["G-Store"].index_bytes, (1 + 1) * 8U);
  EXPECT_EQ(sizes(0, {}, true)["G-Store"].total(), 8U);
}

TEST_F(FormatSizes, OfCodecsAreThoseOfTheNumbering) {
  make(301, {{1, 2}, {1, 5}, {1, 300}}, false);
  const auto bytes = [&](const NumberedGraph& graph) {
    std::map<std::string, std::uint64_t> by_name;
    for (const CodecSize& size : codec_sizes(graph, 1)) by_name[size.codec] = size.bytes;
    return by_name;
  };
  auto original = bytes(lists().out);
  EXPECT_EQ(original["raw"], 12U);
  EXPECT_EQ(original["varint"], 4U);
  EXPECT_EQ(original["svb"], 5U);
  // After renumbering 300 to 6 and 6 to 300, the list is 2, 5, 6.
  std::vector<VertexId> swapped(301);
  for (VertexId v = 0; v < 301; ++v) swapped[v] = v == 6 ? 300 : v == 300 ? 6 : v;
  const CsrView out = container_->csr(Direction::out);
  auto renumbered = bytes({out, container_->csr(Direction::in), swapped, swapped});
  EXPECT_EQ(renumbered["raw"], 12U);
  EXPECT_EQ(renumbered["varint"], 3U);
  EXPECT_EQ(renumbered["svb"], 4U);
}

}  // namespace
}  // namespace outcore
