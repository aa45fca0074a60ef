// SPDX-License-Identifier: Apache-2.0
// What both forms of a round work with: the round, its workers, and each one's hands and source.
#pragma once

#include <memory>
#include <span>

#include "common/executor.h"
#include "engines/lists/hand_over.h"
#include "storage/source/block_source.h"

namespace outcore {

struct RoundWorkers {
  Round& round;
  Executor& executor;
  std::span<HandOver> hands;                              // one a worker
  std::span<const std::unique_ptr<BlockSource>> sources;  // one a worker
};

}  // namespace outcore
