// SPDX-License-Identifier: Apache-2.0
#include "engines/sync_subgraph/interval.h"

#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/toy_container.h"

namespace outcore {
namespace {

class IntervalsOfAGraph : public ::testing::TestWithParam<std::string> {
 protected:
  ToyContainer toy_{small_kronecker(11, 8, 1), true};
  Layout layout_{toy_.layout(LayoutChoices{.pack = "csr", .codec = GetParam()})};
  Executor executor_{2};
  Shards shards_{layout_, Direction::out, executor_};
  ShardRows rows_{{&shards_}};
  VertexId ids_ = layout_.facts().id_space;
};
INSTANTIATE_TEST_SUITE_P(Codecs, IntervalsOfAGraph, ::testing::Values("raw", "varint", "svb"),
                         [](const auto& tested) { return tested.param; });

TEST_P(IntervalsOfAGraph, ShardsHoldEachListAndShareBordersOnly) {
  const Intervals intervals = cut_intervals(rows_, ids_, {8 * 4096, ~EdgeIndex{0}});
  const ListIndex& index = shards_.index();
  EdgeIndex edges = 0;
  for (std::uint32_t i = 0; i < intervals.count(); ++i) {
    const Shard shard = shards_.shard(intervals[i]);
    edges += shards_.edges(intervals[i]);
    for (VertexId v = intervals[i].begin; v < intervals[i].end; ++v) {
      if (index.degree(v) == 0) continue;
      const ListAddress list = index.address(v);
      EXPECT_GE(index.first_block(list), shard.first);
      EXPECT_LT(index.last_block(list), shard.end);
    }
    if (i > 0 && shard.blocks() > 0) {
      EXPECT_GE(shard.first + 1, shards_.shard(intervals[i - 1]).end);
    }
  }
  EXPECT_EQ(edges, layout_.facts().edges);
}

TEST_P(IntervalsOfAGraph, AreTheFewestThatFit) {
  for (const IntervalRoom room : {IntervalRoom{4 * 4096, 1 << 20}, IntervalRoom{1 << 20, 3000}}) {
    const Intervals intervals = cut_intervals(rows_, ids_, room);
    EXPECT_GT(intervals.count(), 2U);
    for (std::uint32_t i = 0; i < intervals.count(); ++i) {
      const VertexRange range = intervals[i];
      EXPECT_TRUE(fits(rows_, range, room) || range.end - range.begin == 1);
      if (range.end < ids_) {
        EXPECT_FALSE(fits(rows_, {range.begin, range.end + 1}, room)) << "one more would fit";
      }
    }
    const std::uint64_t even = intervals.count() * 2;
    EXPECT_EQ(cut_intervals(rows_, ids_, room, even).count(), even);
  }
}

TEST_P(IntervalsOfAGraph, ThatAreEvenTakeAboutTheSameBytes) {
  constexpr std::uint64_t kParts = 8;
  const Intervals intervals = cut_intervals(rows_, ids_, {1 << 24, 1 << 24}, kParts);
  const ListIndex& index = shards_.index();
  std::uint64_t longest = 0;
  for (VertexId v = 0; v + 1 < index.listed(); ++v) {
    longest = std::max(longest, shards_.bytes({v, v + 1}));
  }
  const std::uint64_t all = shards_.bytes({0, ids_});
  for (std::uint32_t i = 0; i < intervals.count(); ++i) {
    EXPECT_LE(shards_.bytes(intervals[i]), all / kParts + longest + 1);
  }
}

TEST_P(IntervalsOfAGraph, MayHaveOneVertexEachAndNotLess) {
  EXPECT_EQ(cut_intervals(rows_, ids_, {}, ids_).count(), ids_);
  EXPECT_THROW(cut_intervals(rows_, ids_, {}, ids_ + 1), Error);
}

}  // namespace
}  // namespace outcore
