// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/edges/edge_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "storage/container/builder.h"
#include "storage/layout/broken_layout.h"
#include "storage/layout/edges/values_door.h"
#include "storage/layout/layout.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::Each;

constexpr std::byte kSeven{7};

// A directed ring of 3000 in two intervals: cells (0, 0) and (1, 1) have 1499 edges, two blocks of
// values of 4 bytes; the other two have one.
class EdgeValuesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "edge_values_test" /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    std::vector<Edge> edges;
    for (VertexId v = 0; v < 3000; ++v) edges.emplace_back(v, (v + 1) % 3000);
    make_container(folder_, 3000, edges, false);
  }
  EdgeLayout build(const std::string& pack) {
    LayoutChoices choices;
    set_pack(choices, pack);
    return EdgeLayout(folder_ / "layouts" / build_layout(folder_, choices, "", true));
  }
  fs::path folder_;
};

TEST_F(EdgeValuesTest, BeginAsZerosAndKeepWhatIsWritten) {
  for (const char* pack : {"psw:p=2", "psw:p=2,value=8", "psw:p=2,value=16"}) {
    const EdgeLayout layout = build(pack);
    const EdgeCell& cell = layout.cell(1, 1);
    {
      ValuesDoor door(layout);
      EXPECT_THAT(door.read(cell), Each(std::byte{0}));
      const std::uint64_t blocks = door.values().blocks(cell);
      EXPECT_GE(blocks * 4096, cell.edges * door.values().value_bytes());
      const std::vector<std::byte> sevens(blocks * 4096, kSeven);
      door.write(cell, sevens);
      EXPECT_THAT(door.read(cell), Each(kSeven));
      EXPECT_EQ(door.counters().written_bytes, sevens.size());
      EXPECT_EQ(door.counters().requested_bytes, 2 * sevens.size());
      door.close();
    }
    check_edge_values(layout);
    ValuesDoor door(layout);
    EXPECT_THAT(door.read(cell), Each(kSeven));
    for (const auto& [row, column] : {std::pair{0, 0}, {0, 1}, {1, 0}}) {
      EXPECT_THAT(door.read(layout.cell(row, column)), Each(std::byte{0}));
    }
    door.close();
  }
}

TEST_F(EdgeValuesTest, BecomeZerosWhenTheirWriterDied) {
  const EdgeLayout layout = build("psw:p=2");
  const EdgeCell& cell = layout.cell(0, 0);
  ValuesDoor(layout).write(cell, std::vector<std::byte>(4096, kSeven));
  expect_error("died writing", [&] { check_layout(layout.folder()); });
  ValuesDoor door(layout);
  EXPECT_THAT(door.read(cell), Each(std::byte{0}));
  door.close();
  EXPECT_FALSE(check_layout(layout.folder()).empty());
}

TEST_F(EdgeValuesTest, HaveOneWriter) {
  const EdgeLayout layout = build("psw:p=2");
  const EdgeValues values(layout);
  expect_error("another process is writing", [&] { const EdgeValues second(layout); });
}

TEST_F(EdgeValuesTest, AreCheckedWhenRead) {
  const EdgeLayout layout = build("psw:p=2");
  ValuesDoor(layout).close();
  const std::byte one[1] = {std::byte{1}};
  File::open_update(layout.folder() / "values.blocks").write_at(one, 4096 + 12);
  ValuesDoor door(layout);
  expect_error(ExitCode::io, "values.blocks at offset 4096: block 1 is damaged",
               [&] { static_cast<void>(door.read(layout.cell(0, 0))); });
}

// A write that is torn is answered as if it were whole: its sum finds it, here and in the files.
TEST_F(EdgeValuesTest, FindATornWriteByItsSum) {
  const EdgeLayout layout = build("psw:p=2");
  const EdgeCell& cell = layout.cell(1, 1);
  ValuesDoor door(layout, "fault", {.fault_plan = "torn@0"});
  door.write(cell, std::vector<std::byte>(2 * 4096, kSeven));
  expect_error(ExitCode::io, "values.blocks at offset",
               [&] { static_cast<void>(door.read(cell)); });
  door.close();
  expect_error(ExitCode::bad_input, "values.blocks at offset", [&] { check_edge_values(layout); });
}

TEST_F(EdgeValuesTest, AreLeftOpenByABackendThatKeepsNothing) {
  const EdgeLayout layout = build("psw:p=2");
  const EdgeCell& cell = layout.cell(1, 1);
  {
    ValuesDoor door(layout, "null");
    door.write(cell, std::vector<std::byte>(4096, kSeven));
    EXPECT_EQ(door.counters().written_bytes, 4096U);
    door.close();
  }
  expect_error("died writing", [&] { check_layout(layout.folder()); });
  EXPECT_THAT(ValuesDoor(layout).read(cell), Each(std::byte{0}));
}

TEST_F(EdgeValuesTest, AreRefusedByABackendThatOnlyReads) {
  const EdgeLayout layout = build("psw:p=2");
  expect_error("values.blocks is to be written, but backend mmap only reads",
               [&] { const ValuesDoor door(layout, "mmap"); });
}

TEST_F(EdgeValuesTest, AreAsManyAsTheEdges) {
  const EdgeLayout built = build("psw:p=2");
  for (const auto& [file, bytes] : {std::pair{"values.blocks", 4096}, {"values.sums", 8}}) {
    fs::resize_file(built.folder() / file, static_cast<std::uintmax_t>(bytes));
    edit_json(built.folder() / "layout.json",
              [&](auto& json) { json["files"][file]["bytes"] = bytes; });
  }
  const EdgeLayout layout(built.folder());
  expect_error(ExitCode::bad_input, "1 blocks", [&] { const EdgeValues values(layout); });
  expect_error(ExitCode::bad_input, "1 blocks", [&] { check_layout(layout.folder()); });
}

TEST_F(EdgeValuesTest, AreNotInEveryLayout) {
  const EdgeLayout layout = build("grid:p=2");
  expect_error("--pack psw", [&] { const EdgeValues values(layout); });
}

}  // namespace
}  // namespace outcore
