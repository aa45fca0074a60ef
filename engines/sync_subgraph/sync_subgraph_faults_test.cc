// SPDX-License-Identifier: Apache-2.0
// What the synchronous subgraph engine refuses, and how it ends when files or the device fail.
#include <fmt/format.h>

#include "engines/sync_subgraph/sync_subgraph_fixture.h"
#include "engines/vertex_program.h"
#include "storage/layout/broken_layout.h"
#include "tests/sanitized.h"

namespace outcore {
namespace {

void refused(const Layout& layout, const EngineOptions& options, const std::string& text) {
  expect_error(ExitCode::usage, text,
               [&] { static_cast<void>(find_engine("sync_subgraph").make(layout, options)); });
}

TEST_F(SyncSubgraph, RefusesOtherPacksAndPlacesWithTheCommandThatGoes) {
  const auto refuses = [&](const LayoutChoices& choices, const std::string& text) {
    refused(Layout(toy_.layout(choices)), {}, text);
  };
  refuses({.pack = "firstfit"}, "--pack csr");
  refuses({.place = "degree", .pack = "csr"}, "--pack csr");
  refuses({.pack = "csr", .inline_edges = 2}, "not in the index");
  refuses(layout_preset("acgraph"), "--pack csr");
}

TEST_F(SyncSubgraph, RefusesIntervalsThatCannotBe) {
  expect_error(ExitCode::usage, "p", [] { sync_options("p=0"); });
  refused(layout_, sync_options("p=4097"), "there are 4,096 vertices");
  EngineOptions small = sync_options("p=2");
  small.frames_bytes = 16 * 4096;
  try {
    static_cast<void>(find_engine("sync_subgraph").make(layout_, small));
    FAIL() << "accepted";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_THAT(text, testing::HasSubstr("is too few"));
    const std::size_t at = text.rfind("p=");
    const int least = std::stoi(text.substr(at + 2));
    small.settings = engine_settings(fmt::format("sync_subgraph:p={}", least));
    EXPECT_NO_THROW(static_cast<void>(find_engine("sync_subgraph").make(layout_, small)));
    small.settings = engine_settings(fmt::format("sync_subgraph:p={}", least - 1));
    EXPECT_THROW(static_cast<void>(find_engine("sync_subgraph").make(layout_, small)), Error);
  }
}

TEST_F(SyncSubgraph, RefusesFramesBelowABlockAThreadInEachOfFourParts) {
  EngineOptions options = sync_options();
  options.threads = 2;
  options.frames_bytes = 7 * 4096;
  refused(layout_, options, "give --frames 32768 or more");
  options.frames_bytes = 8 * 4096;
  EXPECT_NO_THROW(static_cast<void>(run("wcc", options)));
  options.threads = 0;
  refused(layout_, options, "--threads");
  options.threads = 1;
  options.depth = 0;
  refused(layout_, options, "--depth");
}

TEST_F(SyncSubgraph, SaysThatAModelHasNoRateOfWrites) {
  EngineOptions options = sync_options();
  options.rates = guessed_rates();
  options.rates->source = "a model";
  options.rates->write_mb_per_s = 0;
  const auto engine = find_engine("sync_subgraph").make(layout_, options);
  EXPECT_THAT(engine->report().notes,
              testing::Contains(testing::StartsWith("a model has no rate of writes (T_sw)")));
}

TEST_F(SyncSubgraph, ProgramsThatCountRoundsAreNotShownWhatTheRoundWrote) {
  const EngineOptions options = sync_options("visibility=interval,p=7");
  const SyncRun run = this->run("pagerank", options);
  EXPECT_EQ(run.report.visibility, Visibility::round);
  EXPECT_EQ(run.report.rounds.size(), 10U);
}

// Room for values is taken before the first of them is written.
TEST_F(SyncSubgraph, NamesTheArrayThatTheDiskHasNoRoomFor) {
  EngineOptions options = sync_options();
  options.states =
      std::make_shared<StateStore>(StateFiles{.folder = toy_.folder()}, std::function<void()>());
  const auto engine = find_engine("sync_subgraph").make(layout_, options);
  expect_error(ExitCode::io, "(state 'rank')",
               [&] { static_cast<void>(engine->zeros<float>("rank", std::size_t{1} << 58)); });
}

TEST_F(SyncSubgraph, DoesNotDrive) {
  const auto engine = find_engine("sync_subgraph").make(layout_, sync_options());
  const Workload& dfs = find_workload("dfs");
  EXPECT_THROW(dfs.run(*engine, toy_parameters(dfs)), Error);
  EXPECT_THAT(missing(engine->traits(), dfs), testing::HasSubstr("drive"));
}

// A list of 40,000 edges, where frames hold 8 blocks: streamed, in parts, by one worker.
TEST(SyncSubgraphStreams, AListLongerThanItsFrames) {
  const ToyContainer toy(hub(kThreadSanitized ? 20'000 : 40'000), true);
  const Layout layout(toy.layout(layout_preset("losc")));
  Container container(toy.folder());
  const Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
  for (const std::string way : {"schedule=full", "schedule=full,construction=parallel",
                                "schedule=full,reenter=2", "schedule=auto"}) {
    for (const unsigned threads : {1U, 2U}) {
      SCOPED_TRACE(way);
      EngineOptions options = sync_options(way);
      options.threads = threads;
      options.frames_bytes = 8 * 4096;
      options.backend = "mem";
      for (const char* workload : {"wcc", "bfs", "pagerank"}) {
        const Workload& entry = find_workload(workload);
        const SyncRun run = run_sync(layout, workload, options);
        EXPECT_TRUE(entry.verify(canonical, run.answer, toy_parameters(entry)).passed) << workload;
      }
    }
  }
}

// --- Failures ---

TEST_F(SyncSubgraph, StopsWithFileAndOffsetWhenTheDeviceFails) {
  for (const std::string way : {"schedule=full,p=5", "schedule=full,construction=parallel",
                                "schedule=selected", "schedule=full,construction=serial,keep=on"}) {
    for (const char* plan : {"eio@3", "flip@3", "short@3", "eio@20"}) {
      for (const unsigned threads : {1U, 2U, 16U}) {
        for (const char* workload : {"pagerank", "wcc"}) {
          SCOPED_TRACE(testing::Message() << way << " " << plan << " " << threads << workload);
          EngineOptions options = sync_options(way);
          options.threads = threads;
          options.backend = "fault";
          options.fault_plan = plan;
          options.max_request_bytes = 4096;
          expect_error(ExitCode::io, "out.blocks at offset",
                       [&] { static_cast<void>(run(workload, options)); });
        }
      }
    }
  }
}

TEST_F(SyncSubgraph, AnswersTheSameInWhateverOrderReadsEnd) {
  const std::string digest = run("wcc", sync_options()).answer.digest();
  for (int seed = 0; seed < 6; ++seed) {
    for (const std::string way :
         {"schedule=full", "schedule=full,construction=parallel", "schedule=selected"}) {
      for (const unsigned threads : {1U, 2U, 7U}) {
        EngineOptions options = sync_options(way);
        options.threads = threads;
        options.depth = 8;
        options.frames_bytes = std::uint64_t{4} * 7 * 4096;
        options.max_request_bytes = 4096;
        options.backend = "fault";
        options.fault_plan = fmt::format("over:mem,jitter:0.05,seed:{}", seed);
        EXPECT_EQ(run("wcc", options).answer.digest(), digest) << way << " " << seed;
      }
    }
  }
}

// What a program throws in one worker ends the call; the loader and the others do not wait for it.
struct Choking : VertexProgram<Choking, VertexId> {
  static constexpr Saying kSaying = Saying::changing;
  static constexpr Hearing kHearing = Hearing::newest;
  Message emit(Source u) { return u.v; }
  Message combine(Message a, Message b) { return std::min(a, b); }
  template <Access A>
  Priority accept(VertexId v, Message) {
    if (v > 1000) throw std::runtime_error("choked");
    return 0;
  }
};

TEST_F(SyncSubgraph, StopsWhenAProgramThrows) {
  for (const std::string construction : {"fused", "parallel", "serial"}) {
    for (const unsigned threads : {1U, 2U, 16U}) {
      EngineOptions options = sync_options("p=6,schedule=full,construction=" + construction);
      options.threads = threads;
      options.max_request_bytes = 4096;
      const auto engine = find_engine("sync_subgraph").make(layout_, options);
      Choking choking;
      EXPECT_THROW(engine->converge(choking, Frontier::all(engine->graph())), std::runtime_error);
    }
  }
}

TEST_F(SyncSubgraph, NamesFileOffsetAndVertexOfAPieceThatIsDamaged) {
  // The list of vertex 0 begins the file: its first byte says how long its piece is.
  const std::filesystem::path folder = layout_.folder();
  std::vector<std::byte> block(4096);
  File::open_read(folder / "out.blocks").read(block, 0);
  block[0] = std::byte{4};
  File::open_update(folder / "out.blocks").write_at(block, 0);
  put_sealed<std::uint32_t>(folder / "layout.json", "out.sums", 0, checksum32(block));
  const Layout damaged(folder);
  for (const std::string construction : {"fused", "parallel"}) {
    EngineOptions options = sync_options("schedule=full,construction=" + construction);
    expect_error(ExitCode::bad_input,
                 "out.blocks at offset 0: found another piece of the list of "
                 "vertex 0",
                 [&] { static_cast<void>(run_sync(damaged, "pagerank", options)); });
  }
}

}  // namespace
}  // namespace outcore
