// SPDX-License-Identifier: Apache-2.0
#include "engines/lists/block_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outcore {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Blocks of 4 slots: v0 at 0 (2 edges), v1 at 2 (5 edges: blocks 0 and 1), v2 none, v3 at 12 (1).
ListIndex index() {
  ListIndex::Parts parts;
  parts.entries = {ListIndex::pack(0, 2), ListIndex::pack(2, 5), ListIndex::pack(7, 0),
                   ListIndex::pack(12, 1)};
  parts.slots_per_block = 4;
  return ListIndex(std::move(parts));
}

constexpr auto kNamed = BlockQueue::Edgeless::named;

std::vector<std::vector<VertexId>> by_block(const BlockQueue& queue) {
  std::vector<std::vector<VertexId>> result;
  for (std::size_t i = 0; i < queue.blocks().size(); ++i) {
    const auto vertices = queue.vertices(i);
    result.emplace_back(vertices.begin(), vertices.end());
  }
  return result;
}

// Few readers of a large file are sorted, many are counted: both must say the same.
class BlockQueueOf : public ::testing::TestWithParam<BlockId> {
 protected:
  Executor executor_{2};
};
INSTANTIATE_TEST_SUITE_P(SortedAndCounted, BlockQueueOf, ::testing::Values(1000, 4));

TEST_P(BlockQueueOf, HoldsEachBlockOnceWithTheVerticesThatWantIt) {
  const std::vector<VertexId> readers = {3, 1, 0, 2};
  BlockQueue queue;
  queue.build(executor_, Frontier::of(400, readers), index(), GetParam(), kNamed);
  EXPECT_THAT(std::vector(queue.blocks().begin(), queue.blocks().end()), ElementsAre(0, 1, 3));
  EXPECT_THAT(by_block(queue),
              ElementsAre(::testing::UnorderedElementsAre(0, 1), ElementsAre(1), ElementsAre(3)));
  EXPECT_THAT(std::vector(queue.straddlers().begin(), queue.straddlers().end()), ElementsAre(1));
  EXPECT_THAT(std::vector(queue.blockless().begin(), queue.blockless().end()), ElementsAre(2));
}

TEST_P(BlockQueueOf, LeavesOutWhoHasNoEdgesWhereNobodyAsksForThem) {
  const std::vector<VertexId> readers = {3, 1, 0, 2};
  BlockQueue queue;
  queue.build(executor_, Frontier::of(400, readers), index(), GetParam(),
              BlockQueue::Edgeless::left_out);
  EXPECT_THAT(std::vector(queue.blocks().begin(), queue.blocks().end()), ElementsAre(0, 1, 3));
  EXPECT_THAT(queue.blockless(), IsEmpty());
}

TEST_P(BlockQueueOf, ForgetsTheRoundBefore) {
  BlockQueue queue;
  const std::vector<VertexId> first = {0, 1, 3};
  const std::vector<VertexId> second = {2};
  queue.build(executor_, Frontier::of(400, first), index(), GetParam(), kNamed);
  queue.build(executor_, Frontier::of(400, second), index(), GetParam(), kNamed);
  EXPECT_TRUE(queue.blocks().empty());
  EXPECT_TRUE(queue.straddlers().empty());
}

// Ids of many ranges, which workers take in turn: lists of 3 edges behind each other.
TEST(BlockQueue, HoldsEveryReaderOfEveryWorker) {
  constexpr VertexId kIds = 100'000;
  ListIndex::Parts parts;
  for (VertexId v = 0; v < kIds; ++v) parts.entries.push_back(ListIndex::pack(v * 3ULL, 3));
  parts.slots_per_block = 4;
  const ListIndex index(std::move(parts));
  Frontier readers(kIds);
  for (VertexId v = 0; v < kIds; ++v) readers.add(v);
  const BlockId blocks = kIds * 3 / 4;
  Executor executor(4);
  BlockQueue queue;
  queue.build(executor, readers, index, blocks, kNamed);
  ASSERT_EQ(queue.blocks().size(), blocks);
  for (BlockId block = 0; block < blocks; ++block) {
    EXPECT_EQ(queue.blocks()[block], block);
    std::vector<VertexId> wanted;  // slots of block b belong to the lists of ids slot / 3
    for (VertexId v = static_cast<VertexId>(block * 4 / 3); v <= (block * 4 + 3) / 3; ++v) {
      wanted.push_back(v);
    }
    EXPECT_THAT(queue.vertices(block), ::testing::UnorderedElementsAreArray(wanted));
  }
  EXPECT_EQ(queue.straddlers().size(), kIds / 2);

  const std::size_t before = queue.memory_bytes();
  queue.build(executor, readers, index, blocks, kNamed);  // as it is
  EXPECT_EQ(queue.blocks().size(), blocks);
  EXPECT_EQ(queue.memory_bytes(), before);
  queue.build(executor, readers, index, blocks, BlockQueue::Edgeless::left_out);  // nobody is
  queue.build(executor, Frontier::of(kIds, std::vector<VertexId>{0}), index, blocks, kNamed);
  EXPECT_EQ(queue.blocks().size(), 1U);
  queue.build(executor, readers, index, blocks, kNamed);  // anew
  EXPECT_EQ(queue.blocks().size(), blocks);
  EXPECT_TRUE(std::is_sorted(queue.straddlers().begin(), queue.straddlers().end()));
}

}  // namespace
}  // namespace outcore
