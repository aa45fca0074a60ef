// SPDX-License-Identifier: Apache-2.0
// What the engine psw refuses, and how it ends when files or the device fail: with file and offset,
// nothing that waits, and values that the next run sets to 0.
#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>

#include "engines/psw/psw_fixture.h"
#include "engines/vertex_program.h"
#include "storage/layout/broken_layout.h"
#include "tests/sanitized.h"
#include "workloads/refusal_for_tests.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string refused(const OpenedGraph& layout, const EngineOptions& options) {
  return refusal([&] { static_cast<void>(find_engine("psw").make(layout, options)); });
}

TEST_F(Psw, RefusesWhatIsNoShards) {
  const Layout lists(toy_.layout("csr"));
  EXPECT_THAT(refused(lists, psw_options()), HasSubstr("reads edges of pack psw, and"));
  const EdgeLayout grid(toy_.layout("grid"));
  EXPECT_THAT(refused(grid, psw_options()), HasSubstr("use --layout psw"));
}

TEST_F(Psw, RefusesBackendsThatCannotWriteOrHoldNothing) {
  EngineOptions options = psw_options();
  options.backend = "mmap";
  EXPECT_THAT(refused(layout_, options), HasSubstr("psw writes values in place"));
  options.backend = "null";
  EXPECT_THAT(refused(layout_, options), HasSubstr("has no contents"));
  // Neither left the values open.
  EXPECT_FALSE(fs::exists(layout_.folder() / "values.open"));
}

TEST_F(Psw, RefusesValuesThatAnotherEngineWrites) {
  const auto first = find_engine("psw").make(layout_, psw_options());
  EXPECT_THAT(refused(layout_, psw_options()),
              HasSubstr("another process is writing these values"));
}

TEST_F(Psw, RefusesMessagesThatDoNotFitTheValues) {
  const std::string why = refusal([&] { static_cast<void>(run("radii", psw_options())); });
  EXPECT_THAT(why, HasSubstr("messages of 8 bytes"));
  EXPECT_THAT(why, HasSubstr("value=8"));
  EXPECT_THAT(missing(PswEngine::kTraits, layout_, find_workload("radii")),
              HasSubstr("values of 8 bytes"));
}

// Before the run, by what the engine and the workload say of themselves.
TEST(PswDirected, RefusesToGoBackAlongTheEdgesOfADirectedGraph) {
  const ToyContainer toy(small_kronecker(8, 8, 1), false);
  const EdgeLayout layout(toy.layout(psw_choices("p=3,value=8")));
  EXPECT_THAT(missing(PswEngine::kTraits, layout, find_workload("bc")),
              HasSubstr("in-edges of a directed graph"));
  EXPECT_EQ(missing(PswEngine::kTraits, layout, find_workload("bfs")), "");
  EXPECT_THAT(refusal([&] { static_cast<void>(run_psw(layout, "bc", psw_options())); }),
              HasSubstr("shards lie by destination only"));
}

// What workloads say of their messages is what engines meet.
TEST(PswShapes, WorkloadsSayHowLargeTheirMessagesAre) {
  const ToyContainer toy(small_kronecker(8, 8, 1), true);
  for (const Workload& workload : workloads()) {
    if (!missing(PswEngine::kTraits, workload).empty()) continue;
    const EdgeLayout layout(toy.layout(
        psw_choices(fmt::format("p=3,value={}", std::bit_ceil(workload.message_bytes)))));
    EXPECT_TRUE(verified(toy, workload.name, run_psw(layout, workload.name, psw_options()).answer))
        << workload.name;
  }
}

TEST(PswShapes, AnswersWithOneShardEmptyIntervalsLoopsAndParallelEdges) {
  Shape shape{.name = "repeats", .vertices = 40, .edges = {}};
  for (VertexId v = 0; v < 12; ++v) {
    shape.edges.emplace_back(v, v);
    shape.edges.emplace_back(v, v + 1);
    shape.edges.emplace_back(v, v + 1);
  }
  const ToyContainer toy(shape, true);
  for (const char* p : {"p=1,value=8", "p=9,value=8", "p=40,value=8"}) {
    const EdgeLayout layout(toy.layout(psw_choices(p)));
    for (const char* workload : {"wcc", "pagerank-delta", "kcore", "bc", "pagerank", "mis"}) {
      EXPECT_TRUE(verified(toy, workload, run_psw(layout, workload, psw_options()).answer))
          << p << " " << workload;
    }
  }
}

// --- Failures ---

// At any request, a write or a read: an error with file and offset, and the next run is right.
TEST(PswFaults, EndsAtAnyFailedRequestAndTheNextRunIsRight) {
  const ToyContainer toy(small_kronecker(9, 8, 1), true);
  const EdgeLayout layout(toy.layout(psw_choices("p=3")));
  const auto run = [&](const EngineOptions& options) {
    return run_psw(layout, "pagerank", options, {"iterations=2"});
  };
  const PswRun usual = run(psw_options());
  const std::uint64_t requests = usual.report.io.requests + usual.report.io.write_requests;
  for (const unsigned threads : {1U, 2U, 16U}) {
    for (const std::string fault : {"eio", "short", "enospc"}) {
      for (std::uint64_t at = 1; at < requests; at += requests / 9) {
        SCOPED_TRACE(fmt::format("{}@{}, {} threads", fault, at, threads));
        EngineOptions options = psw_options();
        options.threads = threads;
        options.backend = "fault";
        options.fault_plan = fmt::format("over:mem,{}@{}", fault, at);
        bool failed = false;
        try {
          static_cast<void>(run(options));
        } catch (const Error& error) {
          failed = true;
          EXPECT_EQ(error.code(), ExitCode::io);
          EXPECT_THAT(error.what(), HasSubstr(".blocks at offset "));
        }
        // A read cannot find the device full.
        EXPECT_TRUE(failed || fault == "enospc");
        EXPECT_EQ(fs::exists(layout.folder() / "values.open"), failed);
        EXPECT_EQ(run(psw_options()).answer.digest(), usual.answer.digest());
      }
    }
  }
}

// A torn write is answered as if it were whole. Reading it finds it by its sum.
TEST_F(Psw, FindsATornWriteByItsSum) {
  const PswRun usual = run("wcc", psw_options());
  const std::uint64_t requests = usual.report.io.requests + usual.report.io.write_requests;
  unsigned found = 0;
  for (std::uint64_t at = 1; at < requests; at += kSanitized ? 23 : 3) {
    EngineOptions options = psw_options();
    options.threads = 2;
    options.backend = "fault";
    options.fault_plan = fmt::format("over:mem,torn@{}", at);
    try {
      EXPECT_EQ(run("wcc", options).answer.digest(), usual.answer.digest());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::io);
      EXPECT_THAT(error.what(), HasSubstr("values.blocks at offset "));
      ++found;
    }
  }
  EXPECT_GT(found, 0U);
}

TEST_F(Psw, WaitsForADelayedDevice) {
  EngineOptions options = psw_options();
  options.backend = "fault";
  options.fault_plan = "over:threads,delay:0.1,jitter:0.2";
  EXPECT_TRUE(verified(toy_, "wcc", run("wcc", options).answer));
}

// A program that ends the run from within a pass, as one does that is killed there.
struct Stops : VertexProgram<Stops, std::uint32_t> {
  std::atomic<std::uint32_t> left = 3000;
  bool kill = false;
  std::uint32_t emit(Source u) {
    if (--left == 0) {
      if (kill) static_cast<void>(::raise(SIGKILL));
      throw std::runtime_error("the program stops");
    }
    return u.v;
  }
  template <Access A>
  Priority accept(VertexId /*v*/, std::uint32_t /*message*/) {
    return kQuiet;
  }
};

TEST_F(Psw, StopsAllThreadsWhenAProgramThrows) {
  for (const unsigned threads : {1U, 2U}) {
    EngineOptions options = psw_options();
    options.threads = threads;
    const auto engine = find_engine("psw").make(layout_, options);
    Stops stops;
    EXPECT_THROW(engine->converge(stops, Frontier::all(engine->graph())), std::runtime_error);
  }
  EXPECT_TRUE(verified(toy_, "wcc", run("wcc", psw_options()).answer));
}

TEST_F(Psw, IsRightAfterAWriterWasKilledInAPass) {
  const pid_t child = ::fork();
  if (child == 0) {
    EngineOptions options = psw_options();
    options.threads = 1;
    options.backend = "threads";
    const auto engine = find_engine("psw").make(layout_, options);
    Stops stops;
    stops.kill = true;
    engine->converge(stops, Frontier::all(engine->graph()));
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(fs::exists(layout_.folder() / "values.open"));
  EXPECT_TRUE(verified(toy_, "wcc", run("wcc", psw_options()).answer));
  EXPECT_FALSE(fs::exists(layout_.folder() / "values.open"));
}

TEST_F(Psw, NamesAColumnThatIsDamaged) {
  for (const char* column : {"targets", "runs"}) {
    const ToyContainer toy(small_kronecker(10, 8, 1), true);
    const EdgeLayout layout(toy.layout(psw_choices("p=2")));
    flip_byte(layout.folder() / fmt::format("{}.blocks", column), 100);
    expect_error(ExitCode::io, fmt::format("{}.blocks at offset 0", column),
                 [&] { static_cast<void>(run_psw(layout, "wcc", psw_options())); });
  }
}

}  // namespace
}  // namespace outcore
