// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/timed_edges.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "common/error.h"
#include "common/progress.h"
#include "storage/evolving/stream_feed.h"

namespace outcore::evolving {

std::size_t TimedEdges::read(std::span<TimedEdge> into) {
  const std::filesystem::path& path = source_.file().path();
  const std::size_t bytes = source_.read({reinterpret_cast<char*>(into.data()), into.size_bytes()});
  for (const TimedEdge& edge : into.first(bytes / sizeof(TimedEdge))) {
    const std::uint32_t greater = std::max(edge.source, edge.target);
    if (greater >= kMostVertices) {
      throw bad_input(Place::offset(path, offset_), fmt::format("vertex {}", greater),
                      fmt::format("a vertex id (0 to {})", kMostVertices - 1));
    }
    if (edge.time < last_) {
      throw bad_input(Place::offset(path, offset_), fmt::format("time {}", edge.time),
                      fmt::format("{} or later, the time before it", last_),
                      "sort the stream by its times");
    }
    last_ = edge.time;
    offset_ += sizeof(TimedEdge);
  }
  if (const std::size_t rest = bytes % sizeof(TimedEdge); rest > 0) {
    throw bad_input(Place::offset(path, offset_), fmt::format("{} bytes at the end", rest),
                    "triples of 12 bytes (was the stream cut?)");
  }
  return bytes / sizeof(TimedEdge);
}

void read_timed_edges(ByteSource& source, const StreamOptions& options, UpdateSink& sink) {
  const std::uint64_t bytes = source.file().bytes().value_or(0);
  Progress progress("ingesting",
                    is_compressed(source.file().path()) ? 0 : bytes / sizeof(TimedEdge), "updates");
  Feed feed(sink, options.at_once);
  TimedEdges edges(source);
  const bool as_it_comes = source.file().passes_once();
  std::vector<TimedEdge> some(as_it_comes ? 1 : std::size_t{1} << 16);
  for (std::size_t read = some.size(); read == some.size();) {
    try {
      read = edges.read(some);
    } catch (...) {
      feed.hand_on();
      throw;
    }
    for (const TimedEdge& edge : std::span(some).first(read)) {
      feed.add(LogEdge{edge.source, edge.target});
    }
    if (as_it_comes) feed.hand_on();
    progress.add(read);
  }
  feed.hand_on();
}

}  // namespace outcore::evolving
