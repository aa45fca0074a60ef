// SPDX-License-Identifier: Apache-2.0
// async_block's worklist under every order in which two executors, and a hand that wants their
// frames, can call it. A block's states (ACGraph, Fig. 4) are checked exhaustively, on two blocks
// that activate each other while they are processed, read and released.
//
// Calls are treated as indivisible, as their locks make them; races within a call are found by the
// thread sanitizer and the matrix. Each order is played from the beginning, and the choices of the
// previous order are counted up like a number.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engines/async_block/worklist.h"
#include "tests/toy_container.h"
#include "workloads/graphs/shapes.h"

namespace outcore {
namespace {

// Two lists of 600 edges, which no block has room for both of.
Shape two_stars() {
  Shape shape{.name = "two stars", .vertices = 1202, .edges = {}};
  for (VertexId leaf = 2; leaf < 1202; ++leaf) shape.edges.push_back({leaf % 2, leaf});
  return shape;
}

// Which of the actors that can move does. Counts through all choices.
class Choices {
 public:
  std::size_t choose(std::size_t options) {
    if (at_ == taken_.size()) taken_.push_back({0, options});
    return taken_[at_++].first;
  }
  // To the next order; false after the last one.
  bool advance() {
    at_ = 0;
    while (!taken_.empty() && ++taken_.back().first == taken_.back().second) taken_.pop_back();
    return !taken_.empty();
  }

 private:
  std::vector<std::pair<std::size_t, std::size_t>> taken_;  // choice, and of how many
  std::size_t at_ = 0;
};

// The two vertices, and what the contract promises of each.
struct Vertices {
  std::vector<VertexId> ids;
  int activations[2] = {1, 1};  // of the other one, that each still makes when it is processed
  int owed[2] = {};             // activations that it has not been processed for
  bool held[2] = {};            // by an executor that processes it
  Priority soonest = 100;       // so far: each activation is sooner than all before

  [[nodiscard]] std::size_t of(VertexId v) const { return v == ids[0] ? 0 : 1; }
};

// What comes with a block that is read: the other one, in a hole or because it is read ahead.
enum class Beside : std::uint8_t { nothing, hole, ahead };

// One executor: reads, processes, or finds nothing to do, a call a step.
class Player {
 public:
  Player(Worklist& worklist, Vertices& vertices, unsigned executor, Beside beside)
      : worklist_(worklist), vertices_(vertices), beside_(beside) {
    own_.executor = executor;
  }

  bool asleep = false;

  void submit_first(std::span<const VertexId> first) {
    for (const VertexId v : first) submit(vertices_.of(v));
    worklist_.has_submitted();
  }
  // False if there was nothing to do.
  bool step() {
    if (processing_) return go_on(*processing_);
    if (reading_) {
      const std::uint32_t block = *std::exchange(reading_, std::nullopt);
      worklist_.loaded(block, frame_, own_);
      if (beside_ == Beside::hole) worklist_.offered(1 - block, frame_beside_, own_);
      if (std::exchange(ahead_, false)) worklist_.loaded(1 - block, frame_beside_, own_);
      return true;
    }
    if (const auto block = worklist_.next_cached(own_)) {
      processing_ = {.block = *block};
      return true;
    }
    std::uint32_t pulled = 0;
    if (worklist_.pull({&pulled, 1}) == 0) return false;
    reading_ = pulled;
    ahead_ = beside_ == Beside::ahead && worklist_.read_ahead(1 - pulled);
    return true;
  }
  // The hand comes round: may it have the frames of one of the blocks?
  void let_go(std::uint32_t block) {
    worklist_.let_go(block, frame_);
    worklist_.let_go(block, frame_beside_);
  }

 private:
  struct Processing {
    std::uint32_t block = 0;
    bool taken = false;
    std::size_t v = 0;
    bool told = false;
  };

  bool go_on(Processing& now) {
    if (!now.taken) {
      take(now);
    } else if (!now.told) {
      now.told = true;
      const std::size_t other = 1 - now.v;
      if (vertices_.activations[now.v]-- > 0) submit(other);
    } else {
      vertices_.held[now.v] = false;
      worklist_.finish(now.block, own_);
      processing_.reset();
    }
    return true;
  }
  void take(Processing& now) {
    std::vector<std::uint32_t> members;
    EXPECT_NE(worklist_.take(now.block, members), nullptr) << "processed without its data";
    ASSERT_EQ(members.size(), 1U) << "processed, but not active";
    now.taken = true;
    now.v = vertices_.of(worklist_.assignment().vertex(now.block, members[0]));
    EXPECT_GT(std::exchange(vertices_.owed[now.v], 0), 0) << "processed more often than activated";
    EXPECT_FALSE(std::exchange(vertices_.held[now.v], true)) << "processed by two at once";
  }
  void submit(std::size_t v) {
    ++vertices_.owed[v];
    const Activations::Entry entry = {vertices_.ids[v], --vertices_.soonest};
    worklist_.submit({&entry, 1}, own_);
  }

  Worklist& worklist_;
  Vertices& vertices_;
  Worklist::Own own_;
  std::optional<std::uint32_t> reading_;
  std::optional<Processing> processing_;
  Beside beside_;
  bool ahead_ = false;  // the other block is being read too
  alignas(64) std::byte frame_[64] = {};
  alignas(64) std::byte frame_beside_[64] = {};
};

class Schedules : public ::testing::Test {
 protected:
  Schedules() : toy_(two_stars(), true), layout_(toy_.layout(layout_preset("acgraph"))) {
    const Assignment assignment(layout_, Direction::out, executor_);
    for (VertexId v = 0; v < layout_.facts().id_space; ++v) {
      if (assignment.place(v).block != Assignment::kNoBlock) hubs_.push_back(v);
    }
  }

  // False if it stopped, because another order shows the same.
  bool play(Choices& choices, const Worklist::Rules& rules, Beside beside) {
    Worklist worklist(layout_, Direction::out, rules, executor_);
    Vertices vertices{.ids = hubs_};
    Player players[2] = {{worklist, vertices, 0, beside}, {worklist, vertices, 1, beside}};
    worklist.expect(2);
    players[0].submit_first({hubs_.data(), 1});
    players[1].submit_first({});
    int hands = 1;
    // If an actor finds nothing before another one moves, it could as well have looked later; that
    // order is played too.
    bool in_vain = false;
    while (true) {
      std::vector<std::size_t> movable;
      for (std::size_t i = 0; i < 2; ++i) {
        if (!players[i].asleep) movable.push_back(i);
      }
      if (movable.empty()) break;
      if (hands > 0) movable.insert(movable.end(), {2, 3});
      const std::size_t actor = movable[choices.choose(movable.size())];
      if (actor < 2) {
        const bool moved = players[actor].step();
        if (moved && in_vain) return false;
        in_vain = !moved;
        players[actor].asleep = !moved;
        if (moved) players[1 - actor].asleep = false;
      } else {
        if (in_vain) return false;
        --hands;
        const std::size_t block = actor - 2;
        for (Player& player : players) player.let_go(static_cast<std::uint32_t>(block));
      }
    }
    EXPECT_TRUE(worklist.ended()) << "whoever waits now waits for ever";
    EXPECT_EQ(vertices.owed[0] + vertices.owed[1], 0) << "an activation was lost";
    return true;
  }

  Executor executor_{2};
  ToyContainer toy_;
  Layout layout_;
  std::vector<VertexId> hubs_;
};

TEST_F(Schedules, LoseNoActivationAndEndWhicheverCallComesFirst) {
  ASSERT_EQ(hubs_.size(), 2U);
  std::size_t played = 0;
  for (const Worklist::Rules& rules :
       {Worklist::Rules{}, Worklist::Rules{.first = Worklist::Rules::First::in_file},
        Worklist::Rules{.first = Worklist::Rules::First::fullest}, Worklist::Rules{.keep = false},
        Worklist::Rules{.early_stop = 1}}) {
    for (const Beside beside : {Beside::nothing, Beside::hole, Beside::ahead}) {
      Choices choices;
      do {
        played += play(choices, rules, beside) ? 1 : 0;
      } while (choices.advance() && !HasFailure());
    }
  }
  fmt::print("schedules: {}\n", played);
}

}  // namespace
}  // namespace outcore
