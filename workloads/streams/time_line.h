// SPDX-License-Identifier: Apache-2.0
// Updates by times that were drawn for them, sorted in bounded memory (storage/sort). Updates of
// the same time keep the order in which they were put in: so an edge that is removed at the time of
// its addition is added first, if it was put in so.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "common/files.h"
#include "storage/evolving/update.h"
#include "storage/sort/external_sort.h"
#include "workloads/streams/streams.h"

namespace outcore {

class TimeLine {
 public:
  // What does not fit the target's memory goes to a file beside it, until this object ends.
  explicit TimeLine(const StreamTarget& target);

  void add(std::uint32_t time, const evolving::Update& update);
  // All updates by time, in batches. Call it once.
  void for_each(const std::function<void(std::span<const evolving::Update>)>& f);

 private:
  PendingFile scratch_;
  ExternalSort<WeightedKey> sort_;
};

// Adds every edge of a graph, at times by the seed. With `once` it adds those of a symmetric graph
// from their lesser ends alone, and throws a usage Error for a directed graph.
void add_shuffled(const std::filesystem::path& graph, std::uint64_t seed, TimeLine& line,
                  bool once = false);

}  // namespace outcore
