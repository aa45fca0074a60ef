// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/edges/edge_layout.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "common/error.h"
#include "storage/container/builder.h"
#include "storage/container/hashed_file.h"
#include "storage/layout/broken_layout.h"
#include "storage/layout/edges/expect_same_edges.h"
#include "storage/layout/layout.h"
#include "tests/sanitized.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::Pair;

fs::path edges_folder(const std::string& name) {
  const fs::path folder = fs::path(testing::TempDir()) / "edge_layout_test" / name;
  fs::remove_all(folder);
  return folder;
}

// A hub, loops and duplicates, isolated vertices, and more edges in a cell than a block holds.
void make_edges(const fs::path& folder, bool symmetric) {
  constexpr VertexId kVertices = 3000;
  std::vector<Edge> edges;
  for (VertexId v = 0; v < 2500; ++v) edges.emplace_back(17, v);
  for (VertexId v = 0; v < 2000; ++v) {
    for (std::uint64_t i = 0; i < mix(v) % 7; ++i) {
      edges.emplace_back(v, static_cast<VertexId>(mix(v * 7 + i) % kVertices));
    }
  }
  edges.insert(edges.end(), {{3, 3}, {3, 4}, {3, 4}});
  make_container(folder, kVertices, edges, symmetric);
}

LayoutChoices choices(const std::string& pack) {
  LayoutChoices choices;
  set_pack(choices, pack);
  return choices;
}

class EveryEdgeChoice
    : public testing::TestWithParam<std::tuple<std::string, std::string, std::uint32_t, bool>> {};

TEST_P(EveryEdgeChoice, HoldsTheGraph) {
  const auto& [pack, number, block_bytes, symmetric] = GetParam();
  const fs::path folder = edges_folder("every");
  make_edges(folder, symmetric);
  LayoutChoices given = choices(pack);
  given.number = number;
  given.block_bytes = block_bytes;
  const std::string name = build_layout(folder, given, "", false);
  expect_same_edges(folder, name);
  EXPECT_EQ(EdgeLayout(folder / "layouts" / name).choices(), complete_choices(given));
}

std::vector<std::string> numberings() {
  if (kSanitized) return {"random"};
  return {"original", "random", "degree"};
}

INSTANTIATE_TEST_SUITE_P(Sweep, EveryEdgeChoice,
                         testing::Combine(testing::Values("grid:p=1", "grid:p=7",
                                                          "grid:p=8,groups=3", "grid:p=5,local=1",
                                                          "grid:p=6,order=destination",
                                                          "grid:p=8,groups=3,local=1,"
                                                          "order=destination",
                                                          "psw:p=1", "psw:p=5,value=8", "psw:p=64"),
                                          testing::ValuesIn(numberings()),
                                          testing::Values(4096U, 16384U), testing::Bool()));

TEST(EdgeLayout, CutsGridsByVerticesAndShardsByEdges) {
  // In-degrees 6, 0, 0, 0, 1, 1, 0, 0.
  const fs::path folder = edges_folder("intervals");
  make_container(folder, 8,
                 std::vector<Edge>{{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}, {7, 4}, {7, 5}},
                 false);
  const EdgeLayout grid(folder / "layouts" / build_layout(folder, choices("grid:p=3"), "", false));
  EXPECT_THAT(grid.intervals().bounds(), ElementsAre(0, 3, 6, 8));
  EXPECT_EQ(grid.facts().largest_interval, 3U);
  EXPECT_EQ(grid.facts().largest_cell, 3U);  // from 3, 4 and 5 to 0
  EXPECT_EQ(grid.facts().largest_shard, 6U);
  const EdgeLayout psw(folder / "layouts" / build_layout(folder, choices("psw:p=4"), "", false));
  EXPECT_THAT(psw.intervals().bounds(), ElementsAre(0, 1, 1, 1, 8));
  EXPECT_EQ(psw.intervals().of(0), 0U);
  EXPECT_EQ(psw.intervals().of(1), 3U);
  EXPECT_EQ(psw.facts().largest_shard, 6U);
}

TEST(EdgeLayout, KeepsWindowsInShardsAndRunsInWindows) {
  const fs::path folder = edges_folder("windows");
  make_container(folder, 4,
                 std::vector<Edge>{{0, 2}, {0, 3}, {0, 3}, {1, 0}, {1, 2}, {2, 1}, {3, 3}}, false);
  const EdgeLayout layout(folder / "layouts" / build_layout(folder, choices("psw:p=2"), "", false));
  ASSERT_THAT(layout.intervals().bounds(), ElementsAre(0, 3, 4));
  // Shard 0 has the windows 0: 0->2, 1->0, 1->2, 2->1 and 1: none; shard 1: 0->3 twice; 3->3.
  EXPECT_EQ(layout.cell(0, 0).edges, 4U);
  EXPECT_EQ(layout.cell(1, 0).edges, 0U);
  EXPECT_EQ(layout.cell(0, 1).edges, 2U);
  EXPECT_EQ(layout.cell(0, 1).first_block, 1U);
  EXPECT_EQ(layout.cell(1, 1).first_block, 2U);
  const auto runs = read_column(layout, EdgeColumn::runs);
  EXPECT_THAT(std::vector(runs.begin(), runs.begin() + 6), ElementsAre(0, 1, 1, 2, 2, 1));
  EXPECT_EQ(layout.cell(0, 1).runs, 1U);
  EXPECT_EQ(runs[1024], 0U);
  EXPECT_EQ(runs[1025], 2U);
  EXPECT_EQ(layout.file(EdgeColumn::sources), std::nullopt);
}

TEST(EdgeLayout, StoresColumnAfterColumnOrByGroups) {
  const fs::path folder = edges_folder("order");
  std::vector<Edge> clique;
  for (VertexId u = 0; u < 4; ++u) {
    for (VertexId v = 0; v < 4; ++v) clique.emplace_back(u, v);
  }
  make_container(folder, 4, clique, false);
  const auto order = [&](const std::string& pack) {
    const EdgeLayout layout(folder / "layouts" / build_layout(folder, choices(pack), "", true));
    std::vector<std::pair<int, int>> cells(16);
    for (int row = 0; row < 4; ++row) {
      for (int column = 0; column < 4; ++column) {
        cells.at(layout.cell(row, column).first_block) = {row, column};
      }
    }
    return std::vector(cells.begin(), cells.begin() + 6);
  };
  EXPECT_THAT(order("grid:p=4"),
              ElementsAre(Pair(0, 0), Pair(1, 0), Pair(2, 0), Pair(3, 0), Pair(0, 1), Pair(1, 1)));
  EXPECT_THAT(order("grid:p=4,groups=2"),
              ElementsAre(Pair(0, 0), Pair(1, 0), Pair(0, 1), Pair(1, 1), Pair(2, 0), Pair(3, 0)));
}

TEST(EdgeLayout, BalancesShardsToAVertex) {
  const fs::path folder = edges_folder("balance");
  make_edges(folder, false);
  const EdgeLayout layout(folder / "layouts" / build_layout(folder, choices("psw:p=7"), "", false));
  const auto in = layout.degrees(Direction::in);
  const std::uint64_t most = *std::max_element(in.begin(), in.end());
  EXPECT_LE(layout.facts().largest_shard, layout.facts().edges / 7 + 1 + most);
}

TEST(EdgeLayout, TakesGraphsWithoutEdgesAndFewerVerticesThanIntervals) {
  for (const VertexId vertices : {0U, 1U, 3U}) {
    for (const char* pack : {"grid:p=8", "psw:p=8", "grid:p=8,groups=8"}) {
      const fs::path folder = edges_folder("empty");
      make_container(folder, vertices, {}, true);
      expect_same_edges(folder, build_layout(folder, choices(pack), "", false));
    }
  }
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(EdgeLayout, IsTheSameEveryTime) {
  const fs::path folder = edges_folder("same");
  make_edges(folder, false);
  for (const char* pack : {"grid:p=5", "psw:p=5"}) {
    const fs::path a = folder / "layouts" / build_layout(folder, choices(pack), "a", true);
    const fs::path b = folder / "layouts" / build_layout(folder, choices(pack), "b", true);
    for (const fs::path& file : EdgeLayout(a).files()) {
      EXPECT_EQ(contents(file), contents(b / file.filename())) << file;
    }
  }
}

TEST(EdgeLayout, RefusesWhatEdgesCannotBeCombinedWith) {
  const fs::path folder = edges_folder("refused");
  make_edges(folder, true);
  const auto refuse = [&](const std::string& text, const std::function<void(LayoutChoices&)>& set,
                          const std::string& pack = "grid") {
    expect_error(ExitCode::usage, text, [&] {
      LayoutChoices given = choices(pack);
      set(given);
      build_layout(folder, given, "", false);
    });
  };
  refuse("--pack grid with --place", [](auto& c) { c.place = "bfs2"; });
  refuse(
      "--pack psw with --inline", [](auto& c) { c.inline_edges = 2; }, "psw");
  refuse("--pack grid with --heads", [](auto& c) { c.heads = 2; });
  refuse(
      "at most one for each chunk", [](auto&) {}, "grid:p=4,groups=5");
  refuse(
      "a value is 4, 8 or 16 bytes", [](auto&) {}, "psw:value=5");
  refuse(
      "pack grid: p=0: expected a whole number from 1 to 1024", [](auto&) {}, "grid:p=0");
  refuse(
      "unknown parameter of pack grid 'value'", [](auto&) {}, "grid:value=4");
}

TEST(EdgeLayout, TellsListsAndEdgesApart) {
  const fs::path folder = edges_folder("kinds");
  make_edges(folder, true);
  const fs::path grid = folder / "layouts" / build_layout(folder, choices("grid"), "", false);
  const fs::path csr = folder / "layouts" / build_layout(folder, choices("csr"), "", false);
  expect_error(ExitCode::usage, "--pack firstfit", [&] { const Layout layout(grid); });
  EXPECT_TRUE(holds_edges(grid));
  expect_error(ExitCode::usage, "use --layout grid", [&] { const EdgeLayout layout(csr); });
  fs::remove_all(grid);
  expect_error(ExitCode::usage, "--pack grid", [&] { const EdgeLayout layout(csr); });
  EXPECT_FALSE(holds_edges(csr));
  EXPECT_FALSE(holds_edges(folder));
}

TEST(EdgeLayout, RefusesVersionsAndFactsItDoesNotKnow) {
  const fs::path folder = edges_folder("version");
  make_edges(folder, true);
  const fs::path layout = folder / "layouts" / build_layout(folder, choices("grid"), "", false);
  const auto refuse = [&](const std::string& text,
                          const std::function<void(nlohmann::json&)>& edit) {
    const nlohmann::json before = read_json(layout / "layout.json");
    edit_json(layout / "layout.json", edit);
    expect_error(ExitCode::bad_input, text, [&] { check_layout(layout); });
    write_json_atomically(layout / "layout.json", before);
  };
  for (const int version : {kEdgeLayoutVersion - 1, kEdgeLayoutVersion + 1}) {
    refuse(fmt::format("found version {}, expected version {}; build the layout again", version,
                       kEdgeLayoutVersion),
           [&](auto& json) { json["version"] = version; });
  }
  for (const char* fact : {"intervals", "groups", "value_bytes", "block_bytes", "id_space"}) {
    refuse("facts of other choices", [&](auto& json) { json["facts"][fact] = 7; });
  }
  refuse("facts of other choices", [](auto& json) {
    json["choices"]["pack"] = "csr";
    json["choices"]["pack_parameters"] = nlohmann::json::object();
  });
  for (const char* fact : {"largest_cell", "largest_shard", "largest_interval", "edges"}) {
    refuse(std::string(fact) + " 7", [&](auto& json) { json["facts"][fact] = 7; });
  }
  fs::resize_file(layout / "targets.blocks", fs::file_size(layout / "targets.blocks") - 4096);
  expect_error(ExitCode::bad_input, "targets.blocks", [&] { const EdgeLayout opened(layout); });
}

TEST(CheckEdges, SeesAFlippedByteAnywhere) {
  const fs::path folder = edges_folder("flip");
  make_edges(folder, false);
  for (const char* pack : {"grid:p=3", "grid:p=3,local=1,order=destination", "psw:p=3"}) {
    LayoutChoices given = choices(pack);
    given.number = "random";
    given.weights = "hashed";
    const fs::path layout = folder / "layouts" / build_layout(folder, given, "", false);
    for (const fs::path& file : EdgeLayout(layout).files()) {
      const std::uint64_t size = fs::file_size(file);
      ASSERT_GT(size, 0U) << file;
      for (std::uint64_t at = 0; at < size; at += 1 + mix(at) % (size / 3)) {
        flip_byte(file, at);
        expect_error(ExitCode::bad_input, file.filename().string(), [&] { check_layout(layout); });
        flip_byte(file, at);
      }
    }
    EXPECT_GT(check_layout(layout).size(), 2U);
  }
}

// A cell's ids of 2 bytes end with a block, its weights of 4 with one or two.
TEST(EdgeLayout, KeepsWeightsBesideLocalIds) {
  const fs::path folder = edges_folder("local");
  make_edges(folder, false);
  const auto build = [&](const std::string& pack) {
    LayoutChoices given = choices(pack);
    given.weights = "hashed";
    return EdgeLayout(folder / "layouts" / build_layout(folder, given, "", false));
  };
  const EdgeLayout plain = build("grid:p=3");
  const EdgeLayout local = build("grid:p=3,local=1");
  EXPECT_FALSE(check_layout(local.folder()).empty());
  EXPECT_EQ(local.blocks_for_each(EdgeColumn::weights), 2U);
  const auto expected = read_column<float>(plain, EdgeColumn::weights);
  const auto found = read_column<float>(local, EdgeColumn::weights);
  for (std::uint32_t row = 0; row < 3; ++row) {
    for (std::uint32_t column = 0; column < 3; ++column) {
      const EdgeCell& a = plain.cell(row, column);
      const EdgeCell& b = local.cell(row, column);
      ASSERT_EQ(a.edges, b.edges);
      for (EdgeIndex i = 0; i < a.edges; ++i) {
        ASSERT_EQ(expected.at(a.first_block * 1024 + i), found.at(b.first_block * 2048 + i));
      }
    }
  }
}

// Blocks, cells and sums that agree with each other but not with the graph.
TEST(CheckEdges, SeesWrongEdgesBehindValidChecksums) {
  const fs::path folder = edges_folder("wrong");
  make_container(folder, 4, std::vector<Edge>{{0, 1}, {0, 2}, {1, 1}, {2, 1}, {3, 1}}, false);
  const auto break_word = [&](const std::string& pack, const std::string& file, std::size_t word,
                              std::uint32_t value, const std::string& text,
                              std::uint64_t largest_shard = 0) {
    const fs::path layout = folder / "layouts" / build_layout(folder, choices(pack), "", true);
    std::vector<std::uint32_t> words(fs::file_size(layout / file) / 4);
    File::open_read(layout / file).read(std::as_writable_bytes(std::span(words)), 0);
    words.at(word) = value;
    File::create(layout / file).write(std::as_bytes(std::span(words)));
    nlohmann::json json = read_json(layout / "layout.json");
    if (largest_shard > 0) json["facts"]["largest_shard"] = largest_shard;
    json["files"][file]["hash"] = hash_file(layout / file);
    if (file.ends_with(".blocks")) {
      const std::string sums = file.substr(0, file.size() - 7) + ".sums";
      File out = File::create(layout / sums);
      for (std::size_t at = 0; at < words.size(); at += 1024) {
        const std::uint32_t sum = checksum32(std::as_bytes(std::span(words).subspan(at, 1024)));
        out.write(std::as_bytes(std::span(&sum, 1)));
      }
      json["files"][sums]["hash"] = hash_file(layout / sums);
    }
    write_json_atomically(layout / "layout.json", json);
    expect_error(ExitCode::bad_input, text, [&] { check_layout(layout); });
  };
  break_word("grid:p=1", "targets.blocks", 1, 3, "target 3");
  break_word("grid:p=1", "sources.blocks", 0, 2, "source 2");
  break_word("grid:p=1", "sources.blocks", 5, 2, "free word 2");
  break_word("grid:p=2,local=1", "targets.blocks", 0, 0x00010000, "target 0");
  break_word("grid:p=1,order=destination", "sources.blocks", 0, 3, "source 3");
  break_word("psw:p=1", "runs.blocks", 0, 1, "source 1");
  break_word("psw:p=1", "runs.blocks", 1, 1, "run length 1");
  break_word("psw:p=1", "runs.blocks", 8, 1, "free word 1");
  break_word("psw:p=1", "cells", 0, 4, "largest_cell 5");
  break_word("psw:p=1", "cells", 4, 3, "5 edges in cell (0, 0)");
  break_word("psw:p=1", "cells", 4, 5, "5 edges in cell (0, 0)");
  // Interval 1 begins with 2: cells (0, 0) and (1, 0) have two edges each, (0, 1) one.
  break_word("psw:p=2", "cells", 16, 1, "1 edges in cell (1, 0)", 3);
  break_word("psw:p=2", "cells", 8, 2, "2 edges in cell (0, 1)");
  break_word("psw:p=1", "cells", 2, 1, "cell (0, 0) from block 1");
  break_word("grid:p=1", "out.degrees", 3, 2, "degree 2");
  break_word("grid:p=1", "intervals", 1, 3, "intervals that leave ids out");
}

// Cells so large that their bytes and blocks, in 64 bits, would be few.
TEST(EdgeLayout, RefusesCellsThatNoFileHolds) {
  const fs::path folder = edges_folder("large");
  make_container(folder, 4, std::vector<Edge>{{0, 1}, {0, 2}}, false);
  for (const std::size_t field : {0, 2}) {  // edges, runs
    const fs::path layout = folder / "layouts" / build_layout(folder, choices("psw:p=1"), "", true);
    put_sealed(layout / "layout.json", "cells", field, std::uint64_t{1} << 62);
    expect_error(ExitCode::bad_input, "in cell (0, 0)", [&] { const EdgeLayout opened(layout); });
  }
}

}  // namespace
}  // namespace outcore
