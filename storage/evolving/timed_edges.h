// SPDX-License-Identifier: Apache-2.0
// Edges with times, as real streams have them: little-endian u32 triples (source, target, time), by
// time. The usual ending is .tel32, also compressed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "storage/evolving/stream.h"
#include "storage/formats/byte_source.h"

namespace outcore::evolving {

struct TimedEdge {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  std::uint32_t time = 0;
};
static_assert(sizeof(TimedEdge) == 12);

class TimedEdges {
 public:
  // `source` outlives it.
  explicit TimedEdges(ByteSource& source) : source_(source) {}
  // Fills `into`; fewer only at the end. Throws bad_input with the offset where an edge is cut, its
  // time is before the last one's, or its vertices are too large.
  std::size_t read(std::span<TimedEdge> into);

 private:
  ByteSource& source_;
  std::uint64_t offset_ = 0;
  std::uint32_t last_ = 0;
};

// Hands on the edges of such a stream.
void read_timed_edges(ByteSource& source, const StreamOptions& options, UpdateSink& sink);

}  // namespace outcore::evolving
