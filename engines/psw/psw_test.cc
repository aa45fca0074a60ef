// SPDX-License-Identifier: Apache-2.0
// What makes the engine GraphChi's parallel sliding windows: by its access trace and by counters.
#include <set>

#include "engines/psw/psw_fixture.h"
#include "engines/psw/shard_files.h"
#include "storage/io/device_model.h"
#include "tests/sanitized.h"

namespace outcore {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// In which order the blocks of a column were asked for: the numbers of their cells, row and column,
// one for each stretch.
std::vector<std::pair<std::uint32_t, std::uint32_t>> cells_asked(
    const EdgeLayout& layout, std::uint32_t file, const std::vector<AskedBlock>& asked,
    std::uint64_t round) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cells;
  for (const AskedBlock& access : asked) {
    if (access.file != file || access.round != round) continue;
    for (std::uint32_t column = 0; column < layout.facts().intervals; ++column) {
      for (std::uint32_t row = 0; row < layout.facts().intervals; ++row) {
        const EdgeCell& cell = layout.cell(row, column);
        const BlockId end = cell.first_block + layout.blocks_for(cell.edges, sizeof(VertexId));
        if (access.block < cell.first_block || access.block >= end) continue;
        if (cells.empty() || cells.back() != std::pair(row, column))
          cells.emplace_back(row, column);
      }
    }
  }
  return cells;
}

// One memory shard and P - 1 windows an interval, in the order of intervals.
TEST_F(Psw, AsksForOneMemoryShardAndAWindowOfEachOtherShard) {
  EngineOptions options = psw_options();
  options.depth = 1;
  const auto asked = traced_psw(layout_, "wcc", options);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> expected;
  for (std::uint32_t i = 0; i < kShards; ++i) {
    for (std::uint32_t row = 0; row < kShards; ++row) expected.emplace_back(row, i);
    for (std::uint32_t shard = 0; shard < kShards; ++shard) {
      if (shard != i) expected.emplace_back(i, shard);
    }
  }
  const ShardFiles files(layout_);
  EXPECT_EQ(cells_asked(layout_, files.targets, asked, 0), expected);
  EXPECT_EQ(cells_asked(layout_, files.values, asked, 0), expected);
}

// Of LOSC, section 3.5. A pass in which everything is updated reads each edge twice, but for the
// interval's own window, and writes each value once.
TEST_F(Psw, ReadsEachEdgeTwiceAndWritesEachValueOnceAPass) {
  EngineReport report;
  const auto asked = traced_psw(layout_, "wcc", psw_options(), &report);
  std::uint64_t own = 0;
  for (std::uint32_t i = 0; i < kShards; ++i) {
    const EdgeCell& cell = layout_.cell(i, i);
    own += (2 * layout_.blocks_for(cell.edges, 4) + layout_.blocks_for(cell.runs, 8)) * 4096;
  }
  EXPECT_EQ(report.rounds[0].requested_bytes, 2 * (edge_bytes() + value_bytes()) - own);
  std::map<std::pair<std::uint32_t, BlockId>, int> times;
  for (const AskedBlock& access : asked) {
    if (access.round == 0) ++times[{access.file, access.block}];
  }
  for (const auto& [block, count] : times)
    EXPECT_LE(count, 2) << block.first << ' ' << block.second;
}

// |E|(M + W) to 2|E|(M + W) read, |E| W written, to 2%: rounds of PageRank, and a pass.
TEST_F(Psw, MovesTheBytesOfTheModelInAnIterationOfPageRank) {
  constexpr std::uint64_t kIterations = 3;
  const PswRun run = this->run("pagerank", psw_options(), {"iterations=3", "tolerance=0"});
  ASSERT_EQ(run.report.rounds.size(), kIterations);
  const auto model = static_cast<double>(2 * (edge_bytes() + value_bytes()));
  for (const RoundReport& round : run.report.rounds) {
    EXPECT_NEAR(static_cast<double>(round.requested_bytes), model, 0.02 * model);
  }
  EXPECT_NEAR(static_cast<double>(run.report.io.written_bytes),
              static_cast<double>(kIterations * value_bytes()),
              0.02 * static_cast<double>(kIterations * value_bytes()));
}

TEST_F(Psw, WritesNoWindowThatNoVertexDirtied) {
  // The source alone speaks in the first pass, or others that it told before their turn.
  EngineReport report;
  traced_psw(layout_, "bfs", psw_options(), &report);
  const std::uint64_t windows = report.rounds.size() * kShards * kShards;
  EXPECT_LT(report.counts["windows_written"], windows);
  EXPECT_GT(report.counts["windows_written"], 0U);
  // All speak: all windows.
  const PswRun all = run("pagerank", psw_options(), {"iterations=1", "tolerance=0"});
  EXPECT_EQ(all.report.counts.at("windows_written"), kShards * kShards);
}

TEST(PswPath, PassesOverIntervalsInWhichNothingIsDue) {
  const ToyContainer toy(path(4000), true);
  const EdgeLayout layout(toy.layout(psw_choices("p=4")));
  const PswRun run = run_psw(layout, "bfs", psw_options());
  EXPECT_TRUE(verified(toy, "bfs", run.answer));
  EXPECT_LT(run.report.counts.at("intervals_loaded"), run.report.rounds.size() * 4);
}

// Immediate, within an interval too: one pass brings label 0 to the end of the path.
TEST(PswPath, MovesALabelDownThePathInOnePass) {
  const ToyContainer toy(path(4000), true);
  const EdgeLayout layout(toy.layout(psw_choices("p=4")));
  const PswRun run = run_psw(layout, "wcc", psw_options());
  EXPECT_TRUE(verified(toy, "wcc", run.answer));
  EXPECT_EQ(run.report.visibility, Visibility::immediate);
  EXPECT_EQ(run.report.rounds.size(), 2U);
}

// Bits of ranks in single precision tell any other order of additions.
TEST(PswBits, AreTheSameByAnyNumberOfThreads) {
  const ToyContainer toy(small_kronecker(kSanitized ? 7 : 9, 16, 1), true);
  const EdgeLayout wide(toy.layout(psw_choices("p=4,value=8")));
  for (const char* workload : {"pagerank", "pagerank-delta", "ppr", "sssp", "spmv"}) {
    for (const char* way : {"edges=objects", "edges=indices", "construction=shards"}) {
      std::set<std::string> digests;
      for (const unsigned threads : {1U, 2U, 7U}) {
        EngineOptions options = psw_options(way);
        options.threads = threads;
        const PswRun run = run_psw(wide, workload, options);
        EXPECT_TRUE(verified(toy, workload, run.answer)) << workload;
        digests.insert(run.answer.digest());
      }
      EXPECT_EQ(digests.size(), 1U) << workload << " " << way;
    }
  }
}

TEST_F(Psw, CountsWhatIsUpdatedOneAfterAnother) {
  const PswRun run = this->run("wcc", psw_options());
  const auto& counts = run.report.counts;
  EXPECT_GT(counts.at("serialised_updates"), 0U);
  EXPECT_LT(counts.at("serialised_updates"), counts.at("updates"));
  EXPECT_EQ(counts.at("updates"), [&] {
    std::uint64_t sum = 0;
    for (const RoundReport& round : run.report.rounds) sum += round.frontier;
    return sum;
  }());
}

// Edges between the halves alone: no vertex has a neighbour in its interval.
TEST(PswHalves, SerialisesNothingWithoutEdgesWithinAnInterval) {
  Shape shape{.name = "halves", .vertices = 2000, .edges = {}};
  for (VertexId v = 0; v < 1000; ++v) {
    shape.edges.emplace_back(v, 1000 + v);
    shape.edges.emplace_back(v, 1000 + (v * 7 + 1) % 1000);
  }
  const ToyContainer toy(shape, true);
  const EdgeLayout layout(toy.layout(psw_choices("p=2")));
  ASSERT_EQ(layout.cell(0, 0).edges + layout.cell(1, 1).edges, 0U);
  const PswRun run = run_psw(layout, "wcc", psw_options());
  EXPECT_TRUE(verified(toy, "wcc", run.answer));
  EXPECT_EQ(run.report.counts.at("serialised_updates"), 0U);
}

// Sub-intervals: windows slide within an interval, and shards stay.
TEST_F(Psw, CutsIntervalsWhoseSubgraphIsMoreThanTheFrames) {
  EngineOptions options = psw_options();
  const PswRun whole = this->run("wcc", options);
  EXPECT_EQ(whole.report.counts.at("sub_intervals"), whole.report.counts.at("intervals_loaded"));
  options.frames_bytes = std::uint64_t{1100} << 10;
  const PswRun cut = this->run("wcc", options);
  EXPECT_TRUE(verified(toy_, "wcc", cut.answer));
  EXPECT_GT(cut.report.counts.at("sub_intervals"), cut.report.counts.at("intervals_loaded"));
  EXPECT_EQ(cut.answer.digest(), whole.answer.digest());
  std::map<std::string, std::uint64_t> memory(cut.report.memory.begin(), cut.report.memory.end());
  EXPECT_LE(memory["frames"], options.frames_bytes);
}

// What is refused names frames that go, and shards that go: both do.
TEST(PswShards, RefusesAMemoryShardThatDoesNotFitWithWhatGoes) {
  const ToyContainer toy(small_kronecker(13, 32, 1), true);
  const EdgeLayout layout(toy.layout(psw_choices("p=2")));
  EngineOptions options = psw_options();
  options.frames_bytes = std::uint64_t{3} << 20;
  try {
    static_cast<void>(find_engine("psw").make(layout, options));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    const std::string text = error.what();
    EXPECT_THAT(text, HasSubstr("--frames 3145728 is too small: a memory shard"));
    EXPECT_THAT(text, HasSubstr("outcore layout"));
    const std::uint64_t needed = std::stoull(text.substr(text.find("give --frames ") + 14));
    const std::string p = text.substr(text.find("psw:p=") + 4);
    const EdgeLayout more(toy.layout(psw_choices(p.substr(0, p.find_first_of(" ,;\n")))));
    EXPECT_TRUE(verified(toy, "wcc", run_psw(more, "wcc", options).answer));
    options.frames_bytes = needed;
    EXPECT_TRUE(verified(toy, "wcc", run_psw(layout, "wcc", options).answer));
    options.frames_bytes = needed - 1;
    EXPECT_THROW(static_cast<void>(find_engine("psw").make(layout, options)), Error);
  }
}

// --- Knobs ---

TEST_F(Psw, ArraysOfObjectsTakeThreeTimesThoseOfIndices) {
  const auto frames = [&](const std::string& way) {
    const PswRun run = this->run("wcc", psw_options(way));
    EXPECT_TRUE(verified(toy_, "wcc", run.answer));
    const std::map<std::string, std::uint64_t> memory(run.report.memory.begin(),
                                                      run.report.memory.end());
    return memory.at("frames");
  };
  EdgeIndex most = 0;  // in- and out-edges of an interval, which is symmetric
  for (std::uint32_t i = 0; i < kShards; ++i) {
    EdgeIndex edges = 0;
    for (std::uint32_t row = 0; row < kShards; ++row) edges += layout_.cell(row, i).edges;
    most = std::max(most, edges);
  }
  EXPECT_EQ(frames("edges=objects") - frames("edges=indices"), 2 * most * 8);
}

TEST_F(Psw, WithoutDeterminismNothingIsSerialisedWhereHearingTwiceIsHarmless) {
  EngineOptions options = psw_options("deterministic=off");
  options.threads = 4;
  for (const char* workload : {"wcc", "sssp"}) {
    const PswRun run = this->run(workload, options);
    EXPECT_TRUE(verified(toy_, workload, run.answer)) << workload;
    EXPECT_EQ(run.report.counts.at("serialised_updates"), 0U) << workload;
  }
  const PswRun exact = this->run("kcore", options);
  EXPECT_TRUE(verified(toy_, "kcore", exact.answer));
  EXPECT_GT(exact.report.counts.at("serialised_updates"), 0U);
  EXPECT_THAT(exact.report.notes, Contains(HasSubstr("each message counts")));
}

TEST_F(Psw, AWiderValueMovesMoreBytes) {
  const EdgeLayout wide(toy_.layout(psw_choices("p=4,value=16")));
  const PswRun narrow = run("wcc", psw_options());
  const PswRun run = run_psw(wide, "wcc", psw_options());
  EXPECT_EQ(run.answer.digest(), narrow.answer.digest());
  EXPECT_GT(run.report.io.written_bytes, 3 * narrow.report.io.written_bytes);
}

TEST_F(Psw, LargerRequestsAreFewer) {
  EngineOptions small = psw_options();
  small.max_request_bytes = 4096;
  const PswRun one = run("wcc", small);
  const PswRun many = run("wcc", psw_options());
  EXPECT_EQ(one.report.io.requested_bytes, many.report.io.requested_bytes);
  EXPECT_GT(one.report.io.requests, 4 * many.report.io.requests);
  EXPECT_GT(one.report.io.write_requests, many.report.io.write_requests);
}

TEST_F(Psw, AnswersByAnyDepthAndBackend) {
  for (const unsigned depth : {1U, 3U, 64U}) {
    for (const char* backend : {"uring", "threads", "mem"}) {
      EngineOptions options = psw_options();
      options.depth = depth;
      options.backend = backend;
      EXPECT_TRUE(verified(toy_, "wcc", run("wcc", options).answer)) << depth << backend;
    }
  }
}

// The door's count and the kernel's are the same, where nothing is cached.
TEST_F(Psw, TheKernelWritesWhatTheDoorWasAskedTo) {
  EngineOptions options = psw_options();
  options.backend = "uring";
  const auto engine = find_engine("psw").make(layout_, options);
  const Workload& pagerank = find_workload("pagerank");
  const KernelCounters kernel;
  pagerank.run(*engine, toy_parameters(pagerank))();
  const KernelCounters::Reading reading = kernel.since_start();
  const EngineReport report = engine->report();
  if (!reading.available || !report.backend_traits.direct || reading.written_bytes == 0) {
    GTEST_SKIP() << "the kernel counts no direct writes here";
  }
  const auto written = static_cast<double>(report.io.written_bytes);
  EXPECT_NEAR(static_cast<double>(reading.written_bytes), written, 0.01 * written);
}

// Time passes only for the thread that waits for it.
class PatientClock final : public ModelClock {
 public:
  explicit PatientClock(Time& now) : now_(now) {}
  [[nodiscard]] Time now() const override { return now_; }
  void wait_until(Time time) override { now_ = std::max(now_, time); }

 private:
  Time& now_;
};

// By virtual time: a device that writes at a tenth of the rate takes that much longer for what goes
// back.
TEST_F(Psw, IsChargedForItsWritesByAModelledDevice) {
  std::uint64_t written = 0;
  const auto seconds = [&](double write_mb_per_s) {
    DeviceModel model = {"m", 8, 1, 0, 1000, 0};
    model.write_mb_per_s = write_mb_per_s;
    ModelClock::Time now{0};
    EngineOptions options = psw_options();
    options.threads = 1;
    options.device =
        std::make_shared<ModelledDevice>(model, 1, std::make_unique<PatientClock>(now));
    const PswRun run = this->run("pagerank", options, {"iterations=2", "tolerance=0"});
    written = run.report.io.written_bytes;
    return static_cast<double>(now.count()) / 1e9;
  };
  const double quick = seconds(1000);
  const double slow = seconds(100);
  EXPECT_GT(slow, static_cast<double>(written) / 100e6);
  EXPECT_LT(quick, static_cast<double>(written) / 100e6);
}

TEST_F(Psw, GoesThroughValuesInFilesByInterval) {
  EngineOptions options = psw_options();
  options.states =
      std::make_shared<StateStore>(StateFiles{.folder = toy_.folder()}, std::function<void()>());
  const PswRun run = this->run("wcc", options);
  EXPECT_TRUE(verified(toy_, "wcc", run.answer));
  EXPECT_GT(run.report.counts.at("state_written_bytes"), 0U);
}

}  // namespace
}  // namespace outcore
