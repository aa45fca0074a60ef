// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/order_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "common/error.h"
#include "common/hash.h"
#include "storage/container/builder.h"
#include "storage/layout/broken_layout.h"
#include "storage/layout/layout.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

// Out-lists of 3, 0, 5, 1, 4 and 3 edges; those of up to 2 are in the index.
class OrderTable : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path folder = fs::path(testing::TempDir()) / "order_table_test";
    fs::remove_all(folder);
    std::vector<Edge> edges;
    const VertexId degrees[] = {3, 0, 5, 1, 4, 3};
    for (VertexId v = 0; v < 6; ++v) {
      for (VertexId target = 0; target < degrees[v]; ++target) edges.emplace_back(v, target);
    }
    make_container(folder, 6, edges, false);
    LayoutChoices choices = layout_preset("chunkgraph");
    choices.place = "degree";
    layout_ = folder / "layouts" / build_layout(folder, choices, "", false);
    plain_ = folder / "layouts" / build_layout(folder, {}, "", false);
  }
  fs::path layout_;
  fs::path plain_;
};

TEST_F(OrderTable, GoesByPositionAndThenByIdWhereThereIsNoList) {
  const Layout layout(layout_);
  EXPECT_THAT(layout.read_order(Direction::out), ElementsAre(2, 4, 0, 5, 1, 3));
  // In-degrees 5, 4, 4, 2, 1, 0.
  EXPECT_THAT(layout.read_order(Direction::in), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_F(OrderTable, IsOfChunksOnly) {
  expect_error("--pack chunks --place bfs2 --inline in-index:2",
               [&] { EXPECT_TRUE(Layout(plain_).read_order(Direction::out).empty()); });
}

TEST_F(OrderTable, IsChecked) {
  std::vector<VertexId> order = {2, 4, 5, 0, 1, 3};  // 5 before 0
  const auto write = [&] {
    File::create(layout_ / "out.order").write(std::as_bytes(std::span(order)));
    nlohmann::json json = read_json(layout_ / "layout.json");
    json["files"]["out.order"]["hash"] = hash_file(layout_ / "out.order");
    write_json_atomically(layout_ / "layout.json", json);
  };
  write();
  expect_error("out.order at offset 12: found vertex 0", [&] { check_layout(layout_); });
  order = {2, 4, 0, 5, 1, 1};
  write();
  expect_error("out.order at offset 20: found vertex 1", [&] { check_layout(layout_); });
  order = {2, 4, 0, 5, 1, 3};
  write();
  EXPECT_FALSE(check_layout(layout_).empty());
}

TEST_F(OrderTable, AndEveryOtherFileOfChunksFailsTheCheckWithAFlippedByte) {
  for (const fs::path& file : Layout(layout_).files()) {
    for (std::uint64_t at = 0; at < fs::file_size(file); at += fs::file_size(file) / 3 + 1) {
      const auto flip = [&] {
        std::byte byte[1];
        File opened = File::open_update(file);
        opened.read(byte, at);
        byte[0] ^= std::byte{1};
        opened.write_at(byte, at);
      };
      flip();
      expect_error(file.filename().string(), [&] { check_layout(layout_); });
      flip();
    }
  }
}

}  // namespace
}  // namespace outcore
