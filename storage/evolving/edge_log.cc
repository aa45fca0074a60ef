// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/edge_log.h"

#include <sys/mman.h>

#include <algorithm>

namespace outcore::evolving {

EdgeLog::EdgeLog(std::uint64_t capacity, bool reuse_buffered)
    : capacity_(capacity),
      reuse_buffered_(reuse_buffered),
      memory_(numa::allocate(capacity * sizeof(LogEdge))) {
  // Only advice: if the kernel refuses it, pages are small.
  madvise(memory_.get(), capacity * sizeof(LogEdge), MADV_HUGEPAGE);
}

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
