// SPDX-License-Identifier: Apache-2.0
#include "workloads/streams/time_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "common/error.h"
#include "common/progress.h"
#include "storage/evolving/log_edge.h"
#include "workloads/graphs/edge_loop.h"
#include "workloads/streams/stream_output.h"

namespace outcore {

namespace {

std::filesystem::path beside(const std::filesystem::path& file) {
  std::filesystem::path scratch = file;
  scratch += ".scratch";
  return scratch;
}

// What a process holds beside its sort: pages of the stream, and itself.
std::uint64_t sort_bytes(std::uint64_t memory_bytes) {
  constexpr std::uint64_t kBeside = std::uint64_t{24} << 20;
  return memory_bytes - std::min(kBeside, memory_bytes / 2);
}

}  // namespace

TimeLine::TimeLine(const StreamTarget& target)
    : scratch_(beside(target.file)),
      sort_(scratch_.path(), sort_bytes(target.memory_bytes), target.threads, SortBy::upper) {}

// The sort's record is of 12 bytes: here its source is the time, its target the update's source and
// its weight the target as it is logged.
void TimeLine::add(std::uint32_t time, const evolving::Update& update) {
  const evolving::LogEdge edge = evolving::as_logged(update);
  sort_.add({time, edge.source, edge.target});
}

void TimeLine::for_each(const std::function<void(std::span<const evolving::Update>)>& f) {
  constexpr std::size_t kBatch = 4096;
  Progress progress("writing the stream", sort_.size(), "updates");
  std::vector<evolving::Update> batch;
  sort_.merge([&](std::span<const WeightedKey> records) {
    while (!records.empty()) {
      const auto some = records.first(std::min(kBatch, records.size()));
      records = records.subspan(some.size());
      batch.clear();
      for (const WeightedKey& record : some)
        batch.push_back(evolving::as_update({record.target, record.weight}));
      f(batch);
      progress.add(batch.size());
    }
  });
}

void add_shuffled(const std::filesystem::path& graph, std::uint64_t seed, TimeLine& line,
                  bool once) {
  Container container = open_streamed_graph(graph);
  if (once && !container.facts().symmetric) {
    throw usage_error(fmt::format(
        "{} is directed: --once leaves out the second direction of each edge, which only a "
        "symmetric graph has; leave --once out, or make the graph symmetric by outcore symmetrise",
        graph.string()));
  }
  const CsrView csr = container.csr(Direction::out);
  Progress progress("drawing times", csr.edges(), "edges");
  std::uint64_t edge = 0;
  for (VertexId v = 0; v < csr.vertices(); ++v) {
    for (const VertexId target : csr.list(v)) {
      const auto time = static_cast<std::uint32_t>(draw(seed, edge++) >> 32);
      if (!once || v <= target) line.add(time, {v, target});
    }
    progress.add(csr.degree(v));
  }
}

}  // namespace outcore
