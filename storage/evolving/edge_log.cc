// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/edge_log.h"

#include <sys/mman.h>

#include <algorithm>

namespace outcore::evolving {

EdgeLog::EdgeLog(std::uint64_t capacity, bool reuse_buffered)
    : capacity_(capacity),
      reuse_buffered_(reuse_buffered),
      memory_(numa::allocate(capacity * sizeof(LogEdge))),
      edges_(reinterpret_cast<LogEdge*>(memory_.get())) {
  // Only advice: if the kernel refuses it, pages are small.
  madvise(memory_.get(), capacity * sizeof(LogEdge), MADV_HUGEPAGE);
}

EdgeLog::EdgeLog(LogEdge* edges, std::uint64_t capacity, std::uint64_t flushing, std::uint64_t head)
    : capacity_(capacity),
      reuse_buffered_(false),
      edges_(edges),
      head_(head),
      marker_(flushing),
      buffering_(flushing),
      flushing_(flushing) {}

std::span<LogEdge> EdgeLog::room(std::uint64_t most) {
  const std::uint64_t to_end = capacity_ - (head_ & (capacity_ - 1));
  return {at(head_), std::min({most, free(), to_end})};
}

std::pair<std::span<const LogEdge>, std::span<const LogEdge>> EdgeLog::edges(
    std::uint64_t begin, std::uint64_t end) const {
  const std::uint64_t count = end - begin;
  const std::uint64_t first = std::min(count, capacity_ - (begin & (capacity_ - 1)));
  return {{at(begin), first}, {at(begin + first), count - first}};
}

}  // namespace outcore::evolving
