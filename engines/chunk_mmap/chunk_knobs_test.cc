// SPDX-License-Identifier: Apache-2.0
// What a knob of the layout, of the machine or of dependent lists moves in the chunk-based engine's
// counters. chunk_mmap_test.cc has those of residency and of rounds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <numeric>

#include "engines/chunk_mmap/runs_for_tests.h"
#include "storage/io/kernel_counters.h"
#include "tests/toy_container.h"

namespace outcore {
namespace {

class ChunkKnobs : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { toy_ = new ToyContainer(small_kronecker(14, 16, 1), true); }
  static void TearDownTestSuite() { delete toy_; }

  // A run over chunks of 512 B to 4 KB, so that there are lists of every level, packed so.
  static EngineReport packed(const std::string& pack, const std::string& workload = "pagerank") {
    LayoutChoices choices = layout_preset("chunkgraph");
    set_pack(choices, "chunks:smallest=512,factor=2" + pack);
    return run(Layout(toy_->layout(choices)), workload, "");
  }

  static inline ToyContainer* toy_ = nullptr;
};

TEST_F(ChunkKnobs, LevelsThatAreNotThereLeaveTheirListsToTheSuperVertices) {
  EXPECT_GT(count(packed(""), "populated_level3"), 0U);
  const EngineReport two = packed(",levels=2");
  EXPECT_GT(count(two, "populated_level1"), 0U);
  EXPECT_EQ(count(two, "populated_level2"), 0U);
  EXPECT_GT(memory(two, "super"), memory(packed(""), "super"));
}

TEST_F(ChunkKnobs, EachThresholdMovesListsToTheNextLevel) {
  const EngineReport usual = packed("");
  for (int level = 0; level < 4; ++level) {
    // The formula's of the level below: chunk / 4 - (that of the level below it + 1).
    constexpr int kBelow[] = {2, 125, 130, 381};
    const int below = kBelow[level];
    const EngineReport lower = packed(fmt::format(",d{}={}", level, below + 1));
    const std::string bytes = fmt::format("resident_level{}_bytes", level);
    EXPECT_LT(count(lower, bytes), count(usual, bytes)) << "d" << level;
  }
}

// How much that saves is a matter of the graph (chunks_test.cc).
TEST_F(ChunkKnobs, ATailMovesListsToOtherChunks) {
  EXPECT_NE(packed("", "bfs").io.requested_bytes, packed(",tail=0", "bfs").io.requested_bytes);
}

// Free slots before a list, not behind the last one: other blocks of a large chunk are used.
TEST_F(ChunkKnobs, InterleavedFreeSlotsMoveLists) {
  const auto blocks = [&](const std::string& interleave) {
    LayoutChoices choices = layout_preset("chunkgraph");
    set_pack(choices, "chunks:d0=20,tail=0,interleave=" + interleave);
    std::uint64_t sum = 0;
    for (const RoundReport& round : run(Layout(toy_->layout(choices)), "pagerank", "").rounds) {
      sum += round.blocks;
    }
    return sum;
  };
  EXPECT_NE(blocks("0"), blocks("1"));
}

TEST_F(ChunkKnobs, AnOrderOfListsLetsASearchTouchFewerChunks) {
  LayoutChoices shuffled = layout_preset("chunkgraph");
  shuffled.number = "random";
  shuffled.place = "id";
  LayoutChoices ordered = shuffled;
  ordered.place = "bfs2";
  EXPECT_LT(count(run(Layout(toy_->layout(ordered)), "bfs", "switch=1"), "chunks_touched"),
            count(run(Layout(toy_->layout(shuffled)), "bfs", "switch=1"), "chunks_touched"));
}

TEST_F(ChunkKnobs, ThreadsShareABatch) {
  const Layout layout(toy_->layout("csr"));
  EngineOptions options;
  options.frames_bytes = std::uint64_t{1} << 20;
  options.threads = 1;
  const std::uint64_t alone = count(run(layout, "pagerank", "", options), "batches");
  options.threads = 4;
  EXPECT_GT(count(run(layout, "pagerank", "", options), "batches"), 2 * alone);
}

// What a touched page brings along shows in memory alone.
TEST_F(ChunkKnobs, AdviceSaysWhatAFaultBringsAlong) {
  const Layout layout(toy_->layout("csr"));
  const std::filesystem::path path = layout.block_files()[0].path;
  evict_pages({path});
  if (page_residency({path}) > 0) GTEST_SKIP() << "pages cannot be dropped";
  const auto resident_after = [&](const std::string& advice) {
    evict_pages({path});
    run(layout, "random-walk", "residency=kernel,advice=" + advice, {}, {"walkers=2", "steps=2"});
    return page_residency({path});
  };
  const double random = resident_after("random");
  EXPECT_LT(2 * random, resident_after("normal"));
  EXPECT_LT(2 * random, resident_after("sequential"));
}

// --- Dependent lists ---

// Follows no list further; notes how many requests were under way when a list had come.
class SinglePieces : public TaskProgram {
 public:
  explicit SinglePieces(const RequestGauge& gauge) : gauge_(gauge) {}
  ListRange wants(const Task&, std::uint32_t degree) override { return {0, degree}; }
  void step(const Task&, const Piece&, TaskStack&) override {
    const std::int64_t now = gauge_.in_flight;
    const std::lock_guard lock(mutex_);
    most_ = std::max(most_, now);
  }
  [[nodiscard]] std::int64_t most() const { return most_; }

 private:
  const RequestGauge& gauge_;
  std::mutex mutex_;
  std::int64_t most_ = 0;
};

TEST_F(ChunkKnobs, AsManyTasksListsArePopulatedAtOnceAsDepthSays) {
  const Layout layout(toy_->layout("csr"));
  for (const unsigned depth : {1U, 8U, 32U}) {
    RequestGauge gauge;
    EngineOptions options;
    options.threads = 1;
    options.depth = depth;
    options.gauge = &gauge;
    const auto engine = find_engine("chunk_mmap").make(layout, options);
    std::vector<Task> tasks;
    for (VertexId v = 0; v < engine->graph().id_space; v += 16) tasks.push_back({.v = v});
    SinglePieces program(gauge);
    engine->drive(program, tasks, Direction::out);
    EXPECT_LT(program.most(), depth);
    EXPECT_GE(program.most(), depth / 2) << "of lists that lie in different blocks";
    EXPECT_EQ(engine->report().backend, "mmap");
  }
}

TEST_F(ChunkKnobs, DependentListsStayWithinTheFrames) {
  const Layout layout(toy_->layout("csr"));
  const std::vector<std::string> walks = {"walkers=400", "steps=20"};
  EngineOptions few;
  few.frames_bytes = 64 * kBlock;
  for (const char* residency : {"residency=advised", "residency=own"}) {
    SCOPED_TRACE(residency);
    const EngineReport all = run(layout, "random-walk", residency, {}, walks);
    EXPECT_EQ(count(all, "chunks_refetched"), 0U) << "what came once is used again";
    const EngineReport some = run(layout, "random-walk", residency, few, walks);
    EXPECT_LE(memory(some, "chunks"), few.frames_bytes + 4 * kBlock);
    EXPECT_GT(count(some, "chunks_evicted"), 0U);
    EXPECT_GT(some.io.requested_bytes, all.io.requested_bytes);
    EXPECT_EQ(some.edges_processed, all.edges_processed) << "the same walks";
  }
  const EngineReport kernel = run(layout, "random-walk", "residency=kernel", few, walks);
  EXPECT_EQ(kernel.io.requests, 0U) << "pages come as they are touched";
}

// Rounds and tasks keep what they use in ways of their own: neither finds memory that the other
// gave up.
TEST_F(ChunkKnobs, RoundsAndTasksMayTakeTurns) {
  const Layout layout(toy_->layout("csr"));
  for (const char* residency : {"advised", "own"}) {
    EngineOptions options;
    options.settings = engine_settings(fmt::format("chunk_mmap:residency={}", residency));
    const auto engine = find_engine("chunk_mmap").make(layout, options);
    std::vector<std::string> walked;
    std::vector<std::string> searched;
    for (int turn = 0; turn < 2; ++turn) {
      const Workload& walk = find_workload("random-walk");
      const Workload& bfs = find_workload("bfs");
      walked.push_back(
          walk.run(*engine, Parameters("random-walk", walk.parameters, {}))().digest());
      searched.push_back(bfs.run(*engine, Parameters("bfs", bfs.parameters, {}))().digest());
    }
    EXPECT_EQ(walked[0], walked[1]);
    EXPECT_EQ(searched[0], searched[1]);
    EXPECT_GT(count(engine->report(), "chunks_evicted"), 0U);
  }
}

}  // namespace
}  // namespace outcore
