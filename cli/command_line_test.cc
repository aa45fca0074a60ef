// SPDX-License-Identifier: Apache-2.0
// The verbs that make and show graphs, on the command line: exit codes, messages, output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/captured_for_tests.h"
#include "storage/layout/parts.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CommandLine : public testing::Test {
 protected:
  CommandLine() {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }

  int run(const std::vector<std::string>& words) {
    Captured captured = run_captured(words);
    out_ = std::move(captured.out);
    err_ = std::move(captured.err);
    return captured.code;
  }

  fs::path root_ = fs::path(testing::TempDir()) / "command_line_test";
  std::string graph_ = (root_ / "graph").string();
  std::string out_;
  std::string err_;
};

TEST_F(CommandLine, FromNothingToACheckedLayout) {
  EXPECT_EQ(run({"generate", "kronecker", "--scale", "8", "--symmetric", graph_}), 0) << err_;
  EXPECT_EQ(run({"layout", graph_, "--preset", "cave", "--block", "8K"}), 0) << err_;
  EXPECT_EQ(out_, graph_ + "/layouts/cave-8K\n");
  EXPECT_EQ(run({"layout", graph_, "--pack", "csr"}), 0) << err_;
  EXPECT_EQ(run({"check", graph_}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("layout cave-8K: every list against the canonical one\n"));

  EXPECT_EQ(run({"inspect", graph_, "--json"}), 0) << err_;
  const nlohmann::json json = nlohmann::json::parse(out_);
  EXPECT_EQ(json.at("vertices"), 256);
  EXPECT_EQ(json.at("layouts").size(), 2U);
  EXPECT_EQ(json.at("layouts")[1].at("name"), "csr");
  EXPECT_GE(json.at("layouts")[1].at("bytes_per_edge_blocks"), 4.0);
  // Blocks of 1024 slots: csr fills all but the last and cuts lists; CAVE's packing never cuts.
  const auto& csr = json.at("layouts")[1];
  EXPECT_LT(csr.at("free_bytes"), 4096);
  EXPECT_GT(csr.at("cut_lists"), 0);
  EXPECT_EQ(json.at("layouts")[0].at("cut_lists"), 0);
  EXPECT_EQ(run({"inspect", graph_}), 0) << err_;
  EXPECT_THAT(out_, StartsWith("graph: 256 vertices ("));
}

TEST_F(CommandLine, LayoutsOfChunksAndOfEdgesAreBuiltShownAndChecked) {
  EXPECT_EQ(run({"generate", "kronecker", "--scale", "8", graph_}), 0) << err_;
  EXPECT_EQ(run({"layout", graph_, "--preset", "chunkgraph", "--pack", "chunks:smallest=512"}), 0)
      << err_;
  EXPECT_EQ(out_, graph_ + "/layouts/chunkgraph-smallest512\n");
  EXPECT_EQ(run({"layout", graph_, "--pack", "grid:p=4"}), 0) << err_;
  EXPECT_EQ(run({"layout", graph_, "--pack", "psw:p=2"}), 0) << err_;
  EXPECT_EQ(run({"check", graph_}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("layout grid-p4: every edge in its cell"));
  EXPECT_THAT(out_, HasSubstr("layout psw-p2: every value as it was written last"));

  EXPECT_EQ(run({"inspect", graph_, "--json"}), 0) << err_;
  const nlohmann::json json = nlohmann::json::parse(out_);
  ASSERT_EQ(json.at("layouts").size(), 1U);
  EXPECT_EQ(json.at("layouts")[0].at("reads_for_cuts"), 0);
  ASSERT_EQ(json.at("edge_layouts").size(), 2U);
  EXPECT_EQ(json.at("edge_layouts")[0].at("name"), "grid-p4");
  EXPECT_EQ(json.at("edge_layouts")[0].at("intervals"), 4);
  EXPECT_EQ(run({"inspect", graph_}), 0) << err_;
  for (const char* part : {"super", "reads for cuts", "largest shard", "psw-p2"}) {
    EXPECT_THAT(out_, HasSubstr(part));
  }

  EXPECT_EQ(
      run({"run", graph_, "--engine", "in_memory", "--workload", "bfs", "--layout", "grid-p4"}), 2);
  EXPECT_THAT(err_, HasSubstr("holds edges of pack grid; for --layout firstfit build one with: "));
  EXPECT_EQ(run({"layout", graph_, "--pack", "grids"}), 2);
  EXPECT_THAT(err_, HasSubstr("did you mean 'grid'?"));
}

TEST_F(CommandLine, InspectShowsBothDirectionsCodecsAndOtherFormats) {
  EXPECT_EQ(run({"generate", "kronecker", "--scale", "8", graph_}), 0) << err_;
  EXPECT_EQ(run({"layout", graph_, "--pack", "firstfit"}), 0) << err_;
  EXPECT_EQ(run({"inspect", graph_, "--number", "original,degree", "--sizes", "--json"}), 0);
  const nlohmann::json json = nlohmann::json::parse(out_);
  const auto edges = json.at("edges").get<std::uint64_t>();
  for (const char* direction : {"out", "in"}) {
    const nlohmann::json& degree = json.at("degree").at(direction);
    EXPECT_GT(degree.at("skewness"), 0);
    std::uint64_t vertices = 0;
    for (const auto& members : degree.at("classes")) vertices += members.at("vertices").get<int>();
    EXPECT_EQ(vertices, 256U);
  }
  // Two numberings, two directions. A raw id takes 4 bytes.
  EXPECT_EQ(json.at("codecs").size(), 2 * 2 * codec_parts().size());
  EXPECT_EQ(json.at("codecs")[0].at("codec"), "raw");
  EXPECT_EQ(json.at("codecs")[0].at("bytes_per_edge"), 4.0);
  EXPECT_LT(json.at("codecs")[1].at("bytes_per_edge"), 2.0);
  EXPECT_EQ(json.at("sizes").size(), 10U);
  EXPECT_EQ(json.at("sizes")[0].at("total_bytes"), 8 * edges);
  const nlohmann::json& layout = json.at("layouts")[0];
  EXPECT_EQ(layout.at("levels").size(), 2U);
  EXPECT_GT(layout.at("index_memory_bytes"), 2 * 8 * 256);
  EXPECT_TRUE(layout.at("seconds").contains("out.pack"));

  EXPECT_EQ(run({"inspect", graph_, "--sizes"}), 0) << err_;
  for (const char* part :
       {"directed", "origin: generator kronecker", "out-degree", "in-degree", "medium: to 465,920",
        "numbered original, in-lists", "G-Store", "firstfit", "whitespace", "out.pack"}) {
    EXPECT_THAT(out_, HasSubstr(part));
  }
  EXPECT_EQ(run({"inspect", graph_, "--number", "degrees"}), 2);
  EXPECT_THAT(err_, HasSubstr("did you mean 'degree'?"));
}

TEST_F(CommandLine, CheckPrintsWhatHeldAndExitsWith3OnWhatDidNot) {
  EXPECT_EQ(run({"generate", "grid", "--rows", "4", "--columns", "4", graph_}), 0) << err_;
  fs::resize_file(fs::path(graph_) / "out.targets", 4);
  EXPECT_EQ(run({"check", graph_}), 3);
  EXPECT_THAT(err_, HasSubstr("out.targets: found 4 bytes, expected 192 bytes"));
}

TEST_F(CommandLine, ImportsAndNamesTheLineOfBadInput) {
  std::ofstream(root_ / "good.txt") << "0 1\n1 2\n";
  std::ofstream(root_ / "bad.txt") << "0 1\nx 2\n";
  EXPECT_EQ(run({"import", (root_ / "good.txt").string(), graph_, "--memory", "16M"}), 0) << err_;
  EXPECT_EQ(run({"import", (root_ / "bad.txt").string(), graph_, "--force"}), 3);
  EXPECT_THAT(err_, StartsWith("outcore: "));
  EXPECT_THAT(err_, HasSubstr("bad.txt:2: found 'x', expected a vertex id"));
  EXPECT_EQ(run({"import", (root_ / "none.txt").string(), graph_, "--force"}), 4);
  EXPECT_EQ(run({"import", (root_ / "good.txt").string(), graph_, "--memory", "1K"}), 2);
  EXPECT_THAT(err_, HasSubstr("--memory 1K: at least 1.0 MiB"));
  EXPECT_EQ(run({"check", graph_}), 0) << err_;
}

TEST_F(CommandLine, GeneratesEveryKindAndExportsIt) {
  const std::string file = (root_ / "graph.sg").string();
  for (const std::vector<std::string>& kind : std::vector<std::vector<std::string>>{
           {"rmat", "--scale", "8", "--a", "0.4"},
           {"uniform", "--vertices", "300", "--symmetric"},
           {"barabasi-albert", "--vertices", "300", "--degree", "3"},
           {"small-world", "--vertices", "300", "--rewire", "0.5"}}) {
    std::vector<std::string> words = {"generate"};
    words.insert(words.end(), kind.begin(), kind.end());
    words.insert(words.end(), {"--force", graph_});
    EXPECT_EQ(run(words), 0) << err_;
    EXPECT_EQ(run({"check", graph_}), 0) << err_;
    EXPECT_EQ(run({"export", graph_, file, "--force"}), 0) << err_;
    EXPECT_EQ(run({"import", file, graph_, "--force"}), 0) << err_;
  }
  EXPECT_EQ(run({"export", graph_, file}), 2);
  EXPECT_THAT(err_, HasSubstr("--force"));
  EXPECT_EQ(run({"export", graph_, "graph.xyz"}), 2);
}

TEST_F(CommandLine, WrongUseExitsWith2AndSaysWhy) {
  EXPECT_EQ(run({"generat"}), 2);
  EXPECT_EQ(run({"generate", "kronecker", "--scale", "abc", graph_}), 2);
  EXPECT_THAT(err_, HasSubstr("--scale"));
  EXPECT_EQ(run({"generate", "grid", "--rows", "2", "--columns", "2", graph_}), 0);
  EXPECT_EQ(run({"generate", "grid", "--rows", "2", "--columns", "2", graph_}), 2);
  EXPECT_THAT(err_, HasSubstr("--force"));
  EXPECT_EQ(run({"layout", graph_, "--pack", "frstfit"}), 2);
  EXPECT_THAT(err_, HasSubstr("did you mean 'firstfit'?"));
  EXPECT_EQ(run({"layout", graph_, "--block", "4X"}), 2);
  EXPECT_THAT(err_, HasSubstr("--block"));
}

TEST_F(CommandLine, HelpTeachesByExample) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{}, {"help"}, {"--help"}}) {
    EXPECT_EQ(run(words), 0);
    EXPECT_THAT(out_, HasSubstr("outcore layout graphs/kron16"));
  }
  for (const char* verb : {"generate", "import", "export", "layout", "inspect", "check"}) {
    EXPECT_EQ(run({verb, "--help"}), 0);
    EXPECT_THAT(out_, HasSubstr("Example: outcore " + std::string(verb)));
  }
  EXPECT_EQ(run({"--version"}), 0);
  EXPECT_THAT(out_, StartsWith("outcore 0."));
}

}  // namespace
}  // namespace outcore
