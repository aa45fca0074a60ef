// SPDX-License-Identifier: Apache-2.0
// For tests of the engine psw: a Kronecker graph as shards, runs, and what they read.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "common/error.h"
#include "engines/psw/psw.h"
#include "storage/trace/trace.h"
#include "tests/toy_container.h"
#include "tests/toy_parameters.h"
#include "workloads/workload.h"

namespace outcore {

struct PswRun {
  Answer answer;
  EngineReport report;
};

inline EngineOptions psw_options(const std::string& parameters = {}) {
  EngineOptions options;
  options.backend = "mem";
  options.settings = engine_settings(parameters.empty() ? "psw" : "psw:" + parameters);
  return options;
}

inline LayoutChoices psw_choices(const std::string& parameters, const std::string& weights = "none",
                                 const std::string& number = "original") {
  LayoutChoices choices = {.number = number, .weights = weights};
  set_pack(choices, "psw:" + parameters);
  return choices;
}

inline PswRun run_psw(const EdgeLayout& layout, const std::string& workload,
                      const EngineOptions& options, std::vector<std::string> set = {}) {
  const Workload& entry = find_workload(workload);
  const auto engine = find_engine("psw").make(layout, options);
  Answer answer = entry.run(*engine, toy_parameters(entry, std::move(set)))();
  return {std::move(answer), engine->report()};
}

// What was asked for, in the order of asking.
struct AskedBlock {
  std::uint64_t round = 0;
  std::uint32_t file = 0;
  BlockId block = 0;
};

inline std::vector<AskedBlock> traced_psw(const EdgeLayout& layout, const std::string& workload,
                                          EngineOptions options, EngineReport* report = nullptr) {
  const std::filesystem::path path = layout.folder() / "trace.oct";
  TraceHeader header;
  header.workers = options.threads;
  header.file_units = layout.file_blocks();
  TraceWriter writer(path, header);
  options.trace = &writer;
  const PswRun run = run_psw(layout, workload, options);
  writer.close();
  if (report != nullptr) *report = run.report;
  std::vector<AskedBlock> asked;
  TraceReader reader(path);
  TraceReader::Event event;
  while (reader.next(event)) {
    if (event.kind != TraceReader::Event::Kind::run) continue;
    for (std::uint32_t i = 0; i < event.run.units; ++i) {
      std::uint64_t block = event.run.first + i;
      std::uint32_t file = 0;
      while (block >= header.file_units[file]) block -= header.file_units[file++];
      asked.push_back({event.run.round, file, block});
    }
  }
  return asked;
}

// Does the answer hold?
inline bool verified(const ToyContainer& toy, const std::string& workload, const Answer& answer) {
  Container container(toy.folder());
  const Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
  const Workload& entry = find_workload(workload);
  return entry.verify(canonical, answer, toy_parameters(entry)).passed;
}

class Psw : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kShards = 4;

  explicit Psw(bool symmetric = true)
      : toy_(small_kronecker(12, 16, 1), symmetric), layout_(toy_.layout(psw_choices("p=4"))) {}

  [[nodiscard]] PswRun run(const std::string& workload, const EngineOptions& options,
                           std::vector<std::string> set = {}) const {
    return run_psw(layout_, workload, options, std::move(set));
  }
  // Bytes of all of a column's blocks.
  [[nodiscard]] std::uint64_t bytes(std::size_t file) const {
    return layout_.file_blocks()[file] * layout_.facts().block_bytes;
  }
  [[nodiscard]] std::uint64_t value_bytes() const { return bytes(layout_.block_files().size()); }
  // M |E| and W |E| of LOSC, section 3.5, by whole blocks.
  [[nodiscard]] std::uint64_t edge_bytes() const {
    std::uint64_t sum = 0;
    for (std::size_t file = 0; file < layout_.block_files().size(); ++file) sum += bytes(file);
    return sum;
  }

  ToyContainer toy_;
  EdgeLayout layout_;
};

}  // namespace outcore
