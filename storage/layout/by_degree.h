// SPDX-License-Identifier: Apache-2.0
// Indexes 0 .. count-1 by descending degree, equal ones ascending. It is a counting sort: degrees
// of a graph are mostly small, and comparison sorts of millions of them take seconds. Memory: the
// result and 0.5 MB.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/ids.h"

namespace outcore {

// Calls `degree(i)` twice for each index, and more often for the few very long lists.
template <typename Degree>
std::vector<VertexId> by_descending_degree(VertexId count, Degree&& degree) {
  constexpr std::uint64_t kCounted = 65535;  // larger degrees share a bucket, sorted by comparison
  const auto bucket = [&](VertexId i) { return kCounted - std::min(degree(i), kCounted); };
  std::vector<VertexId> begins(kCounted + 2);
  for (VertexId i = 0; i < count; ++i) ++begins[bucket(i) + 1];
  const auto longest = static_cast<std::ptrdiff_t>(begins[1]);
  for (std::uint64_t b = 0; b <= kCounted; ++b) begins[b + 1] += begins[b];
  std::vector<VertexId> order(count);
  for (VertexId i = 0; i < count; ++i) order[begins[bucket(i)]++] = i;
  std::stable_sort(order.begin(), order.begin() + longest,
                   [&](VertexId a, VertexId b) { return degree(a) > degree(b); });
  return order;
}

}  // namespace outcore
