// SPDX-License-Identifier: Apache-2.0
// Queries on a stream while it comes in: exactly the updates of their windows, waits, windows that
// are passed over, the age of answers, and errors.
#include "cli/window_queries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "cli/window_feed.h"
#include "common/error.h"
#include "storage/evolving/canonical_lists.h"
#include "storage/evolving/multiset_for_tests.h"
#include "storage/evolving/opened_store.h"
#include "storage/evolving/store.h"

namespace outcore {
namespace {

using evolving::LogEdge;

QueryWishes wishes_for(const Workload& workload, std::uint64_t every) {
  QueryWishes wishes;
  wishes.engine = find_engine("evolving");
  wishes.settings = engine_settings("evolving");
  wishes.workload = workload;
  wishes.parameters = {workload.name, workload.parameters, {}};
  wishes.every = every;
  wishes.keeps_answers = true;
  return wishes;
}

// A workload whose runs go on when they are let, one at a time.
class Gate {
 public:
  Workload workload() {
    Workload held = find_workload("wcc");
    held.run = [this, run = held.run](Engine& engine, const Parameters& parameters) {
      std::unique_lock lock(mutex_);
      ++begun_;
      changed_.notify_all();
      changed_.wait(lock, [this] { return let_ > 0; });
      --let_;
      lock.unlock();
      return run(engine, parameters);
    };
    return held;
  }
  void wait_until_begun(int runs) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_ >= runs; });
  }
  void let(int runs) {
    const std::lock_guard lock(mutex_);
    let_ += runs;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int begun_ = 0;
  int let_ = 0;
};

class WindowQueriesTest : public testing::Test {
 protected:
  static constexpr std::size_t kUpdates = 9000;

  void feed(TimedFeed& feed, WindowFeed& windows, std::size_t count) {
    for (std::size_t end = feed.taken() + count; feed.taken() < end;) {
      const auto room = windows.room(end - feed.taken());
      std::copy_n(stream_.begin() + static_cast<std::ptrdiff_t>(feed.taken()), room.size(),
                  room.begin());
      windows.append(room.size());
    }
  }
  static WindowQueries::Open open_now(const evolving::Store& store, const WindowQueries& queries) {
    return [snapshot = store.snapshot(), now = queries.seconds()]() mutable {
      snapshot->prepare(1);
      OpenedPrefix opened{.graph = nullptr, .prefix = snapshot->updates(), .known_s = now};
      opened.graph = std::make_unique<evolving::OpenedStore>("a-stream", std::move(snapshot));
      return opened;
    };
  }
  static std::vector<std::uint64_t> prefixes_of(const WindowQueries& queries) {
    std::vector<std::uint64_t> prefixes;
    for (const WindowAnswer& answer : queries.account().answers) prefixes.push_back(answer.prefix);
    return prefixes;
  }

  const std::vector<LogEdge> stream_ =
      evolving::make_stream({.updates = kUpdates, .vertices = 500, .removals = 0.2});
  evolving::Store store_{
      {.threads = 1, .log_edges = 4096, .threshold = 256, .bulk_bytes = std::uint64_t{1} << 16}};
};

TEST_F(WindowQueriesTest, AnswerEachWindowOfExactlyItsUpdates) {
  WindowQueries queries(wishes_for(find_workload("wcc"), 2000), nullptr);
  TimedFeed feed(store_, {});
  WindowFeed windows(feed, &queries, 0, [&] { return open_now(store_, queries); });
  this->feed(feed, windows, kUpdates);
  windows.finish();
  windows.finish();  // nothing came since: nothing more is asked
  EXPECT_EQ(prefixes_of(queries), (std::vector<std::uint64_t>{2000, 4000, 6000, 8000, 9000}));
  std::size_t verified = 0;
  queries.verify([&](const WindowAnswer& answer) {
    evolving::CanonicalLists lists(false);
    for (std::size_t i = 0; i < answer.prefix; ++i) lists.add(as_update(stream_[i]));
    lists.finish(answer.vertices);
    ++verified;
    return queries.wishes().workload.verify({lists.csr(Direction::out), lists.csr(Direction::in)},
                                            *answer.kept, queries.wishes().parameters);
  });
  EXPECT_EQ(verified, 5U);
  EXPECT_THROW(queries.verify([](const WindowAnswer&) {
    return Verdict{"never", false, {}};
  }),
               Error);
}

TEST_F(WindowQueriesTest, MakeTheStreamWaitUnlessTheNewestIsWanted) {
  for (const bool newest : {false, true}) {
    evolving::Store store{{.threads = 1, .bulk_bytes = std::uint64_t{1} << 16}};
    Gate gate;
    QueryWishes wishes = wishes_for(gate.workload(), 1000);
    wishes.newest = newest;
    WindowQueries queries(wishes, nullptr);
    TimedFeed feed(store, {});
    int snapshots = 0;
    WindowFeed windows(feed, &queries, 0, [&] {
      ++snapshots;
      return open_now(store, queries);
    });
    this->feed(feed, windows, 1000);
    gate.wait_until_begun(1);
    const std::jthread letting([&] {
      if (newest) return;
      while (queries.account().waits == 0) std::this_thread::yield();
      gate.let(9);
    });
    this->feed(feed, windows, kUpdates - 1000);
    if (newest) gate.let(2);
    windows.finish();
    const QueryAccount account = queries.account();
    EXPECT_EQ(account.answers.size(), newest ? 2U : 9U);
    EXPECT_EQ(account.passed_over, newest ? 7U : 0U);
    EXPECT_EQ(account.waits > 0, !newest);
    EXPECT_EQ(snapshots, newest ? 2 : 9);
    EXPECT_EQ(prefixes_of(queries).back(), kUpdates);
  }
}

TEST_F(WindowQueriesTest, HandOnWhatAQueryThrows) {
  WindowQueries queries(wishes_for(find_workload("wcc"), 1000), nullptr);
  int tries = 0;
  const auto make_open = [&] {
    return [&]() -> OpenedPrefix {
      ++tries;
      throw bad_input(Place::file("a-run"), "nothing", "a run");
    };
  };
  queries.window_ends(make_open);
  EXPECT_THROW(queries.finish(make_open), Error);
  EXPECT_THROW(queries.window_ends(make_open), Error);
  EXPECT_EQ(tries, 2);  // a run that is gone may be another one's the second time
}

TEST(AnswerAge, IsThatOfTheNewestAnswerOverTime) {
  WindowAnswer first;
  first.prefix = 100;
  first.known_s = 1;
  first.answered_s = 2;
  first.taken = 200;
  WindowAnswer second = first;
  second.prefix = 300;
  second.answered_s = 6;
  second.taken = 500;
  EXPECT_DOUBLE_EQ(mean_age({first}).seconds, 1);
  EXPECT_DOUBLE_EQ(mean_age({first}).updates, 100);
  // From 1 to 5 seconds, and from 100 to 400 updates.
  EXPECT_DOUBLE_EQ(mean_age({first, second}).seconds, 3);
  EXPECT_DOUBLE_EQ(mean_age({first, second}).updates, 250);
}

}  // namespace
}  // namespace outcore
