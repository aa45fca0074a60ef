// SPDX-License-Identifier: Apache-2.0
// For tests of the grid engine: a Kronecker graph in layouts of pack grid, runs, traces by cell.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "engines/grid/grid.h"
#include "storage/trace/trace.h"
#include "tests/toy_container.h"
#include "tests/toy_parameters.h"
#include "workloads/workload.h"

namespace outcore {

struct GridRun {
  Answer answer;
  EngineReport report;
};

inline EngineOptions grid_options(const std::string& parameters = {}) {
  EngineOptions options;
  options.settings = engine_settings(parameters.empty() ? "grid" : "grid:" + parameters);
  return options;
}

inline GridRun run_grid(const EdgeLayout& layout, const std::string& workload,
                        const EngineOptions& options, std::vector<std::string> set = {}) {
  const auto engine = find_engine("grid").make(layout, options);
  const Workload& entry = find_workload(workload);
  Answer answer = entry.run(*engine, toy_parameters(entry, std::move(set)))();
  return {std::move(answer), engine->report()};
}

// A cell that was asked for, in the order of asking its sources.
struct AskedCell {
  std::uint64_t round = 0;
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  friend bool operator==(const AskedCell&, const AskedCell&) = default;
};

class Grid : public ::testing::Test {
 protected:
  explicit Grid(bool symmetric = true) : toy_(small_kronecker(12, 16, 1), symmetric) {}

  // "grid:p=4".
  [[nodiscard]] EdgeLayout layout(const std::string& pack,
                                  const std::string& weights = "none") const {
    LayoutChoices choices;
    set_pack(choices, pack);
    choices.weights = weights;
    return EdgeLayout(toy_.layout(choices));
  }
  [[nodiscard]] GridRun run(const std::string& pack, const std::string& workload,
                            const EngineOptions& options = grid_options()) const {
    return run_grid(layout(pack), workload, options);
  }
  // The cells whose blocks of sources were asked for, each once a run of its blocks. With requests
  // of a block, so that a request is of one cell.
  [[nodiscard]] std::vector<AskedCell> trace(const EdgeLayout& layout, const std::string& workload,
                                             EngineOptions options) const {
    const std::filesystem::path path = toy_.folder() / "trace.oct";
    TraceHeader header;
    header.workers = options.threads;
    for (const BlockFile& file : layout.block_files()) header.file_units.push_back(file.blocks());
    TraceWriter writer(path, header);
    options.trace = &writer;
    options.max_request_bytes = 4096;
    static_cast<void>(run_grid(layout, workload, options));
    writer.close();
    return cells_of(layout, path);
  }

  ToyContainer toy_;

 private:
  [[nodiscard]] static std::vector<AskedCell> cells_of(const EdgeLayout& layout,
                                                       const std::filesystem::path& path) {
    std::vector<AskedCell> owner(layout.block_files()[0].blocks());
    const std::uint32_t p = layout.facts().intervals;
    for_each_cell(p, layout.facts().groups, [&](std::uint32_t row, std::uint32_t column) {
      const EdgeCell& cell = layout.cell(row, column);
      for (std::uint64_t b = 0; b < layout.id_blocks(cell); ++b) {
        owner[cell.first_block + b] = {0, row, column};
      }
    });
    std::vector<AskedCell> cells;
    TraceReader reader(path);
    TraceReader::Event event;
    while (reader.next(event)) {
      if (event.kind != TraceReader::Event::Kind::run) continue;
      if (event.run.first >= owner.size()) continue;  // of another column of the layout
      AskedCell cell = owner[event.run.first];
      cell.round = event.run.round;
      if (cells.empty() || !(cells.back() == cell)) cells.push_back(cell);
    }
    return cells;
  }
};

class GridDirected : public Grid {
 protected:
  GridDirected() : Grid(false) {}
};

}  // namespace outcore
