// SPDX-License-Identifier: Apache-2.0
#include "storage/inspect/check_graph.h"

#include <gtest/gtest.h>

#include "common/error.h"
#include "storage/container/builder.h"
#include "storage/layout/broken_layout.h"
#include "storage/layout/layout.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;

class CheckGraph : public testing::Test {
 protected:
  CheckGraph()
      : folder_(fs::path(testing::TempDir()) / "check_graph_test" /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    make_container(folder_, 5, std::vector<Edge>{{0, 1}, {1, 2}, {1, 4}, {2, 4}}, true);
  }

  // The lines about layouts.
  [[nodiscard]] std::vector<std::string> held() const {
    std::vector<std::string> lines;
    check_graph(folder_, [&](const std::string& line) {
      if (line.starts_with("layout ")) lines.push_back(line);
    });
    return lines;
  }
  void refuse(const std::string& text) const {
    expect_error(ExitCode::bad_input, text, [&] { check_graph(folder_, [](const auto&) {}); });
  }

  fs::path folder_;
};

TEST_F(CheckGraph, LooksAtEveryLayout) {
  EXPECT_TRUE(held().empty());
  build_layout(folder_, {}, "lists", false);
  const std::size_t of_one = held().size();
  EXPECT_GT(of_one, 0U);
  build_layout(folder_, {}, "more", false);
  EXPECT_EQ(held().size(), 2 * of_one);
  const fs::path manifest = folder_ / "layouts" / "more" / "layout.json";
  edit_json(manifest, [](auto& json) { json["version"] = 7; });
  refuse("version 7");
}

TEST_F(CheckGraph, SeesALayoutThatLostItsManifest) {
  fs::create_directories(folder_ / "layouts" / "killed.pending");
  EXPECT_TRUE(held().empty());
  fs::create_directories(folder_ / "layouts" / "acgraph");
  refuse("layouts/acgraph: found no layout.json");
}

TEST_F(CheckGraph, SeesThatALayoutIsOfAnotherGraph) {
  const fs::path manifest =
      folder_ / "layouts" / build_layout(folder_, {}, "", false) / "layout.json";
  EXPECT_FALSE(held().empty());
  edit_json(manifest, [](auto& json) { json["graph"]["edges"] = 7; });
  refuse("another graph's description");
}

}  // namespace
}  // namespace outcore
