// SPDX-License-Identifier: Apache-2.0
// Runs of the chunk-based engine on toy graphs, and what they report; for its tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engines/engine.h"
#include "storage/layout/layout.h"
#include "workloads/workload.h"

namespace outcore {

constexpr std::uint64_t kBlock = 4096;

inline EngineReport run(const Layout& layout, const std::string& workload,
                        const std::string& settings, EngineOptions options = {},
                        const std::vector<std::string>& parameters = {}) {
  options.settings = engine_settings("chunk_mmap" + (settings.empty() ? "" : ":" + settings));
  const auto engine = find_engine("chunk_mmap").make(layout, options);
  const Workload& entry = find_workload(workload);
  entry.run(*engine, Parameters(workload, entry.parameters, parameters))();
  return engine->report();
}

inline std::uint64_t count(const EngineReport& report, const std::string& name) {
  return report.counts.at(name);
}

inline std::uint64_t memory(const EngineReport& report, const std::string& name) {
  for (const auto& [found, bytes] : report.memory) {
    if (found == name) return bytes;
  }
  ADD_FAILURE() << "no memory of this name: " << name;
  return 0;
}

}  // namespace outcore
