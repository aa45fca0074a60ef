// SPDX-License-Identifier: Apache-2.0
// GridGraph's two windows over values that are not in memory (sections 3.2 and 4.3; --state): that
// of the destinations, which are written while their column is streamed, and that of the sources,
// which are read. Arrays of programs slide with the destinations, messages with the sources. So
// values are read and written once a round, and messages read once a column.
//
// Does nothing where all arrays are in memory. Threads: any worker may call, with its own number.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "engines/grid/columns.h"
#include "engines/state.h"

namespace outcore {

// Of one round.
class DualWindows {
 public:
  DualWindows(const StateStore& states, const GridColumns& columns, VertexId ids, unsigned workers);
  // What was finished last leaves memory too.
  ~DualWindows();
  DualWindows(const DualWindows&) = delete;
  DualWindows& operator=(const DualWindows&) = delete;

  // The column's edges are about to be asked for.
  void expect(std::uint32_t column);
  // The worker applies edges of this window of sources now, and no others.
  void enter_sources(unsigned worker, std::uint32_t window);
  // All edges of the column were applied, and its destinations settled.
  void finish(unsigned worker, std::uint32_t column);

 private:
  [[nodiscard]] StateWindows::Window destinations(std::uint32_t column) const {
    return {columns_.destinations(column), ids_};
  }
  void leave_sources(unsigned worker);

  StateWindows* values_;  // null: there is nothing in files
  StateWindows* messages_;
  const GridColumns& columns_;
  VertexId ids_;
  std::vector<std::optional<std::uint32_t>> finished_;  // by worker: the last column
  std::mutex mutex_;                                    // over what follows
  std::vector<std::optional<std::uint32_t>> in_;        // by worker: a window of sources
};

}  // namespace outcore
