// SPDX-License-Identifier: Apache-2.0
// async_block's worklist, one call at a time: what no run shows reliably, because in a run two
// executors are never twice at the same distance.
#include "engines/async_block/worklist.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "engines/async_block/async_block_fixture.h"

namespace outcore {
namespace {

class AsyncBlockWorklist : public AsyncBlock {
 protected:
  static constexpr std::size_t kNone = ~std::size_t{0};

  AsyncBlockWorklist() {
    ahead_.executor = 0;
    behind_.executor = 1;
    worklist_.expect(2);
    for (VertexId v = 0; v < layout_.facts().id_space; ++v) {
      const Assignment::Place place = worklist_.assignment().place(v);
      const bool in_a_block = place.block != Assignment::kNoBlock;
      if (in_a_block && place.member == 0 && !worklist_.assignment().is_long(place.block)) {
        firsts_.push_back(v);
      }
    }
  }

  static Priority alike(VertexId) { return 0; }
  // Some vertices whose lists stand in the index.
  [[nodiscard]] std::vector<VertexId> residents(std::size_t count) const {
    std::vector<VertexId> found;
    for (VertexId v = 0; v < layout_.facts().id_space && found.size() < count; ++v) {
      if (worklist_.assignment().place(v).block == Assignment::kNoBlock) found.push_back(v);
    }
    return found;
  }
  // Blocks of one vertex each that is active, read by this executor: priorities first, first + 1...
  void bring_in(Worklist::Own& own, std::uint32_t blocks, Priority first) {
    for (std::uint32_t i = 0; i < blocks; ++i) {
      const Activations::Entry entry = {firsts_.at(brought_in_++),
                                        first + static_cast<Priority>(i)};
      worklist_.submit({&entry, 1}, own);
      std::uint32_t pulled = 0;
      ASSERT_EQ(worklist_.pull({&pulled, 1}), 1U);
      worklist_.loaded(pulled, frame_, own);
    }
  }
  // Processes the executor's next block: how many others had been brought in before it.
  std::size_t process_next(Worklist::Own& own) {
    const std::optional<std::uint32_t> block = worklist_.next_cached(own);
    if (!block) return kNone;
    std::vector<std::uint32_t> members;
    worklist_.take(*block, members);
    worklist_.finish(*block, own);
    const VertexId v = worklist_.assignment().vertex(*block, members.at(0));
    return static_cast<std::size_t>(std::find(firsts_.begin(), firsts_.end(), v) - firsts_.begin());
  }

  Executor executor_{2};
  Worklist worklist_{layout_, Direction::out, {}, executor_};
  Worklist::Own ahead_;
  Worklist::Own behind_;
  alignas(64) std::byte frame_[64] = {};
  std::vector<VertexId> firsts_;  // of each block of short lists the first vertex
  std::size_t brought_in_ = 0;
};

// By benefit: a block with one active vertex waits while another block is wanted completely; it
// comes, once, when the other vertices of its own are active too.
TEST_F(AsyncBlockWorklist, TheBlockOfMostActiveEdgesComesFirst) {
  Worklist worklist(layout_, Direction::out, {.first = Worklist::Rules::First::fullest}, executor_);
  const std::uint32_t poor = worklist.assignment().place(firsts_.at(0)).block;
  const std::uint32_t rich = worklist.assignment().place(firsts_.at(1)).block;
  constexpr std::uint32_t kAll = ~std::uint32_t{0};
  const auto activate = [&](std::uint32_t block, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t member = begin; member < end; ++member) {
      const Activations::Entry entry = {worklist.assignment().vertex(block, member), 0};
      if (worklist.assignment().place(entry.v).block != block) return;
      worklist.submit({&entry, 1}, ahead_);
    }
  };
  std::uint32_t pulled[2] = {};
  activate(poor, 0, 1);
  activate(rich, 0, kAll);
  ASSERT_EQ(worklist.pull({pulled, 1}), 1U);
  EXPECT_EQ(pulled[0], rich);
  activate(poor, 1, kAll);
  ASSERT_EQ(worklist.pull(pulled), 1U);
  EXPECT_EQ(pulled[0], poor);
}

// Section 4.2: no executor waits for the device while there is something to process.
TEST_F(AsyncBlockWorklist, ACachedBlockGoesBeforeASoonerUncachedOne) {
  bring_in(ahead_, 1, 1000);
  const Activations::Entry sooner = {firsts_.at(1), 1};
  worklist_.submit({&sooner, 1}, ahead_);
  EXPECT_EQ(process_next(ahead_), 0U);
  EXPECT_EQ(process_next(ahead_), kNone) << "it has not come";
  std::uint32_t pulled = 0;
  ASSERT_EQ(worklist_.pull({&pulled, 1}), 1U);
  worklist_.loaded(pulled, frame_, ahead_);
  EXPECT_EQ(process_next(ahead_), 1U);
}

// No executor can pull a block that is read ahead. The block is at hand when it is wanted.
TEST_F(AsyncBlockWorklist, WhatIsReadAheadIsReadOnce) {
  worklist_.expect(0, {.ahead = 1});
  for (const std::size_t first : {0U, 1U}) {
    const Activations::Entry entry = {firsts_.at(first), 1};
    const std::uint32_t block = worklist_.assignment().place(entry.v).block;
    const bool wanted_before_it_comes = first == 0;
    ASSERT_EQ(worklist_.may_read_ahead(1, true), 1U);
    ASSERT_TRUE(worklist_.may_come(block));
    ASSERT_TRUE(worklist_.read_ahead(block));
    EXPECT_FALSE(worklist_.read_ahead(block)) << "it is coming";
    EXPECT_EQ(worklist_.may_read_ahead(1, true), 0U) << "no other until it is used";
    if (wanted_before_it_comes) worklist_.submit({&entry, 1}, ahead_);
    std::uint32_t pulled = 0;
    EXPECT_EQ(worklist_.pull({&pulled, 1}), 0U);
    EXPECT_EQ(process_next(ahead_), kNone) << "it has not come";
    worklist_.loaded(block, frame_, behind_);
    if (!wanted_before_it_comes) {
      EXPECT_EQ(process_next(behind_), kNone) << "it is not wanted";
      worklist_.submit({&entry, 1}, behind_);
    }
    EXPECT_EQ(process_next(behind_), first);
    EXPECT_EQ(worklist_.may_read_ahead(1, true), 1U);
    ASSERT_TRUE(worklist_.let_go(block, frame_));
    EXPECT_FALSE(worklist_.read_ahead(block)) << "the wave has been there";
  }
}

TEST_F(AsyncBlockWorklist, WhatIsReadAheadInVainIsLost) {
  worklist_.expect(0, {.ahead = 1});
  const std::uint32_t block = worklist_.assignment().place(firsts_.at(0)).block;
  ASSERT_TRUE(worklist_.read_ahead(block));
  worklist_.loaded(block, frame_, ahead_);
  ASSERT_TRUE(worklist_.let_go(block, frame_));
  EXPECT_EQ(worklist_.may_read_ahead(1, true), 0U);
}

TEST_F(AsyncBlockWorklist, NothingIsReadAheadWhereEnoughBlocksWait) {
  worklist_.expect(0, {.ahead = 1});
  const Activations::Entry entry = {firsts_.at(0), 1};
  worklist_.submit({&entry, 1}, ahead_);
  EXPECT_EQ(worklist_.may_read_ahead(1, true), 0U);
  EXPECT_EQ(worklist_.may_read_ahead(2, true), 1U);
}

// The least label is the last to come to most blocks.
TEST_F(AsyncBlockWorklist, LabelsReadAheadWhatTheyHaveLeft) {
  worklist_.expect(0, {.again = true, .labels = true, .ahead = 2});
  bring_in(ahead_, 1, 1);
  ASSERT_EQ(process_next(ahead_), 0U);
  const std::uint32_t block = worklist_.assignment().place(firsts_.at(0)).block;
  ASSERT_TRUE(worklist_.let_go(block, frame_));
  EXPECT_TRUE(worklist_.may_come(block));
  const Activations::Entry entry = {firsts_.at(1), 1};
  worklist_.submit({&entry, 1}, ahead_);
  EXPECT_EQ(worklist_.may_read_ahead(1, false), 0U) << "enough blocks wait";
  EXPECT_EQ(worklist_.may_read_ahead(1, true), 2U) << "but not for this label";
}

TEST_F(AsyncBlockWorklist, OnlyWithLabelsIsABlockWaitedFor) {
  for (const bool labels : {false, true}) {
    worklist_.expect(0, {.again = true, .labels = labels});
    bring_in(ahead_, 1, 1000);
    const Activations::Entry sooner = {firsts_.at(brought_in_++), 1};
    worklist_.submit({&sooner, 1}, ahead_);
    EXPECT_EQ(worklist_.uncached_is_sooner(ahead_), labels);
    const std::uint32_t block = worklist_.assignment().place(sooner.v).block;
    EXPECT_EQ(worklist_.is_waited_for(block), labels);
    EXPECT_EQ(worklist_.priority(block), 1);
    std::uint32_t pulled = 0;
    ASSERT_EQ(worklist_.pull({&pulled, 1}), 1U);
    EXPECT_FALSE(worklist_.uncached_is_sooner(ahead_)) << "it is on its way";
    worklist_.loaded(pulled, frame_, ahead_);
    while (process_next(ahead_) != kNone) {
    }
  }
}

// Each block of a chain becomes sooner when the one before it is processed. What it leaves in the
// queue does not look like a block that waits.
TEST_F(AsyncBlockWorklist, EntriesThatAreStaleAreNoBlocksAtHand) {
  constexpr std::uint32_t kBlocks = 5;
  bring_in(ahead_, kBlocks, 10);
  for (std::uint32_t i = 0; i < kBlocks; ++i) {
    const Activations::Entry sooner = {firsts_.at(i), 1};
    worklist_.submit({&sooner, 1}, ahead_);
    EXPECT_EQ(process_next(ahead_), i);
    EXPECT_EQ(ahead_.cached.size(), kBlocks - i - 1);
  }
}

TEST_F(AsyncBlockWorklist, WhoIsAtSoonerBlocksSharesThemWithWhoIsAtLaterOnes) {
  bring_in(behind_, 32, 10);
  bring_in(ahead_, 4, 1000);
  ASSERT_EQ(process_next(ahead_), 32U) << "the soonest of its own";
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(process_next(behind_), i);
  EXPECT_EQ(process_next(ahead_), 17U) << "every other one of those that were left";
  EXPECT_EQ(process_next(behind_), 16U);
}

TEST_F(AsyncBlockWorklist, WhoIsAsFarAsTheOthersKeepsItsBlocks) {
  bring_in(behind_, 32, 10);
  bring_in(ahead_, 2, 5);
  ASSERT_EQ(process_next(ahead_), 32U);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(process_next(behind_), i);
  EXPECT_EQ(process_next(ahead_), 33U);
  EXPECT_EQ(process_next(ahead_), kNone);
}

// The executor would sleep on them, because it looks for blocks before it looks for vertices.
TEST_F(AsyncBlockWorklist, WhoLooksForVerticesIsGivenNoBlocks) {
  bring_in(behind_, 32, 10);
  bring_in(ahead_, 1, 1000);
  ASSERT_EQ(process_next(ahead_), 32U);
  for (std::size_t i = 0; i < 16; ++i) ASSERT_EQ(process_next(behind_), i);
  VertexId taken[1];
  EXPECT_EQ(worklist_.take_residents(taken, 1, ahead_), 0U);
  EXPECT_TRUE(ahead_.cached.empty());
  EXPECT_EQ(process_next(ahead_), 17U) << "there were some";
}

// Stale entries of blocks that became more urgent are removed together when no block waits any
// more, and not before: a waiting block is found, however many there are.
TEST_F(AsyncBlockWorklist, WhatIsStaleHidesNobodyWhoWaits) {
  std::uint32_t pulled[8] = {};
  for (const std::uint32_t blocks : {1U, 3U}) {
    for (Priority priority = 9; priority > 0; --priority) {
      for (std::uint32_t i = 0; i < blocks; ++i) {
        const Activations::Entry entry = {firsts_.at(i), priority};
        worklist_.submit({&entry, 1}, ahead_);
      }
    }
    ASSERT_EQ(worklist_.pull(pulled), blocks);
    EXPECT_EQ(worklist_.pull(std::span(pulled).subspan(blocks)), 0U);
    for (std::uint32_t i = 0; i < blocks; ++i) {
      worklist_.loaded(pulled[i], frame_, ahead_);
      EXPECT_NE(process_next(ahead_), kNone);
      EXPECT_TRUE(worklist_.let_go(pulled[i], frame_));
    }
  }
}

// Of what is active at first, an executor processes residents without a queue.
TEST_F(AsyncBlockWorklist, ResidentsThatAreInactiveAreBegunAtOnceAndOthersOnlyCounted) {
  std::vector<VertexId> vertices = residents(3);
  const VertexId waiting = vertices[1];
  const Activations::Entry entry = {waiting, 0};
  worklist_.submit({&entry, 1}, behind_);
  ASSERT_EQ(worklist_.begin_residents(vertices), 2U);
  EXPECT_EQ(std::count(vertices.begin(), vertices.begin() + 2, waiting), 0);
  worklist_.has_submitted();
  worklist_.has_submitted();
  worklist_.finish_residents(std::span(vertices).first(2), alike, ahead_);
  worklist_.has_left(ahead_);
  EXPECT_FALSE(worklist_.ended()) << "one waits";
  VertexId taken[1];
  ASSERT_EQ(worklist_.take_residents(taken, 1, behind_), 1U);
  EXPECT_EQ(taken[0], waiting);
  worklist_.finish_residents(taken, alike, behind_);
  EXPECT_FALSE(worklist_.ended()) << "the executor has not left it yet";
  worklist_.has_left(behind_);
  EXPECT_TRUE(worklist_.ended());
}

// Where order matters they come in their order, also one that waits in a queue.
TEST_F(AsyncBlockWorklist, ResidentsThatAreBegunInTurnAreCountedOnceEach) {
  std::vector<VertexId> vertices = residents(4);
  const std::vector<VertexId> all = vertices;
  const auto activate = [&](VertexId v, Worklist::Own& own) {
    const Activations::Entry entry = {v, 0};
    worklist_.submit({&entry, 1}, own);
  };
  VertexId other[1];
  activate(all[2], behind_);
  ASSERT_EQ(worklist_.take_residents(other, 1, behind_), 1U);
  activate(all[1], behind_);
  ASSERT_EQ(worklist_.begin_in_turn(vertices, ahead_), 3U) << "another processes the third";
  EXPECT_EQ(std::vector<VertexId>(vertices.begin(), vertices.begin() + 3),
            (std::vector<VertexId>{all[0], all[1], all[3]}));
  activate(all[0], ahead_);
  worklist_.finish_residents(std::span(vertices).first(3), alike, ahead_);
  worklist_.has_left(ahead_);
  worklist_.has_submitted();
  worklist_.has_submitted();
  VertexId taken[4];
  EXPECT_EQ(worklist_.take_residents(taken, 4, behind_), 0U) << "it waits no longer";
  ASSERT_EQ(worklist_.take_residents(taken, 4, ahead_), 1U);
  EXPECT_EQ(taken[0], all[0]);
  worklist_.finish_residents(std::span(taken).first(1), alike, ahead_);
  worklist_.has_left(ahead_);
  EXPECT_FALSE(worklist_.ended()) << "the third has been activated once more";
  EXPECT_EQ(worklist_.finish_residents(other, alike, behind_), 1U);
  ASSERT_EQ(worklist_.take_residents(taken, 4, behind_), 1U);
  worklist_.finish_residents(std::span(taken).first(1), alike, behind_);
  worklist_.has_left(behind_);
  EXPECT_TRUE(worklist_.ended());
}

// A resident vertex that became sooner has an entry for each time, and is taken with the first.
TEST_F(AsyncBlockWorklist, ResidentsAreTakenBySoonestPriorityOnceEach) {
  Worklist worklist(layout_, Direction::out, {}, executor_);
  worklist.expect(1, {.again = true});
  const std::vector<VertexId> v = residents(4);
  const Activations::Entry entries[] = {{v[0], 5}, {v[1], 5}, {v[2], 9}, {v[3], 7}, {v[2], 1}};
  worklist.submit(entries, ahead_);
  VertexId taken[4];
  ASSERT_EQ(worklist.take_residents(taken, 1, ahead_), 1U);
  EXPECT_EQ(taken[0], v[2]);
  ASSERT_EQ(worklist.take_residents(taken, 1, ahead_), 2U) << "those that are alike";
  EXPECT_EQ(taken[0], v[0]);
  EXPECT_EQ(taken[1], v[1]);
  ASSERT_EQ(worklist.take_residents(taken, 4, ahead_), 1U) << "the entry of before is stale";
  EXPECT_EQ(taken[0], v[3]);
  EXPECT_FALSE(worklist.ended());
  worklist.has_submitted();
  EXPECT_EQ(worklist.finish_residents(v, alike, ahead_), 0U);
  worklist.has_left(ahead_);
  EXPECT_TRUE(worklist.ended());
}

// A hub's list waits with the executor whose residents may tell the hub something, and with the one
// that took some of these.
TEST_F(AsyncBlockWorklist, AListInPiecesWaitsForManyResidents) {
  constexpr VertexId kMany = 64;
  const ToyContainer toy(star(5000), true);
  const Layout layout(toy.layout(layout_preset("acgraph")));
  const Activations::Entry hub = {0, 0};
  for (const bool again : {false, true}) {
    for (const VertexId others : {kMany - 1, kMany}) {
      SCOPED_TRACE(fmt::format("again {}, {} others", again, others));
      Worklist worklist(layout, Direction::out, {}, executor_);
      Worklist::Own own;
      worklist.expect(1, {.again = again});
      for (VertexId leaf = 1; leaf <= others; ++leaf) {
        const Activations::Entry entry = {leaf, 0};
        worklist.submit({&entry, 1}, own);
      }
      worklist.submit({&hub, 1}, own);
      const bool waits = others == kMany && !again;
      std::uint32_t pulled = 0;
      EXPECT_EQ(worklist.pull({&pulled, 1}), waits ? 0U : 1U);
      EXPECT_FALSE(worklist.queue_lists(own)) << "as many wait as before";
      std::array<VertexId, kMany> taken{};
      ASSERT_EQ(worklist.take_residents(taken, kMany, own), others);
      worklist.finish_residents(std::span(taken).first(others), alike, own);
      EXPECT_EQ(worklist.queue_lists(own), waits);
      EXPECT_EQ(worklist.pull({&pulled, 1}), waits ? 1U : 0U);
      EXPECT_FALSE(worklist.queue_lists_now(own)) << "it is queued once";
    }
  }
}

// What came in a hole of somebody's request.
TEST_F(AsyncBlockWorklist, OfferedDataIsTakenByWhoHasNoneAndIsNotBeingRead) {
  const Activations::Entry entry = {firsts_.at(0), 10};
  const std::uint32_t block = worklist_.assignment().place(entry.v).block;
  alignas(64) std::byte another[64];
  std::uint32_t pulled = 0;

  EXPECT_TRUE(worklist_.offered(block, frame_, ahead_)) << "inactive";
  EXPECT_FALSE(worklist_.offered(block, another, ahead_)) << "has data";
  worklist_.submit({&entry, 1}, ahead_);
  EXPECT_EQ(worklist_.pull({&pulled, 1}), 0U) << "need not be read";
  EXPECT_EQ(process_next(ahead_), 0U);

  EXPECT_TRUE(worklist_.let_go(block, frame_));
  worklist_.submit({&entry, 1}, ahead_);
  EXPECT_TRUE(worklist_.offered(block, frame_, ahead_)) << "waits to be read";
  EXPECT_EQ(worklist_.pull({&pulled, 1}), 0U);
  EXPECT_EQ(process_next(ahead_), 0U);

  EXPECT_TRUE(worklist_.let_go(block, frame_));
  worklist_.submit({&entry, 1}, ahead_);
  ASSERT_EQ(worklist_.pull({&pulled, 1}), 1U);
  EXPECT_FALSE(worklist_.offered(block, another, behind_)) << "is being read";
  worklist_.loaded(block, frame_, ahead_);
  EXPECT_EQ(process_next(ahead_), 0U);
}

TEST_F(AsyncBlockWorklist, OfferedDataIsRefusedWhereNothingIsKept) {
  Worklist keeps_nothing(layout_, Direction::out, {.keep = false}, executor_);
  const std::uint32_t block = keeps_nothing.assignment().place(firsts_.at(0)).block;
  EXPECT_FALSE(keeps_nothing.offered(block, frame_, ahead_));
}

// Each time it leaves an entry behind, of 16 bytes.
TEST_F(AsyncBlockWorklist, ABlockThatBecomesSoonerAgainAndAgainTakesNoMoreMemory) {
  const std::size_t blocks = worklist_.assignment().blocks();
  const std::uint64_t before = worklist_.memory_bytes();
  const auto times = static_cast<Priority>(100 * blocks);
  for (Priority sooner = 0; sooner < times; ++sooner) {
    const Activations::Entry entries[] = {{firsts_.at(1), -sooner}, {firsts_.at(2), times}};
    worklist_.submit(entries, ahead_);
  }
  EXPECT_LE(worklist_.memory_bytes() - before, 4 * blocks * 16);
  std::array<std::uint32_t, 8> pulled{};
  EXPECT_EQ(worklist_.pull(pulled), 2U);
  EXPECT_EQ(worklist_.assignment().place(firsts_.at(1)).block, pulled[0]);
  EXPECT_EQ(worklist_.assignment().place(firsts_.at(2)).block, pulled[1]);
  EXPECT_EQ(worklist_.pull(pulled), 0U);
}

}  // namespace
}  // namespace outcore
