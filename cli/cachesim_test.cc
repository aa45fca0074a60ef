// SPDX-License-Identifier: Apache-2.0
// The verbs `trace` and `cachesim`, as a user or a program uses them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_line.h"
#include "common/error.h"
#include "storage/trace/trace.h"

namespace outcore {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CacheVerbs : public ::testing::Test {
 protected:
  void SetUp() override {
    TraceWriter writer(path_, {.graph = "toy",
                               .layout = "csr",
                               .engine = "concurrent",
                               .workload = "bfs",
                               .layout_bytes = 10 * 4096,
                               .raw_bytes = 10 * 4096,
                               .file_units = {10}});
    // Belady's sequence (storage/cachesim/simulator_test.cc) in two rounds.
    const std::vector<std::uint64_t> units = {1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5};
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (i % 6 == 0) writer.begin_round(i / 6);
      writer.note(0, 0, units[i], 1);
    }
    writer.close();
  }
  void TearDown() override { std::filesystem::remove(path_); }

  int run(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "outcore");
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int code = run_command_line(static_cast<int>(arguments.size()), arguments.data());
    out_ = ::testing::internal::GetCapturedStdout();
    err_ = ::testing::internal::GetCapturedStderr();
    return code;
  }

  const std::string path_ =
      (std::filesystem::path(::testing::TempDir()) / "outcore_cache_verbs.oct").string();
  std::string out_;
  std::string err_;
};

TEST_F(CacheVerbs, CachesimAnswersEveryPolicyAndSizeInJson) {
  ASSERT_EQ(run({"cachesim", path_.c_str(), "--policy", "opt,lru", "--sizes", "12K,40%", "--json"}),
            0);
  auto document = nlohmann::json::parse(out_);
  EXPECT_GT(document["seconds"].get<double>(), 0);
  document.erase("seconds");
  for (auto& row : document["rows"]) {
    EXPECT_GE(row["seconds"].get<double>(), 0);
    row.erase("seconds");
  }
  const auto row = [](const char* policy, int units, const nlohmann::json& percent, int misses) {
    return nlohmann::json{{"policy", policy},        {"size_bytes", units * 4096},
                          {"size_percent", percent}, {"units", units},
                          {"misses", misses},        {"miss_bytes", misses * 4096}};
  };
  const nlohmann::json expected = {{"trace", path_},
                                   {"header", TraceReader(path_).header().json()},
                                   {"unit_bytes", 4096},
                                   {"accesses", 12},
                                   {"distinct", 5},
                                   {"rounds", 2},
                                   {"rows",
                                    {row("opt", 3, nullptr, 7), row("opt", 4, 40.0, 6),
                                     row("lru", 3, nullptr, 10), row("lru", 4, 40.0, 8)}}};
  EXPECT_EQ(document, expected);
}

TEST_F(CacheVerbs, CachesimPrintsATableForPeople) {
  ASSERT_EQ(run({"cachesim", path_.c_str(), "--sizes", "20%..90%"}), 0);
  EXPECT_THAT(out_, HasSubstr("12 accesses (48.0 KiB) to 5 units (20.0 KiB)"));
  EXPECT_THAT(out_, ::testing::ContainsRegex("lru +12.0 KiB +30.00% +3 +10 +40.0 KiB"));
  EXPECT_THAT(out_, ::testing::ContainsRegex("opt +36.0 KiB +90.00% +9 +5 +20.0 KiB"));
}

TEST_F(CacheVerbs, CachesimTakesSeveralTracesAndListsThem) {
  const char* path = path_.c_str();
  ASSERT_EQ(run({"cachesim", path, path, "--policy", "fifo", "--sizes", "16K", "--json"}), 0);
  const auto documents = nlohmann::json::parse(out_);
  ASSERT_EQ(documents.size(), 2U);
  for (const auto& document : documents) EXPECT_EQ(document["rows"][0]["misses"], 10);
  ASSERT_EQ(run({"cachesim", path, "/dev/null", "--sizes", "16K"}),
            static_cast<int>(ExitCode::bad_input));
  EXPECT_EQ(out_, "");
}

TEST_F(CacheVerbs, TraceTellsHeaderAndRounds) {
  ASSERT_EQ(run({"trace", path_.c_str(), "--json"}), 0);
  const auto document = nlohmann::json::parse(out_);
  EXPECT_EQ(document["header"]["workload"], "bfs");
  EXPECT_EQ(document["rounds"], 2);
  EXPECT_EQ(document["per_round"][1],
            (nlohmann::json{{"round", 1}, {"accesses", 6}, {"distinct", 5}}));
  ASSERT_EQ(run({"trace", path_.c_str()}), 0);
  EXPECT_THAT(out_, HasSubstr("accesses  12 (48.0 KiB)\n"));
}

TEST_F(CacheVerbs, TracePrintsEventsAsFarAsAsked) {
  ASSERT_EQ(run({"trace", path_.c_str(), "--events", "--head", "4"}), 0);
  EXPECT_EQ(out_, "round 0\n  1\n  2\n  3\n");
  ASSERT_EQ(run({"trace", path_.c_str(), "--events", "--head", "2", "--json"}), 0);
  EXPECT_EQ(out_, "{\"round\":0}\n{\"unit\":1,\"units\":1}\n");
  ASSERT_EQ(run({"trace", path_.c_str(), "--events"}), 0);
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 14);
  EXPECT_EQ(run({"trace", path_.c_str(), "--head", "4"}), 2);
}

TEST_F(CacheVerbs, TraceSaysWhatIsMissingForConverting) {
  EXPECT_EQ(run({"trace", path_.c_str(), "--to", "csv"}), 2);
  EXPECT_THAT(err_, HasSubstr("--to csv FILE"));
  EXPECT_EQ(run({"trace", path_.c_str(), "out.csv"}), 2);
  EXPECT_THAT(err_, HasSubstr("--to csv or --to oracle"));
  EXPECT_EQ(run({"trace", path_.c_str(), "--to", "tsv", "out.tsv"}), 2);
}

TEST_F(CacheVerbs, MistakesHaveTheirExitCodes) {
  EXPECT_EQ(run({"cachesim", path_.c_str(), "--policy", "lru,otp", "--sizes", "12K"}), 2);
  EXPECT_THAT(
      err_,
      HasSubstr("unknown policy 'otp'; there are: opt, sub, lru, clock, fifo, s3fifo, arc; did"));
  EXPECT_EQ(run({"cachesim", path_.c_str(), "--sizes", "1K"}), 2);
  EXPECT_THAT(err_, HasSubstr("not even one unit"));
  EXPECT_EQ(run({"trace", "/nonexistent.oct"}), static_cast<int>(ExitCode::io));
  EXPECT_EQ(run({"trace", "/dev/null"}), static_cast<int>(ExitCode::bad_input));
}

}  // namespace
}  // namespace outcore
