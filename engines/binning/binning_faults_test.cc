// SPDX-License-Identifier: Apache-2.0
// What the binning engine refuses, how it ends when a program or the device fails, and the smallest
// and most lopsided graphs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engines/binning/binning.h"
#include "engines/vertex_program.h"
#include "storage/layout/broken_layout.h"
#include "tests/sanitized.h"
#include "tests/toy_container.h"
#include "tests/toy_parameters.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

// Ways that one worker cannot go alone are left out for it.
std::vector<std::string> binning_ways(unsigned threads) {
  const std::string small = "bins=64,staging=16,bin-space=700K";
  std::vector<std::string> ways = {small, "apply=atomic", "apply=atomic,roles=fixed",
                                   "ids=kept," + small};
  if (threads > 1) ways.push_back("roles=fixed," + small);
  return ways;
}

EngineOptions faulty_options(const std::string& parameters, unsigned threads = 2) {
  EngineOptions options;
  options.threads = threads;
  options.settings = engine_settings("binning:" + parameters);
  return options;
}

class BinningFaults : public ::testing::Test {
 protected:
  BinningFaults() : toy_(small_kronecker(12, 16, 1), true), layout_(toy_.layout("csr")) {}

  [[nodiscard]] Answer run(const std::string& workload, const EngineOptions& options) const {
    return run_on(layout_, workload, options);
  }
  static Answer run_on(const Layout& layout, const std::string& workload,
                       const EngineOptions& options) {
    const auto engine = find_engine("binning").make(layout, options);
    const Workload& entry = find_workload(workload);
    return entry.run(*engine, toy_parameters(entry))();
  }
  void refused(const EngineOptions& options, const std::string& text) const {
    expect_error(ExitCode::usage, text,
                 [&] { static_cast<void>(find_engine("binning").make(layout_, options)); });
  }

  ToyContainer toy_;
  Layout layout_;
};

TEST_F(BinningFaults, RefusesBinsAndSpacesThatCannotBe) {
  expect_error(ExitCode::usage, "bins=0", [] { engine_settings("binning:bins=0"); });
  refused(faulty_options("bins=6"), "a power of two");
  refused(faulty_options("bins=8192"), "there are 4096 vertices; give 4096 or fewer");
  refused(faulty_options("bins=1024,bin-space=1M"), "give bin-space=");
  refused(faulty_options("bin-space=much"), "bin-space");
}

TEST_F(BinningFaults, RefusesFixedRolesOfOneThread) {
  refused(faulty_options("roles=fixed", 1), "give --threads 2");
  EngineOptions one_at_once = faulty_options("roles=fixed");
  one_at_once.depth = 1;
  refused(one_at_once, "--depth 2");
  EXPECT_NO_THROW(static_cast<void>(
      find_engine("binning").make(layout_, faulty_options("roles=fixed,apply=atomic", 1))));
}

TEST_F(BinningFaults, RefusesFramesBelowAPageAThread) {
  EngineOptions options = faulty_options("bins=4");
  options.frames_bytes = 4096;
  refused(options, "--frames");
}

// A program as no workload is: VertexProgram's have at most 16 bytes when they are compiled.
struct Wordy : VertexProgram<Wordy, std::uint32_t> {
  std::atomic<int> drained = 0;
  Message emit(Source u) { return u.v; }
  template <Access A>
  Priority accept(VertexId v, Message) {
    if (++drained > 1000 && v > 0) throw std::runtime_error("choked");
    return 0;
  }
};

TEST_F(BinningFaults, RefusesToPull) {
  const auto engine = find_engine("binning").make(layout_, faulty_options("bins=4"));
  Wordy program;
  expect_error(ExitCode::usage, "only pushes", [&] {
    engine->round(program, Frontier::all(engine->graph()), Direction::out, Mode::pull);
  });
}

TEST_F(BinningFaults, ReadsNoLayoutOfEdgesAndDoesNotDrive) {
  LayoutChoices grid;
  set_pack(grid, "grid:p=3");
  EXPECT_FALSE(can_read(find_engine("binning"), GraphKind::edges, grid.pack));
  const auto engine = find_engine("binning").make(layout_, faulty_options("bins=4"));
  const Workload& dfs = find_workload("dfs");
  EXPECT_THROW(dfs.run(*engine, toy_parameters(dfs)), Error);
}

TEST_F(BinningFaults, StopsWhenAProgramThrowsInDrain) {
  for (const unsigned threads : {1U, 2U, 16U}) {
    for (const std::string& way : binning_ways(threads)) {
      SCOPED_TRACE(way);
      const auto engine = find_engine("binning").make(layout_, faulty_options(way, threads));
      Wordy program;
      EXPECT_THROW(engine->converge(program, Frontier::all(engine->graph())), std::runtime_error);
    }
  }
}

// With fixed roles gatherers sleep from the start, for nothing was scattered yet.
TEST_F(BinningFaults, StopsWithFileAndOffsetWhenTheDeviceFails) {
  for (const char* plan : {"eio@1", "eio@3", "flip@3", "short@3", "eio@20"}) {
    for (const unsigned threads : {1U, 2U, 16U}) {
      for (const std::string& way : binning_ways(threads)) {
        for (const char* workload : {"pagerank", "wcc"}) {
          SCOPED_TRACE(testing::Message() << way << " " << plan << " " << threads << workload);
          EngineOptions options = faulty_options(way, threads);
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

// The pages of the layout are few requests, what is spilled are many: request 200 is of the spill.
TEST_F(BinningFaults, StopsWhenTheDiskOfTheSpillIsFullOrFails) {
  const std::string spilling =
      fmt::format("bins=4,staging=16,bin-space=300K,spill={}", toy_.folder().string());
  for (const auto& [plan, text] :
       std::vector<std::pair<std::string, std::string>>{{"enospc@0", "No space left on device"},
                                                        {"enospc@50", "No space left on device"},
                                                        {"short@3", "No space left on device"},
                                                        {"torn@3", "damaged"},
                                                        {"flip@200", "damaged"},
                                                        {"eio@200", "Input/output error"},
                                                        {"eio@300", "Input/output error"}}) {
    for (const unsigned threads : {1U, 2U, 16U}) {
      for (const std::string roles : {"any", "fixed"}) {
        if (threads == 1 && roles == "fixed") continue;
        SCOPED_TRACE(testing::Message() << plan << " " << threads << roles);
        EngineOptions options =
            faulty_options(fmt::format("{},roles={}", spilling, roles), threads);
        options.backend = "fault";
        options.fault_plan = plan;
        options.max_request_bytes = 1 << 20;
        const auto message = [&]() -> std::string {
          try {
            static_cast<void>(run("pagerank", options));
          } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::io);
            return error.what();
          }
          return "no error";
        }();
        EXPECT_THAT(message, testing::HasSubstr(text));
        EXPECT_THAT(message, testing::HasSubstr(".outcore-spill-"));
      }
    }
  }
}

TEST_F(BinningFaults, RefusesToSpillToWhatIsNoFolderOrWithoutWrites) {
  refused(faulty_options("bins=4,spill=/dev/null/none"), "not a folder");
  EngineOptions null = faulty_options("bins=4,spill=" + toy_.folder().string());
  null.backend = "null";
  refused(null, "null");
}

TEST_F(BinningFaults, AnswersTheSameInWhateverOrderReadsEnd) {
  const std::string digest = run("wcc", faulty_options("bins=4")).digest();
  for (int seed = 0; seed < 6; ++seed) {
    for (const unsigned threads : {1U, 2U, 7U}) {
      for (const std::string& way : binning_ways(threads)) {
        EngineOptions options = faulty_options(way, threads);
        options.depth = 8;
        options.frames_bytes = 8 * 4096;
        options.max_request_bytes = 4096;
        options.backend = "fault";
        options.fault_plan = fmt::format("over:mem,jitter:0.05,seed:{}", seed);
        EXPECT_EQ(run("wcc", options).digest(), digest) << way << " " << seed;
      }
    }
  }
}

TEST_F(BinningFaults, EmptyFrontiersAndOneBinAreNothingSpecial) {
  const auto engine = find_engine("binning").make(layout_, faulty_options("bins=1"));
  Wordy program;
  EXPECT_TRUE(engine->round(program, Frontier(engine->graph().id_space), Direction::out, Mode::push)
                  .empty());
  EXPECT_EQ(engine->report().counts.at("records"), 0U);
  EXPECT_EQ(run("wcc", faulty_options("bins=1")).digest(),
            run("wcc", faulty_options("bins=1024")).digest());
}

// Every vertex but the hub has one edge, which leads to the hub.
struct ToTheHub : VertexProgram<ToTheHub, std::uint64_t> {
  static constexpr Saying kSaying = Saying::fixed;
  Message emit(Source u) { return u.v; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    EXPECT_EQ(A, Access::exclusive);
    to_hub += v == 0 ? m : 0;
    return kQuiet;
  }
  std::uint64_t to_hub = 0;  // only one worker at a time has the hub's bin
};

TEST(BinningGraphs, AHubWhoseRecordsAreAllOfOneBinIsGatheredByOneWorker) {
  constexpr VertexId kLeaves = 50'000;
  Shape shape{.name = "into one", .vertices = kLeaves + 1, .edges = {}};
  for (VertexId leaf = 1; leaf <= kLeaves; ++leaf) shape.edges.emplace_back(leaf, 0);
  const ToyContainer toy(shape, false);
  const Layout layout(toy.layout("csr"));
  const std::string spill = ",spill=" + toy.folder().string();
  for (const unsigned threads : {1U, 2U, 16U}) {
    for (const std::string& more : {std::string(), std::string(",roles=fixed"), spill}) {
      if (threads == 1 && more == ",roles=fixed") continue;
      SCOPED_TRACE(testing::Message() << threads << more);
      EngineOptions options = faulty_options("bins=4,staging=16,bin-space=300K" + more, threads);
      options.max_request_bytes = 4096;
      const auto engine = find_engine("binning").make(layout, options);
      ToTheHub program;
      engine->round(program, Frontier::all(engine->graph()), Direction::out, Mode::push);
      EXPECT_EQ(program.to_hub, std::uint64_t{kLeaves} * (kLeaves + 1) / 2);
      const EngineReport report = engine->report();
      EXPECT_EQ(report.counts.at("records"), kLeaves);
      EXPECT_EQ(report.counts.at("records_in_one_bin"), kLeaves);
      // Workers that only gather may have had all of it before the last one scattered.
      const bool gatherers = more == ",roles=fixed";
      EXPECT_LE(report.counts.at("bins_at_end"), 1U);
      EXPECT_GE(report.counts.at("bins_at_end"), gatherers ? 0U : 1U);
      const bool spills = more == spill;
      EXPECT_GT(report.counts.at(spills ? "bins_spilled" : "bins_early"), 0U);
    }
  }
}

TEST(BinningGraphs, WithoutEdgesAndOfOneHubAreAnsweredToo) {
  for (const Shape& shape : {Shape{.name = "empty", .vertices = 5, .edges = {}},
                             hub(kThreadSanitized ? 8'000 : 40'000), star(300)}) {
    const ToyContainer toy(shape, true);
    const Layout layout(toy.layout("csr"));
    Container container(toy.folder());
    const Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
    for (const unsigned threads : {1U, 2U, 7U}) {
      std::vector<std::string> ways = {"bins=1,bin-space=100K", "bins=4,staging=16,bin-space=40K"};
      if (threads > 1) ways.push_back("roles=fixed,bins=4,staging=16,bin-space=40K");
      for (const std::string& way : ways) {
        for (const char* name : {"wcc", "pagerank", "pagerank-delta"}) {
          SCOPED_TRACE(testing::Message() << shape.name << " " << way << " " << threads << name);
          const auto engine = find_engine("binning").make(layout, faulty_options(way, threads));
          const Workload& workload = find_workload(name);
          const Parameters parameters = toy_parameters(workload);
          const Answer answer = workload.run(*engine, parameters)();
          EXPECT_TRUE(workload.verify(canonical, answer, parameters).passed);
        }
      }
    }
  }
}

}  // namespace
}  // namespace outcore
