// SPDX-License-Identifier: Apache-2.0
// A small graph in ACGraph's layout, and runs of the engine over it.
#pragma once

#include <gtest/gtest.h>

#include "engines/async_block/async_block.h"
#include "tests/toy_container.h"
#include "tests/toy_parameters.h"
#include "workloads/workload.h"

namespace outcore {

class AsyncBlock : public ::testing::Test {
 protected:
  AsyncBlock()
      : toy_(small_kronecker(12, 16, 1), true), layout_(toy_.layout(layout_preset("acgraph"))) {}

  static EngineReport run(const Layout& layout, const std::string& workload,
                          const EngineOptions& options, const std::vector<std::string>& set = {}) {
    const auto engine = find_engine("async_block").make(layout, options);
    const Workload& entry = find_workload(workload);
    entry.run(*engine, Parameters(workload, entry.parameters, set));
    return engine->report();
  }
  EngineReport run(const std::string& workload, const EngineOptions& options,
                   const std::vector<std::string>& set = {}) const {
    return run(layout_, workload, options, set);
  }
  // On a run's answer.
  static Verdict verdict_on(const ToyContainer& toy, const Layout& layout,
                            const std::string& workload, const EngineOptions& options) {
    Container container(toy.folder());
    const Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
    const auto engine = find_engine("async_block").make(layout, options);
    const Workload& entry = find_workload(workload);
    const Parameters parameters = toy_parameters(entry);
    return entry.verify(canonical, entry.run(*engine, parameters)(), parameters);
  }
  // One executor, so that order changes by what came from the device first and by nothing else.
  static EngineOptions pool(std::uint64_t blocks, const std::string& spec = "async_block") {
    EngineOptions options;
    options.threads = 1;
    options.frames_bytes = blocks * 4096;
    options.settings = engine_settings(spec);
    return options;
  }

  ToyContainer toy_;
  Layout layout_;
};

}  // namespace outcore
