// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/sorted_stretch.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace outcore::evolving {
namespace {

using StretchLists = std::map<VertexId, std::vector<PairChange>>;

std::vector<LogEdge> stretch_updates(std::size_t count, unsigned removals_of_ten) {
  std::mt19937 random(3);
  std::vector<LogEdge> updates(count);
  for (LogEdge& edge : updates) {
    edge = as_logged({static_cast<VertexId>(random() % 30), static_cast<VertexId>(random() % 30),
                      random() % 10 < removals_of_ten});
  }
  return updates;
}

// One list after the other, the slow way.
StretchLists expected_stretch(std::span<const LogEdge> updates, Direction direction) {
  std::map<VertexId, std::vector<ListUpdate>> lists;
  for (const LogEdge& edge : updates) {
    const Update update = as_update(edge);
    const bool out = direction == Direction::out;
    lists[out ? update.source : update.target].push_back(
        {out ? update.target : update.source, update.removes});
  }
  StretchLists changes;
  for (auto& [vertex, list] : lists) {
    changes_of(list, changes[vertex]);
    if (changes[vertex].empty()) changes.erase(vertex);
  }
  return changes;
}

StretchLists stretch_of(ChangeSource& source) {
  StretchLists lists;
  VertexId vertex = 0;
  std::vector<PairChange> changes;
  while (source.next(vertex, changes)) lists[vertex] = changes;
  return lists;
}

TEST(SortedStretch, IsWhatItsUpdatesDoToEachList) {
  for (const unsigned removals : {0U, 4U}) {
    const std::vector<LogEdge> updates = stretch_updates(5000, removals);
    const Stretch stretch{std::span(updates).first(1234), std::span(updates).subspan(1234)};
    for (const Direction direction : {Direction::out, Direction::in}) {
      EXPECT_EQ(stretch_of(*sorted_stretch(stretch, direction)),
                expected_stretch(updates, direction));
      EXPECT_EQ(stretch_of(*sorted_now(stretch, direction)), expected_stretch(updates, direction));
    }
    EXPECT_EQ(vertices_of(stretch), 30U);
  }
}

TEST(SortedStretch, OfNothingHasNoLists) {
  EXPECT_TRUE(stretch_of(*sorted_now({}, Direction::out)).empty());
  EXPECT_EQ(vertices_of({}), 0U);
}

}  // namespace
}  // namespace outcore::evolving
