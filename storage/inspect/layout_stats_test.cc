// SPDX-License-Identifier: Apache-2.0
// All expected numbers are counted by hand, in the comments.
#include "storage/inspect/layout_stats.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "storage/container/builder.h"
#include "storage/container/container.h"
#include "storage/layout/broken_layout.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;

class LayoutStats : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }

  // Vertex v links to the vertices 0 to degrees[v] - 1. Vertices after the given ones have no list.
  std::vector<DirectionStats> stats(const std::vector<VertexId>& degrees,
                                    const LayoutChoices& choices, bool symmetric = false) {
    std::vector<Edge> edges;
    for (VertexId v = 0; v < degrees.size(); ++v) {
      for (VertexId target = 0; target < degrees[v]; ++target) edges.emplace_back(v, target);
    }
    fs::remove_all(folder_);
    make_container(folder_, 4096, edges, symmetric);
    const std::string name = build_layout(folder_, choices, "", false);
    return layout_stats(Layout(Container(folder_).layout_folder(name)));
  }

  fs::path folder_ = fs::path(testing::TempDir()) / "layout_stats_test";
};

// Blocks of 1024 slots. Out-lists of 600, 500, 400 and 2000.
TEST_F(LayoutStats, OfFirstfit) {
  const auto found = stats({600, 500, 400, 2000}, {.pack = "firstfit"});
  ASSERT_EQ(found.size(), 2U);
  // 600 + 400 in one block, 500 in another. 2000 exceeds a block by 976, which fits in neither, so
  // the list starts with a block of its own.
  EXPECT_EQ(found[0].lists, 4U);
  EXPECT_EQ(found[0].cut_lists, 0U);
  ASSERT_EQ(found[0].levels.size(), 1U);
  const LevelStats& out = found[0].levels[0];
  EXPECT_EQ(out.chunk_bytes, 4096U);
  EXPECT_EQ(out.chunks, 4U);
  EXPECT_EQ(out.used_bytes, 3500 * 4U);
  EXPECT_EQ(out.free_bytes(), 4 * 4096 - 3500 * 4U);
  EXPECT_EQ(out.fragments, 3U);  // all but the first block of the list of 2000
  // In-lists: 400 of 4 edges, 100 of 3, 100 of 2 and 1400 of 1, 3500 edges in 2000 lists.
  EXPECT_EQ(found[1].direction, Direction::in);
  EXPECT_EQ(found[1].lists, 2000U);
  EXPECT_EQ(found[1].levels[0].used_bytes, 3500 * 4U);
}

TEST_F(LayoutStats, OfCsrCountListsCutThatWouldFitABlock) {
  // 600 in the first block; 500 in two; 400 in the second; 2000 in three, but longer than a block.
  const auto found = stats({600, 500, 400, 2000}, {.pack = "csr"});
  EXPECT_EQ(found[0].cut_lists, 1U);
  EXPECT_EQ(found[0].levels[0].chunks, 4U);
  EXPECT_EQ(found[0].levels[0].fragments, 1U);  // the last
  EXPECT_EQ(found[0].levels[0].free_bytes(), 4 * 4096 - 3500 * 4U);
}

// Chunks of 512 bytes for lists of up to 125 and of 4 KB for those of up to 898; then super lists.
TEST_F(LayoutStats, OfChunksGoByLevel) {
  LayoutChoices choices;
  set_pack(choices, "chunks:smallest=512,levels=2,tail=0");
  const auto found = stats({100, 20, 8, 125, 898, 300, 2000}, choices);
  const std::vector<LevelStats>& levels = found[0].levels;
  ASSERT_EQ(levels.size(), 3U);
  // 100 + 20 + 8 fill a chunk of 128; 125 is alone.
  EXPECT_EQ(levels[0].chunk_bytes, 512U);
  EXPECT_EQ(levels[0].chunks, 2U);
  EXPECT_EQ(levels[0].lists, 4U);
  EXPECT_EQ(levels[0].fragments, 1U);
  EXPECT_EQ(levels[0].free_bytes(), 3 * 4U);
  EXPECT_EQ(levels[1].chunks, 2U);
  EXPECT_EQ(levels[1].fragments, 2U);
  EXPECT_EQ(levels[1].free_bytes(), (2048 - 898 - 300) * 4U);
  EXPECT_FALSE(levels[1].super);
  EXPECT_TRUE(levels[2].super);
  EXPECT_EQ(levels[2].chunks, 2U);
  EXPECT_EQ(levels[2].lists, 1U);
  EXPECT_EQ(found[0].lists, 7U);
  EXPECT_EQ(found[0].chunk_reads, 8U);
  EXPECT_EQ(found[0].reads_for_cuts, 0U);
  EXPECT_EQ(found[0].cut_lists, 0U);
}

TEST_F(LayoutStats, CountChunksThatAreReadForCuts) {
  // In blocks of 1024: 600 in one, 500 in two instead of one, 2000 from slot 1100 in three instead
  // of two.
  const auto found = stats({600, 500, 2000}, {.pack = "csr"});
  EXPECT_EQ(found[0].chunk_reads, 6U);
  EXPECT_EQ(found[0].reads_for_cuts, 2U);
  EXPECT_EQ(found[0].cut_lists, 1U);
}

// Only this count asks for a list's level, so opening such a layout does not refuse it.
TEST_F(LayoutStats, RefuseListsThatLeaveTheirLevel) {
  stats({600, 3000}, {.pack = "chunks"});
  const fs::path layout = folder_ / "layouts" / "chunks";
  put_sealed(layout / "layout.json", "out.index", 0, ListIndex::pack(600, 600));
  expect_error(ExitCode::bad_input, "600 slots from slot 600",
               [&] { layout_stats(Layout(layout)); });
}

TEST_F(LayoutStats, OfEncodedListsAreOfTheirCode) {
  // A byte for the head of the piece, one for each delta.
  const auto found = stats({10, 20}, {.pack = "csr", .codec = "varint"});
  EXPECT_EQ(found[0].levels[0].used_bytes, 11 + 21U);
}

TEST_F(LayoutStats, OfASymmetricGraphAreOfOneDirection) {
  const auto found = stats({10}, {.pack = "csr"}, true);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].lists, 10U);  // 0 to 9, 0 with its loop
  EXPECT_EQ(found[0].levels[0].used_bytes, (10 + 9) * 4U);
}

}  // namespace
}  // namespace outcore
