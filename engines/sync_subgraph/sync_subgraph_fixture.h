// SPDX-License-Identifier: Apache-2.0
// For tests of the synchronous subgraph engine: a Kronecker graph as layout losc, runs, traces.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "common/error.h"
#include "engines/sync_subgraph/sync_subgraph.h"
#include "storage/trace/trace.h"
#include "tests/toy_container.h"
#include "tests/toy_parameters.h"
#include "workloads/workload.h"

namespace outcore {

struct SyncRun {
  Answer answer;
  EngineReport report;
};

inline EngineOptions sync_options(const std::string& parameters = {}) {
  EngineOptions options;
  options.settings =
      engine_settings(parameters.empty() ? "sync_subgraph" : "sync_subgraph:" + parameters);
  return options;
}

inline SyncRun run_sync(const Layout& layout, const std::string& workload,
                        const EngineOptions& options, std::vector<std::string> set = {}) {
  const auto engine = find_engine("sync_subgraph").make(layout, options);
  const Workload& entry = find_workload(workload);
  Answer answer = entry.run(*engine, toy_parameters(entry, std::move(set)))();
  return {std::move(answer), engine->report()};
}

// What was asked for, in the order of asking.
struct Asked {
  std::uint64_t round = 0;
  BlockId block = 0;  // of all files, one behind the other
};

inline std::vector<Asked> asked_blocks(const std::filesystem::path& trace) {
  std::vector<Asked> asked;
  TraceReader reader(trace);
  TraceReader::Event event;
  while (reader.next(event)) {
    if (event.kind != TraceReader::Event::Kind::run) continue;
    for (std::uint32_t i = 0; i < event.run.units; ++i) {
      asked.push_back({event.run.round, event.run.first + i});
    }
  }
  return asked;
}

class SyncSubgraph : public ::testing::Test {
 protected:
  explicit SyncSubgraph(bool symmetric = true)
      : toy_(small_kronecker(12, 16, 1), symmetric), layout_(toy_.layout(layout_preset("losc"))) {}

  [[nodiscard]] SyncRun run(const std::string& workload, const EngineOptions& options,
                            std::vector<std::string> set = {}) const {
    return run_sync(layout_, workload, options, std::move(set));
  }
  [[nodiscard]] std::vector<Asked> trace(const std::string& workload, EngineOptions options,
                                         EngineReport* report = nullptr) const {
    const std::filesystem::path path = toy_.folder() / "trace.oct";
    TraceHeader header;
    header.workers = 2;
    for (const BlockFile& file : layout_.block_files()) header.file_units.push_back(file.blocks());
    TraceWriter writer(path, header);
    options.trace = &writer;
    const SyncRun traced = run(workload, options);
    writer.close();
    if (report != nullptr) *report = traced.report;
    return asked_blocks(path);
  }
  [[nodiscard]] BlockId blocks(std::uint32_t file = 0) const {
    return layout_.block_files()[file].blocks();
  }

  ToyContainer toy_;
  Layout layout_;
};

class SyncSubgraphDirected : public SyncSubgraph {
 protected:
  SyncSubgraphDirected() : SyncSubgraph(false) {}
};

}  // namespace outcore
