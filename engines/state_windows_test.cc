// SPDX-License-Identifier: Apache-2.0
#include "engines/state_windows.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "engines/state.h"

namespace outcore {
namespace {

constexpr VertexId kIds = 1 << 18;
constexpr std::size_t kPage = 4096;

class Windows : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Is the folder on a disk? In a file system in memory no page can leave.
  [[nodiscard]] bool on_a_disk() const {
    constexpr long kTmpfs = 0x01021994;
    struct statfs found {};
    return ::statfs(folder_.c_str(), &found) == 0 && found.f_type != kTmpfs;
  }

  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "windows";
  StateStore store_{StateFiles{.folder = folder_}, {}};
};

// The number of pages of the vertices' elements that are in memory.
std::size_t pages_there(State<std::uint32_t>& array, VertexRange vertices) {
  std::vector<unsigned char> pages((vertices.end - vertices.begin) * 4 / kPage);
  EXPECT_EQ(::mincore(&array[vertices.begin], pages.size() * kPage, pages.data()), 0);
  return static_cast<std::size_t>(
      std::count_if(pages.begin(), pages.end(), [](unsigned char page) { return page & 1; }));
}

TEST_F(Windows, LeaveMemoryOnceTheyAreWrittenAndComeBackAsTheyWere) {
  auto values = store_.zeros<std::uint32_t>("values", kIds);
  std::iota(values.begin(), values.end(), 7U);
  const VertexRange first{0, kIds / 4};
  const VertexRange rest{kIds / 4, kIds};
  StateWindows& windows = store_.windows();
  windows.written({first, kIds});
  windows.done({first, kIds});
  EXPECT_EQ(windows.bytes().written, kIds / 4 * 4);
  if (on_a_disk()) {
    EXPECT_EQ(pages_there(values, first), 0U);
    windows.wanted({first, kIds});
    EXPECT_EQ(windows.bytes().read, kIds / 4 * 4);
  }
  EXPECT_EQ(pages_there(values, rest), kIds * 3 / 4 * 4 / kPage) << "of another window";
  const std::uint64_t read = windows.bytes().read;
  windows.wanted({rest, kIds});
  EXPECT_EQ(windows.bytes().read, read) << "it is there";
  for (VertexId v = 0; v < kIds; ++v) ASSERT_EQ(values[v], v + 7);
}

TEST_F(Windows, AreOfAllArraysInFilesButThoseInRandomOrder) {
  StateWindows& windows = store_.windows();
  EXPECT_TRUE(windows.empty());
  const auto random = store_.zeros<std::uint32_t>("m", kIds, StateStore::Order::random);
  EXPECT_TRUE(windows.empty());
  const auto bytes = store_.zeros<std::uint8_t>("bytes", kIds);
  auto words = store_.zeros<std::uint32_t>("words", kIds);
  windows.written({{0, kIds / 2}, kIds});
  EXPECT_EQ(windows.bytes().written, kIds / 2 * (1 + 4));
  words = {};
  windows.written({{0, kIds}, kIds});
  EXPECT_EQ(windows.bytes().written, kIds / 2 * (1 + 4) + kIds) << "one of them is gone";
}

TEST_F(Windows, ArraysInMemoryHaveNone) {
  StateStore memory;
  const auto values = memory.zeros<std::uint32_t>("values", kIds);
  EXPECT_TRUE(memory.windows().empty());
  EXPECT_FALSE(WindowPass(memory.windows(), kIds, WindowPass::Use::reads).needed());
}

// During a pass, at most the window in use, the next one and the one being written are in memory.
TEST_F(Windows, APassHasFewOfThemInMemory) {
  auto values = store_.zeros<std::uint32_t>("values", kIds);
  constexpr VertexId kWindow = kIds / 16;
  constexpr std::size_t kPages = kWindow * 4 / kPage;
  for (const std::uint32_t round : {1U, 2U}) {
    {
      WindowPass pass(store_.windows(), kIds, WindowPass::Use::changes);
      ASSERT_TRUE(pass.needed());
      for (VertexId v = 0; v < kIds; v += kWindow) {
        const VertexId end = v + kWindow;
        pass.enter({v, end}, {end, std::min(end + kWindow, kIds)});
        for (VertexId u = v; u < end; ++u) values[u] += u;
        if (on_a_disk() && round == 2) {
          EXPECT_LE(pages_there(values, {0, kIds}), 3 * kPages);
        }
      }
    }
    if (on_a_disk()) {
      EXPECT_EQ(pages_there(values, {0, kIds}), 0U);
    }
    EXPECT_EQ(store_.windows().bytes().written, round * kIds * 4);
  }
  for (VertexId u = 0; u < kIds; ++u) ASSERT_EQ(values[u], 2 * u);
  const std::uint64_t written = store_.windows().bytes().written;
  WindowPass(store_.windows(), kIds, WindowPass::Use::reads).enter({0, kIds}, {});
  EXPECT_EQ(store_.windows().bytes().written, written) << "nothing was changed";
}

}  // namespace
}  // namespace outcore
