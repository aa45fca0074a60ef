// SPDX-License-Identifier: Apache-2.0
#include "engines/psw/shard_count.h"

#include <gtest/gtest.h>

#include "engines/frames_too_small.h"
#include "engines/psw/psw_fixture.h"

namespace outcore {
namespace {

TEST(ShardCount, FewestThatFitFromTheLeastOn) {
  const ShardedGraph graph{.edges = 10'000'000};
  const std::uint32_t p = fitting_shards(graph, std::uint64_t{64} << 20, 1);
  ASSERT_GT(p, 1U);
  EXPECT_LE(frames_for_shards(graph, p), std::uint64_t{64} << 20);
  EXPECT_GT(frames_for_shards(graph, p - 1), std::uint64_t{64} << 20);
  EXPECT_EQ(fitting_shards(graph, std::uint64_t{64} << 20, p + 3), p + 3);
}

TEST(ShardCount, NoneWhereBlocksOfCellsTakeMoreThanShardsSave) {
  const ShardedGraph graph{.edges = 10'000'000};
  EXPECT_EQ(fitting_shards(graph, std::uint64_t{1} << 20, 1), 0U);
  const std::uint32_t p = smallest_shards(graph);
  EXPECT_LE(frames_for_shards(graph, p), frames_for_shards(graph, p - 1));
  EXPECT_LE(frames_for_shards(graph, p), frames_for_shards(graph, p + 1));
}

TEST(ShardCount, WiderEdgesNeedMoreShards) {
  const auto shards = [](const ShardedGraph& graph) {
    return fitting_shards(graph, std::uint64_t{16} << 20, 1);
  };
  const ShardedGraph plain{.edges = 10'000'000};
  ShardedGraph other = plain;
  other.value_bytes = 16;
  EXPECT_GT(shards(other), shards(plain));
  other = plain;
  other.weighted = true;
  EXPECT_GT(shards(other), shards(plain));
  other = plain;
  other.vertex_bytes = std::uint64_t{4} << 20;
  EXPECT_GT(shards(other), shards(plain));
}

// The smallest frames with which the engine can work on a layout, as its refusal says.
std::uint64_t least_frames(const EdgeLayout& layout) {
  EngineOptions options = psw_options();
  options.frames_bytes = 1;
  try {
    static_cast<void>(find_engine("psw").make(layout, options));
  } catch (const FramesTooSmall& error) {
    return error.least();
  }
  return 0;
}

// The layout that the entry names works in frames in which the usual one does not.
TEST(ShardCount, ChoicesOfTheEngineFitItsFrames) {
  const ToyContainer toy(small_kronecker(13, 32, 1), true);
  const EngineEntry& psw = find_engine("psw");
  const EdgeIndex edges = Container(toy.folder()).facts().edges;
  const LayoutChoices usual = plainest_choices(psw);
  const std::uint64_t least = least_frames(EdgeLayout(toy.layout(usual)));
  ASSERT_GT(least, 1U);
  const EdgeLayout chosen(toy.layout(psw.choices_for(usual, edges, least - 1)));
  EXPECT_LT(least_frames(chosen), least);
  EngineOptions options = psw_options();
  options.frames_bytes = least - 1;
  EXPECT_TRUE(verified(toy, "wcc", run_psw(chosen, "wcc", options).answer));
  EXPECT_EQ(psw.choices_for(usual, edges, std::uint64_t{1} << 30), complete_choices(usual));
}

}  // namespace
}  // namespace outcore
