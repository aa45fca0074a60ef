// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "common/error.h"
#include "workloads/graphs/edge_loop.h"
#include "workloads/streams/stream_output.h"
#include "workloads/streams/time_line.h"

namespace outcore {

namespace {

// Of one temporary edge. Its source is that of an edge of the graph, each edge's in turn; its
// target that of any edge. It comes at the earlier of two times, and goes at the later.
void add_temporary(std::uint64_t number, VertexId source, const CsrView& csr, std::uint64_t seed,
                   TimeLine& line) {
  const VertexId target = csr.targets()[draw(seed + 1, 3 * number) % csr.edges()];
  const auto a = static_cast<std::uint32_t>(draw(seed + 1, 3 * number + 1) >> 32);
  const auto b = static_cast<std::uint32_t>(draw(seed + 1, 3 * number + 2) >> 32);
  line.add(std::min(a, b), {source, target});
  line.add(std::max(a, b), {source, target, true});
}

void add_temporaries(const AgingOptions& options, TimeLine& line) {
  Container container = open_streamed_graph(options.graph);
  const CsrView csr = container.csr(Direction::out);
  if (csr.edges() == 0) return;
  const std::uint64_t wanted = (options.factor - 1) * csr.edges() / 2;
  Progress progress("drawing temporary edges", wanted, "edges");
  std::uint64_t edge = 0;
  for (VertexId v = 0; v < csr.vertices(); ++v) {
    for (std::uint64_t i = 0; i < csr.degree(v); ++i, ++edge) {
      for (std::uint64_t number = edge; number < wanted; number += csr.edges()) {
        add_temporary(number, v, csr, options.seed, line);
        progress.add(1);
      }
    }
  }
}

}  // namespace

StreamCounts stream_aging(const AgingOptions& options, const StreamTarget& target) {
  if (options.factor == 0) throw usage_error("--factor 0: each edge of the graph is one update");
  check_stream_file(target);
  TimeLine line(target);
  add_shuffled(options.graph, options.seed, line);
  add_temporaries(options, line);
  evolving::StreamWriter writer(target.file, target.threads);
  line.for_each([&](std::span<const evolving::Update> updates) { writer.add(updates); });
  return finish_stream(writer);
}

}  // namespace outcore
