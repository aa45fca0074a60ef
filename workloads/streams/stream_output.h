// SPDX-License-Identifier: Apache-2.0
// What streams share: their file, and updates that are made by number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/progress.h"
#include "storage/container/container.h"
#include "storage/evolving/stream_pages.h"
#include "workloads/streams/streams.h"

namespace outcore {

// Throws a usage Error if the file is there and not to be replaced.
void check_stream_file(const StreamTarget& target);
// Throws a usage Error for more vertices than a store has.
void check_stream_vertices(std::uint64_t vertices);
// Opens a graph whose edges go into a stream.
Container open_streamed_graph(const std::filesystem::path& folder);
// Writes out what was added.
StreamCounts finish_stream(evolving::StreamWriter& writer);

// update_of(0) .. update_of(count - 1). REQUIRES: the calls are independent of each other; the
// target's threads make them.
template <typename UpdateOf>
StreamCounts stream_by_number(const StreamTarget& target, std::uint64_t count,
                              const UpdateOf& update_of) {
  constexpr std::size_t kBatch = std::size_t{1} << 20;
  check_stream_file(target);
  [[maybe_unused]] const int team = static_cast<int>(target.threads);  // unused without OpenMP
  evolving::StreamWriter writer(target.file, target.threads);
  Progress progress("writing the stream", count, "updates");
  std::vector<evolving::Update> batch;
  for (std::uint64_t first = 0; first < count; first += kBatch) {
    batch.resize(std::min<std::uint64_t>(kBatch, count - first));
#pragma omp parallel for num_threads(team) schedule(static)
    for (std::size_t i = 0; i < batch.size(); ++i) batch[i] = update_of(first + i);
    writer.add(batch);
    progress.add(batch.size());
  }
  return finish_stream(writer);
}

}  // namespace outcore
