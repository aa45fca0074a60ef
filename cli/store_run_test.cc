// SPDX-License-Identifier: Apache-2.0
// `outcore run` on the store of a graph that changes: verified answers, the record, refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/captured_for_tests.h"
#include "storage/evolving/multiset_for_tests.h"
#include "tests/toy_durable_store.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr VertexId kIdsOfStore = 400;

class StoreRun : public testing::Test {
 public:
  ~StoreRun() override { fs::remove_all(root_); }
  StoreRun(const StoreRun&) = delete;
  StoreRun& operator=(const StoreRun&) = delete;

 protected:
  StoreRun() {
    fs::remove_all(root_);
    fs::create_directories(root_);
    evolving::make_toy_store(store_, stream_, 6000, kIdsOfStore);
    std::ofstream text(root_ / "stream.txt");
    for (const evolving::LogEdge& logged : stream_) {
      const evolving::Update update = evolving::as_update(logged);
      text << (update.removes ? "- " : "+ ") << update.source << ' ' << update.target << '\n';
    }
  }

  [[nodiscard]] std::string stream_file() const { return (root_ / "stream.txt").string(); }
  int run(std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    // A run forks. Where earlier tests used OpenMP, its threads are not in the child, so no more
    // than one may be asked for.
    words.insert(words.end(), {"--threads", "1"});
    Captured captured = run_captured(words);
    out_ = std::move(captured.out);
    err_ = std::move(captured.err);
    return captured.code;
  }
  nlohmann::json record(std::vector<std::string> words) {
    words.insert(words.end(), {"--verify", "--json"});
    EXPECT_EQ(run(words), 0) << err_;
    return nlohmann::json::parse(out_);
  }

  const fs::path root_ = fs::path(testing::TempDir()) / "store_run_test";
  const std::string store_ = (root_ / "store").string();
  const std::vector<evolving::LogEdge> stream_ =
      evolving::make_stream({.updates = 9000, .vertices = kIdsOfStore, .removals = 0.2});
  std::string out_;
  std::string err_;
};

TEST_F(StoreRun, VerifiesAnswersAndSaysWhatWasOpened) {
  const nlohmann::json found =
      record({store_, "--engine", "evolving:threshold=1024", "--workload", "bfs"});
  EXPECT_TRUE(found.at("layout").is_null());
  const nlohmann::json& store = found.at("store");
  EXPECT_EQ(store.at("prefix"), 9000);
  EXPECT_EQ(store.at("runs"), 2);
  EXPECT_EQ(store.at("medium"), "dram");
  EXPECT_EQ(store.at("edges"), found.at("graph").at("edges"));
  EXPECT_GT(found.at("counts").at("pieces"), 0);
  EXPECT_TRUE(found.at("answer").at("verified").at("passed"));
}

TEST_F(StoreRun, VerifiesAPrefixAgainstItsStream) {
  const nlohmann::json found = record({store_, "--engine", "evolving", "--workload", "pagerank",
                                       "--prefix", "7000", "--against", stream_file()});
  EXPECT_EQ(found.at("store").at("prefix"), 7000);
  EXPECT_TRUE(found.at("answer").at("verified").at("passed"));
}

TEST_F(StoreRun, MirrorsEdgesForWorkloadsOfUndirectedGraphs) {
  EXPECT_EQ(run({store_, "--engine", "evolving", "--workload", "kcore"}), 2);
  EXPECT_THAT(err_, HasSubstr("lists=symmetric"));
  const nlohmann::json found =
      record({store_, "--engine", "evolving:lists=symmetric", "--workload", "wcc"});
  EXPECT_TRUE(found.at("graph").at("symmetric"));
}

TEST_F(StoreRun, ReadsTheRunsOnTheDiskWhereAskedTo) {
  for (const std::string workload : {"pagerank", "wcc", "random-walk"}) {
    const nlohmann::json loaded = record({store_, "--engine", "evolving", "--workload", workload});
    const nlohmann::json found = record({store_, "--engine", "evolving:medium=ssd", "--workload",
                                         workload, "--frames", "4K", "--against", stream_file()});
    EXPECT_TRUE(found.at("answer").at("verified").at("passed")) << workload;
    if (workload != "pagerank") {
      EXPECT_EQ(found.at("answer").at("digest"), loaded.at("answer").at("digest")) << workload;
    }
    EXPECT_EQ(found.at("store").at("medium"), "ssd");
    EXPECT_EQ(found.at("store").at("edges"), loaded.at("store").at("edges"));
    EXPECT_EQ(found.at("store").at("removals_missed"), loaded.at("store").at("removals_missed"));
    EXPECT_FALSE(found.at("pool").at("in_memory")) << workload;
    EXPECT_TRUE(loaded.at("pool").at("in_memory"));
    EXPECT_GT(found.at("io").at("requested_bytes"), 0);
    EXPECT_EQ(loaded.at("io").at("requested_bytes"), 0);
  }
}

TEST_F(StoreRun, BothDirectionsAreMoreEdgesAndBytesThanOne) {
  const auto one_hop = [&](const std::string& direction) {
    return record({store_, "--engine", "evolving:medium=ssd", "--frames", "4K", "--workload",
                   "one-hop", "--set", "count=500", "--set", "direction=" + direction});
  };
  const nlohmann::json out = one_hop("out");
  const nlohmann::json both = one_hop("both");
  EXPECT_GT(both.at("work").at("edges_processed"), out.at("work").at("edges_processed"));
  EXPECT_GT(both.at("io").at("requested_bytes"), out.at("io").at("requested_bytes"));
}

TEST_F(StoreRun, SaysWhatFramesItHad) {
  EXPECT_EQ(run({store_, "--engine", "evolving:medium=ssd", "--workload", "bfs"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("frames 64.0 MiB"));
  EXPECT_EQ(run({store_, "--engine", "evolving", "--workload", "bfs"}), 0) << err_;
  EXPECT_THAT(out_, Not(HasSubstr("frames")));
}

TEST_F(StoreRun, TakesFramesAsAShareOfWhatRunsHold) {
  const nlohmann::json found =
      record({store_, "--engine", "evolving:medium=ssd", "--workload", "bfs", "--frames", "50%"});
  EXPECT_EQ(found.at("pool").at("frames_bytes"), 6000 * 4 / 2);
}

TEST_F(StoreRun, OfOneRunIsOpenedInPlaceByEnginesOfLists) {
  const std::vector<evolving::LogEdge> all(stream_.begin(), stream_.begin() + 6000);
  evolving::make_toy_store(store_, all, all.size(), kIdsOfStore);
  EXPECT_EQ(run({store_, "--engine", "concurrent", "--workload", "bfs"}), 2);
  EXPECT_THAT(err_, HasSubstr("outcore freeze"));
  evolving::compact_store(store_);
  const nlohmann::json asked = record({store_, "--engine", "evolving", "--workload", "bfs"});
  for (const std::string engine : {"concurrent", "async_block", "in_memory"}) {
    const nlohmann::json found = record({store_, "--engine", engine, "--workload", "bfs"});
    EXPECT_EQ(found.at("answer").at("digest"), asked.at("answer").at("digest")) << engine;
    EXPECT_GT(found.at("io").at("requested_bytes"), 0) << engine;
    EXPECT_EQ(found.at("store").at("medium"), "ssd");
  }
}

TEST_F(StoreRun, RefusesWhatCannotBe) {
  const auto refused = [&](std::vector<std::string> words, const std::string& why) {
    EXPECT_EQ(run(std::move(words)), 2);
    EXPECT_THAT(err_, HasSubstr(why));
  };
  refused({store_, "--engine", "grid", "--workload", "bfs"}, "outcore freeze");
  refused({store_, "--engine", "evolving", "--workload", "bfs", "--layout", "csr"}, "no layouts");
  refused({store_, "--engine", "evolving", "--workload", "bfs", "--prefix", "5999"},
          "take a prefix from 6000 to 9000");
  refused({store_, "--engine", "evolving", "--workload", "bfs", "--source", "400000"},
          "no such vertex");
  refused({store_, "--engine", "evolving", "--workload", "bfs", "--against", "x"}, "--verify");
  const std::string graph = (root_ / "graph").string();
  fs::create_directories(graph);
  EXPECT_NE(run({graph, "--engine", "evolving", "--workload", "bfs"}), 0);
}

}  // namespace
}  // namespace outcore
