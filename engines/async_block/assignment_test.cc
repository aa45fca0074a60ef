// SPDX-License-Identifier: Apache-2.0
// Which block a vertex is assigned to, and back, however the layout lays them out.
#include "engines/async_block/assignment.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/toy_container.h"

namespace outcore {
namespace {

// A path, and two vertices of four edges far from one another, which best fit puts side by side.
Shape with_far_neighbours() {
  Shape shape = path(90'000);
  shape.edges.insert(shape.edges.end(), {{10, 20}, {10, 30}, {80'000, 40}, {80'000, 50}});
  return shape;
}

// Each of its own, and so many as the block is said to have at most.
void expect_places(const Layout& layout, const Assignment& assignment) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> places;
  const ListIndex& index = layout.index(Direction::out);
  for (VertexId v = 0; v < layout.facts().id_space; ++v) {
    const Assignment::Place place = assignment.place(v);
    ASSERT_EQ(place.block == Assignment::kNoBlock, index.is_inline(index.degree(v))) << v;
    if (place.block == Assignment::kNoBlock) continue;
    ASSERT_EQ(assignment.vertex(place.block, place.member), v);
    ASSERT_LT(place.member, assignment.members_in(place.block)) << v;
    ASSERT_LE(assignment.members_in(place.block), assignment.most_members());
    ASSERT_TRUE(places.emplace(place.block, place.member).second) << v;
    if (v == 0) continue;
    const Assignment::Place after = assignment.place_after(assignment.place(v - 1), v);
    ASSERT_EQ(after.block, place.block) << v;
    ASSERT_EQ(after.member, place.member) << v;
  }
  EXPECT_GT(places.size(), 0U);
}

TEST(Assignment, FindsEachVertexAndItsBlock) {
  const ToyContainer toy(with_far_neighbours(), true);
  Executor executor(2);
  const auto memory = [&](const LayoutChoices& choices) {
    SCOPED_TRACE(choices.pack + " " + choices.number);
    const Layout layout(toy.layout(choices));
    const Assignment assignment(layout, Direction::out, executor);
    expect_places(layout, assignment);
    return assignment.memory_bytes() - layout.facts().blocks * 8;
  };
  // Of all vertices 4 bytes where one block has members far from one another, else 2.
  const std::uint64_t near = memory({.pack = "lplf"});
  const std::uint64_t far = memory({.pack = "bestfit"});
  EXPECT_LT(near, 90'000 * 3U);
  EXPECT_GE(far, 90'000 * 4U);
  memory({.number = "random", .pack = "lplf", .codec = "svb", .inline_edges = 2});
  memory({.number = "degree", .pack = "lplf", .codec = "svb", .inline_edges = 1});
  memory(layout_preset("acgraph"));
}

// Where ids are ranks by position, with and without a list that is longer than a block.
TEST(Assignment, FindsTheBlockOfAVertexAfterAnother) {
  Shape shape = grid(60, 60);
  Executor executor(1);
  for (const VertexId hub_edges : {0U, 2000U}) {
    for (VertexId leaf = 0; leaf < hub_edges; ++leaf) {
      shape.edges.push_back({1000, leaf < 1000 ? leaf : leaf + 1});
    }
    const ToyContainer toy(shape, true);
    const Layout layout(toy.layout(layout_preset("acgraph")));
    expect_places(layout, Assignment(layout, Direction::out, executor));
  }
}

// Lists of two edges, coded, are in blocks of many more members than a line has bits for.
TEST(Assignment, KnowsHowManyMembersABlockHas) {
  const ToyContainer toy(with_far_neighbours(), true);
  Executor executor(1);
  for (const LayoutChoices& choices :
       {LayoutChoices{.pack = "lplf", .codec = "svb"}, layout_preset("acgraph")}) {
    const Layout layout(toy.layout(choices));
    const Assignment assignment(layout, Direction::out, executor);
    std::size_t most = 0;
    for (std::uint32_t b = 0; b < assignment.blocks(); ++b) {
      most = std::max(most, assignment.members_in(b));
    }
    EXPECT_EQ(most, assignment.most_members()) << choices.codec;
  }
}

}  // namespace
}  // namespace outcore
