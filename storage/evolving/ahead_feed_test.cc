// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/ahead_feed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <semaphore>
#include <vector>

#include "common/error.h"

namespace outcore::evolving {
namespace {

constexpr std::uint64_t kAtOnce = 100;

// Takes at most `portion` at once, and each portion when it may.
class SlowSink final : public UpdateSink {
 public:
  explicit SlowSink(std::uint64_t portion) : room_(portion) {}
  std::span<LogEdge> room(std::uint64_t most) override {
    return std::span(room_).first(std::min<std::uint64_t>(most, room_.size()));
  }
  void append(std::uint64_t count) override {
    if (before_append) before_append();
    taken.insert(taken.end(), room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(count));
  }

  std::function<void()> before_append;
  std::vector<LogEdge> taken;

 private:
  std::vector<LogEdge> room_;
};

// Appends the updates [begin, end).
void feed_numbers(AheadFeed& feed, std::uint32_t begin, std::uint32_t end) {
  while (begin < end) {
    const std::span<LogEdge> room = feed.room(end - begin);
    for (LogEdge& edge : room) edge = {begin++, 1};
    feed.append(room.size());
  }
}

TEST(AheadFeeds, HandEverythingOnInOrder) {
  SlowSink sink(7);
  AheadFeed feed(sink, kAtOnce);
  feed_numbers(feed, 0, 12'345);
  feed.finish();
  ASSERT_EQ(sink.taken.size(), 12'345U);
  for (std::uint32_t i = 0; i < sink.taken.size(); ++i) ASSERT_EQ(sink.taken[i].source, i);
}

// The sink may take the first buffer only when the second is there.
TEST(AheadFeeds, TakeTheNextOnesWhileTheSinkIsAtWork) {
  SlowSink sink(kAtOnce);
  std::binary_semaphore second_is_there(0);
  bool in_time = true;
  sink.before_append = [&] {
    if (sink.taken.empty()) in_time = second_is_there.try_acquire_for(std::chrono::minutes(1));
  };
  AheadFeed feed(sink, kAtOnce);
  feed_numbers(feed, 0, 2 * kAtOnce);
  second_is_there.release();
  feed.finish();
  EXPECT_TRUE(in_time);
  EXPECT_EQ(sink.taken.size(), 2 * kAtOnce);
}

TEST(AheadFeeds, ThrowWhatTheSinkThrew) {
  SlowSink sink(kAtOnce);
  sink.before_append = [] { throw usage_error("no more"); };
  AheadFeed feed(sink, kAtOnce);
  EXPECT_THROW(feed_numbers(feed, 0, 10 * kAtOnce), Error);
  EXPECT_THROW(feed.finish(), Error);
}

TEST(AheadFeeds, MayEndBeforeAllIsHandedOn) {
  SlowSink sink(1);
  AheadFeed feed(sink, kAtOnce);
  feed_numbers(feed, 0, kAtOnce);
}

}  // namespace
}  // namespace outcore::evolving
