// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/edge_shard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "storage/evolving/multiset_for_tests.h"
#include "storage/evolving/split_for_tests.h"

namespace outcore::evolving {

namespace {

// What is to come out: by vertex, and for a vertex in the order of the log.
std::vector<std::pair<VertexId, Entry>> expected_lists(std::span<const LogEdge> edges, Ends ends) {
  std::vector<std::pair<VertexId, Entry>> lists;
  for (const LogEdge& edge : edges) {
    const VertexId target = neighbour(edge.target);
    if (ends != Ends::target) lists.emplace_back(edge.source, edge.target);
    if (ends == Ends::target || (ends == Ends::both && target != edge.source))
      lists.emplace_back(target, edge.source | (edge.target & kRemoval));
  }
  std::stable_sort(lists.begin(), lists.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return lists;
}

TEST(EdgeShard, SortsByVertexAndKeepsTheOrderOfTheLog) {
  for (const unsigned threads : {1U, 2U, 3U}) {
    for (const std::size_t size : {0UL, 1UL, 7UL, 1000UL, 20000UL}) {
      for (const unsigned ranges : {0U, 1U, 5U, 64U}) {
        for (const Ends ends : {Ends::source, Ends::target, Ends::both}) {
          const auto edges = make_stream({.updates = size, .vertices = 70000, .removals = 0.1});
          Executor executor(threads);
          EdgeShard shard(executor, ranges);
          const std::span<const LogEdge> all(edges);
          split(executor, shard, {all.first(size / 3), all.subspan(size / 3)}, ends, 70000);
          std::vector<std::pair<VertexId, Entry>> found;
          for (unsigned range = 0; range < shard.ranges(); ++range) {
            for (const Sharded& entry : shard.sorted(0, range))
              found.emplace_back(entry.vertex, entry.entry);
          }
          EXPECT_EQ(found, expected_lists(edges, ends)) << threads << " " << size << " " << ranges;
        }
      }
    }
  }
}

TEST(EdgeShard, GivesThreadsAboutEqualNumbersOfEdges) {
  std::vector<LogEdge> edges;
  for (VertexId i = 0; i < 100000; ++i) edges.push_back({i * 7 % (1 << 20), 0});
  Executor executor(4);
  EdgeShard shard(executor, 64);
  split(executor, shard, {edges, {}}, Ends::source, 1 << 20);
  EXPECT_EQ(shard.first_range(0), 0);
  EXPECT_EQ(shard.last_range(3), shard.ranges());
  for (unsigned thread = 0; thread < 4; ++thread) {
    std::size_t mine = 0;
    for (unsigned r = shard.first_range(thread); r < shard.last_range(thread); ++r)
      mine += shard.list(r).size();
    EXPECT_NEAR(static_cast<double>(mine), 25000, 2500);
  }
}

TEST(EdgeShard, RangesAreWholePartitions) {
  const auto edges = make_stream({.updates = 5000, .vertices = 100000});
  Executor executor(2);
  EdgeShard shard(executor, 1000);
  split(executor, shard, {edges, {}}, Ends::source, 100000);
  EXPECT_EQ(shard.ranges(), (100000 + kPartitionVertices - 1) / kPartitionVertices);
}

}  // namespace

}  // namespace outcore::evolving
