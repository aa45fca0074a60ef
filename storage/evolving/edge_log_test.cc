// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/edge_log.h"

#include <gtest/gtest.h>

namespace outcore::evolving {

namespace {

void append(EdgeLog& log, std::uint32_t from, std::uint32_t count) {
  for (std::uint32_t i = from; i < from + count; ++i) {
    log.room(1)[0] = {i, i + 1};
    log.appended(1);
  }
}

TEST(EdgeLog, NeverGivesRoomForWhatIsNotFlushed) {
  EdgeLog log(8, false);
  EXPECT_EQ(log.room(100).size(), 8);
  append(log, 0, 5);
  EXPECT_EQ(log.room(100).size(), 3);
  append(log, 5, 3);
  EXPECT_EQ(log.room(100).size(), 0);
  log.mark(6);
  log.buffered();
  EXPECT_EQ(log.room(100).size(), 0);
  EXPECT_EQ(log.logged(), 2);
  log.flushed();
  EXPECT_EQ(log.room(100).size(), 6);
}

TEST(EdgeLog, MayOverwriteWhatIsBufferedWhereBuffersSurvive) {
  EdgeLog log(8, true);
  append(log, 0, 8);
  log.mark(6);
  log.buffered();
  EXPECT_EQ(log.room(100).size(), 6);
}

TEST(EdgeLog, IsACircle) {
  EdgeLog log(8, true);
  append(log, 0, 6);
  log.mark(6);
  log.buffered();
  EXPECT_EQ(log.room(100).size(), 2);  // to the end of the circle
  append(log, 6, 5);
  const auto [first, second] = log.edges(6, 11);
  ASSERT_EQ(first.size(), 2);
  ASSERT_EQ(second.size(), 3);
  EXPECT_EQ(first[0].source, 6);
  EXPECT_EQ(second[2].source, 10);
  EXPECT_EQ(log.place_of(10), 2 * sizeof(LogEdge));
}

}  // namespace

}  // namespace outcore::evolving
