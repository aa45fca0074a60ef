// SPDX-License-Identifier: Apache-2.0
// What engines that read blocks into their own frames refuse, and how they stop when the device
// fails.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <numeric>
#include <stdexcept>

#include "common/error.h"
#include "engines/vertex_program.h"
#include "tests/readers.h"
#include "tests/sanitized.h"
#include "tests/toy_parameters.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

// Labels that spread, until one vertex throws because it has heard too much.
struct Choking : VertexProgram<Choking, VertexId> {
  std::vector<VertexId> label;

  explicit Choking(const Graph& graph) : label(graph.id_space) {
    std::iota(label.begin(), label.end(), VertexId{0});
  }
  static constexpr Saying kSaying = Saying::changing;

  Message emit(Source u) { return peek(label[u.v]); }
  Message combine(Message a, Message b) { return std::min(a, b); }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    if (v > 1000 && m < 100) throw std::runtime_error("choked");
    return lower<A>(label[v], m) ? Priority{0} : kQuiet;
  }
};

// Visits everything, and throws somewhere.
struct Stumbling : TaskProgram {
  explicit Stumbling(VertexId id_space) : visited(id_space) {}
  ListRange wants(const Task&, std::uint32_t degree) override { return {0, degree}; }
  void step(const Task& task, const Piece& piece, TaskStack& next) override {
    if (task.v > 1000) throw std::runtime_error("stumbled");
    for (std::uint32_t i = 0; i < piece.count; ++i) {
      if (visited.set(piece.ids[i])) next.push_back({.v = piece.ids[i]});
    }
  }
  Bitmap visited;
};

class BlockEngines : public ::testing::TestWithParam<const EngineEntry*> {
 protected:
  BlockEngines() : toy_(small_kronecker(12, 16, 1), true) {
    for (const char* preset : {"acgraph", "cave"}) {
      layouts_.emplace_back(toy_.layout(layout_preset(preset)));
    }
  }

  // Each engine on a different layout than the one before.
  [[nodiscard]] std::unique_ptr<Engine> make(const EngineOptions& options) {
    return GetParam()->make(layouts_[made_++ % layouts_.size()], options);
  }
  EngineReport run(const std::string& workload, const EngineOptions& options) {
    const auto engine = make(options);
    const Workload& entry = find_workload(workload);
    entry.run(*engine, Parameters(workload, entry.parameters, {}));
    return engine->report();
  }

  ToyContainer toy_;
  std::deque<Layout> layouts_;
  std::size_t made_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Engines, BlockEngines, ::testing::ValuesIn(block_engines()),
                         name_of_engine);

TEST_P(BlockEngines, RefusePoolsAndDepthsThatCannotBe) {
  const auto refused = [&](const EngineOptions& options, const std::string& word) {
    try {
      static_cast<void>(make(options));
      ADD_FAILURE() << "accepted " << word;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  EngineOptions options;
  options.frames_bytes = 4096;
  refused(options, "--frames");
  options = {};
  options.depth = 0;
  refused(options, "--depth");
  options = {};
  options.threads = 0;
  refused(options, "--threads");
}

TEST_P(BlockEngines, StopWithFileAndOffsetWhenTheDeviceFails) {
  for (const char* plan : {"eio@3", "flip@3", "short@3"}) {
    for (const unsigned threads : {1U, 2U, 16U}) {
      for (const char* workload : {"pagerank", "wcc"}) {
        EngineOptions options;
        options.threads = threads;
        options.backend = "fault";
        options.fault_plan = plan;
        options.max_request_bytes = 4096;
        try {
          run(workload, options);
          ADD_FAILURE() << plan << " went unnoticed";
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ExitCode::io) << error.what();
          EXPECT_NE(std::string(error.what()).find("out.blocks at offset"), std::string::npos)
              << error.what();
        }
      }
    }
  }
}

// Reads finish in a different order with each seed, so blocks become ready and workers meet in
// different orders. With eight frames no block stays in memory and hides this. All answers must
// equal the reference engine's.
TEST_P(BlockEngines, AnswerTheSameInWhateverOrderReadsEnd) {
  const Layout whole(toy_.layout("csr"));
  std::map<std::string, std::string> digests;
  for (const char* workload : {"bfs", "wcc", "kcore", "coreness", "sssp", "mis"}) {
    const auto engine = reference_engine().make(whole, {});
    const Workload& entry = find_workload(workload);
    const Answer answer = entry.run(*engine, toy_parameters(entry))();
    ASSERT_TRUE(answer.exact) << workload;
    digests[workload] = answer.digest();
  }
  for (int seed = 0; seed < (kSanitized ? 2 : 12); ++seed) {
    for (const unsigned threads : {1U, 2U, 7U}) {
      for (const auto& [workload, digest] : digests) {
        EngineOptions options;
        options.threads = threads;
        options.depth = 8;
        options.frames_bytes = 8 * 4096;
        options.max_request_bytes = 4096;
        options.backend = "fault";
        options.fault_plan = fmt::format("over:mem,jitter:0.05,seed:{}", seed);
        const auto engine = make(options);
        const Workload& entry = find_workload(workload);
        const Answer answer = entry.run(*engine, toy_parameters(entry))();
        EXPECT_EQ(answer.digest(), digest) << workload << " " << threads << " " << seed;
      }
    }
  }
}

// Is this a way that needs more than one worker, and that the engine refuses with one?
bool wants_more_threads(const Parameters& settings) {
  return settings.has("roles") && settings.text("roles") == "fixed" &&
         settings.text("apply") == "bins";
}

// An exception in a worker stops the others, including those that wait for it, and leaves the call.
TEST_P(BlockEngines, StopWhenAWorkerThrows) {
  for (const unsigned threads : {1U, 2U, 16U}) {
    for (const Parameters& settings : ways_of(*GetParam())) {
      EngineOptions options;
      options.threads = threads;
      options.settings = settings;
      if (threads == 1 && wants_more_threads(settings)) continue;
      const auto engine = make(options);
      Choking choking(engine->graph());
      EXPECT_THROW(engine->converge(choking, Frontier::all(engine->graph())), std::runtime_error);

      if (!GetParam()->traits.drive) continue;
      const auto driven = make(options);
      Stumbling stumbling(driven->graph().id_space);
      std::vector<Task> tasks(1000);
      for (VertexId v = 0; v < tasks.size(); ++v) tasks[v].v = v;
      EXPECT_THROW(driven->drive(stumbling, tasks, Direction::out), std::runtime_error);
    }
  }
}

TEST_P(BlockEngines, EndWithManyThreadsOnFewCores) {
  for (const Parameters& settings : ways_of(*GetParam())) {
    for (const char* workload : {"bfs", "wcc", "pagerank"}) {
      EngineOptions options;
      options.threads = 64;
      options.depth = 64;
      options.settings = settings;
      EXPECT_GT(run(workload, options).edges_processed, 0U) << workload;
    }
  }
}

}  // namespace
}  // namespace outcore
