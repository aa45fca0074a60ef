// SPDX-License-Identifier: Apache-2.0
#include "workloads/streams/stream_output.h"
#include "workloads/streams/time_line.h"

namespace outcore {

StreamCounts stream_shuffle(const ShuffleOptions& options, const StreamTarget& target) {
  check_stream_file(target);
  TimeLine line(target);
  add_shuffled(options.graph, options.seed, line, options.once);
  evolving::StreamWriter writer(target.file, target.threads);
  line.for_each([&](std::span<const evolving::Update> updates) { writer.add(updates); });
  return finish_stream(writer);
}

}  // namespace outcore
