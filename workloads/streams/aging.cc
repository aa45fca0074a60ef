// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <span>

#include "common/error.h"
#include "workloads/graphs/edge_loop.h"
#include "workloads/streams/stream_output.h"
#include "workloads/streams/time_line.h"

namespace outcore {

namespace {

// Temporary edges. The source of each is that of an edge of the graph, each edge's in turn; its
// target is that of any edge. It comes at the earlier of two times, and goes at the later. Targets
// lie anywhere in the graph's file, so many are fetched before the first of them is read.
class TemporaryEdges {
 public:
  TemporaryEdges(const CsrView& csr, std::uint64_t seed, TimeLine& line)
      : csr_(csr), seed_(seed), line_(line) {}

  // Where among the graph's targets the edge's own is.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t number) const {
    return below(draw(seed_ + 1, 3 * number), csr_.edges());
  }
  // REQUIRES: `at` is where its target is.
  void add(std::uint64_t number, VertexId source, std::uint64_t at) {
    const VertexId* const target = &csr_.targets()[at];
    __builtin_prefetch(target);
    fetched_[count_++] = {number, source, target};
    if (count_ == fetched_.size()) finish();
  }
  void finish() {
    for (const Edge& edge : std::span(fetched_).first(count_)) {
      const auto a = static_cast<std::uint32_t>(draw(seed_ + 1, 3 * edge.number + 1) >> 32);
      const auto b = static_cast<std::uint32_t>(draw(seed_ + 1, 3 * edge.number + 2) >> 32);
      line_.add(std::min(a, b), {edge.source, *edge.target});
      line_.add(std::max(a, b), {edge.source, *edge.target, true});
    }
    count_ = 0;
  }

 private:
  struct Edge {
    std::uint64_t number;
    VertexId source;
    const VertexId* target;
  };

  const CsrView& csr_;
  std::uint64_t seed_;
  TimeLine& line_;
  std::array<Edge, 64> fetched_;
  std::size_t count_ = 0;
};

// Those whose target is one of `count` targets of the graph from `first` on.
void add_temporaries_to(std::uint64_t first, std::uint64_t count, std::uint64_t wanted,
                        const CsrView& csr, TemporaryEdges& temporaries, Progress& progress) {
  std::uint64_t edge = 0;
  for (VertexId v = 0; v < csr.vertices(); ++v) {
    for (std::uint64_t i = 0; i < csr.degree(v); ++i, ++edge) {
      for (std::uint64_t number = edge; number < wanted; number += csr.edges()) {
        const std::uint64_t at = temporaries.place_of(number);
        if (at - first >= count) continue;
        temporaries.add(number, v, at);
        progress.add(1);
      }
    }
  }
  temporaries.finish();
}

// All that have their target in one part of the graph's file, then those of the next part: a part
// stays in memory that the whole file may not fit. Its size is part of what a stream is, as updates
// of the same time keep this order.
void add_temporaries(const AgingOptions& options, TimeLine& line) {
  constexpr std::uint64_t kTargetsAtOnce = std::uint64_t{1} << 25;
  Container container = open_streamed_graph(options.graph);
  const CsrView csr = container.csr(Direction::out);
  const std::uint64_t wanted = (options.factor - 1) * csr.edges() / 2;
  Progress progress("drawing temporary edges", wanted, "edges");
  TemporaryEdges temporaries(csr, options.seed, line);
  for (std::uint64_t first = 0; first < csr.edges(); first += kTargetsAtOnce)
    add_temporaries_to(first, kTargetsAtOnce, wanted, csr, temporaries, progress);
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
