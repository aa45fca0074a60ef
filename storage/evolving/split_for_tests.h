// SPDX-License-Identifier: Apache-2.0
// Splits a batch for one shard.
#pragma once

#include "common/executor.h"
#include "storage/evolving/edge_shard.h"

namespace outcore::evolving {

inline void split(Executor& executor, EdgeShard& shard, const EdgeShard::Batch& batch, Ends ends,
                  VertexId vertices) {
  const EdgeShard::Split one{&shard, ends};
  EdgeShard::split(executor, {&one, 1}, batch, vertices);
}

}  // namespace outcore::evolving
