// SPDX-License-Identifier: Apache-2.0
// What the executors of one asyncRun, or of one round, share.
#pragma once

#include <atomic>

#include "common/executor.h"
#include "engines/async_block/company.h"
#include "engines/async_block/worklist.h"
#include "engines/lists/round.h"

namespace outcore {

struct Run {
  const Round& round;
  Worklist& worklist;
  const Executor& executor;
  const Frontier& first;  // what is active at first
  // Vertices have the program's priorities; in a round no vertex is more urgent than another.
  bool ordered = false;
  // A better message may follow, and what was processed too soon is processed again.
  bool again = false;
  // The same, where all vertices are active at first.
  bool labels = false;
  // What a vertex says does not depend on when its turn comes, so it gains nothing by waiting.
  bool says_once = false;
  bool symmetric = false;   // the graph
  VertexRange silent = {};  // vertices that are never activated, unless they are active at first
  // An executor with more cached blocks than this brings in no more.
  std::size_t ahead = 0;
  // So many blocks may be read with their neighbours and not be used yet (ReadAhead).
  std::uint32_t beside = 0;
  MergeLimits limits;  // of a request
  // The position in the frontier of the first vertex that no executor has taken. Relaxed: it hands
  // out disjoint ranges and publishes no other data.
  std::atomic<std::size_t> submitted{0};

  Company company = {};

  [[nodiscard]] bool is_silent(VertexId v) const { return v >= silent.begin && v < silent.end; }
  // A round activates nothing again.
  [[nodiscard]] bool activates_once() const { return !ordered; }
};

}  // namespace outcore
