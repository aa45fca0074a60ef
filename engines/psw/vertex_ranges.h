// SPDX-License-Identifier: Apache-2.0
// The vertices of an interval in ranges that workers take in turn. Ranges begin and end with whole
// words of bits, but for the interval's own ends.
#pragma once

#include <algorithm>

#include "common/executor.h"
#include "common/ids.h"

namespace outcore {

// f(worker, range)
template <typename F>
void for_ranges(Executor& executor, VertexRange interval, const F& f) {
  constexpr std::size_t kRange = 16384;
  const std::size_t end = (std::size_t{interval.end} + kRange - 1) / kRange;
  executor.parallel_for(
      interval.begin / kRange, end, 1, [&](unsigned worker, std::size_t first, std::size_t last) {
        for (; first < last; ++first) {
          const std::size_t begin = std::max<std::size_t>(interval.begin, first * kRange);
          const std::size_t stop = std::min<std::size_t>(interval.end, (first + 1) * kRange);
          if (begin >= stop) continue;
          f(worker, VertexRange{static_cast<VertexId>(begin), static_cast<VertexId>(stop)});
        }
      });
}

}  // namespace outcore
