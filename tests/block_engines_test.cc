// SPDX-License-Identifier: Apache-2.0
// What engines that read blocks into frames of their own refuse, and how they stop when the device
// fails: worker_share.h, and a channel a worker.
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/toy_container.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

class BlockEngines : public ::testing::TestWithParam<const char*> {
 protected:
  // Each on its paper's layout.
  BlockEngines()
      : toy_(small_kronecker(12, 16, 1), true),
        layout_(toy_.layout(
            layout_preset(std::string(GetParam()) == "async_block" ? "acgraph" : "cave"))) {}

  [[nodiscard]] std::unique_ptr<Engine> make(const EngineOptions& options) const {
    return find_engine(GetParam()).make(layout_, options);
  }
  EngineReport run(const std::string& workload, const EngineOptions& options) const {
    const auto engine = make(options);
    const Workload& entry = find_workload(workload);
    entry.run(*engine, Parameters(workload, entry.parameters, {}));
    return engine->report();
  }

  ToyContainer toy_;
  Layout layout_;
};
INSTANTIATE_TEST_SUITE_P(Engines, BlockEngines, ::testing::Values("async_block", "concurrent"),
                         [](const auto& tested) { return std::string(tested.param); });

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

TEST_P(BlockEngines, EndWithManyThreadsOnFewCores) {
  EngineOptions options;
  options.threads = 64;
  options.depth = 64;
  EXPECT_GT(run("bfs", options).edges_processed, 0U);
}

}  // namespace
}  // namespace outcore
