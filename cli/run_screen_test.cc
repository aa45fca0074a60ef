// SPDX-License-Identifier: Apache-2.0
#include "cli/run_screen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace outcore {
namespace {

using State = BlockState;

Event event(EventKind kind, std::uint32_t block, std::uint32_t count, std::uint64_t value = 0) {
  return {.value = value, .block = block, .count = count, .kind = kind};
}

void hear(EventListener& listener, const std::vector<Event>& events) { listener.hear(events); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = {""};
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

nlohmann::json sample(double seconds, std::uint64_t kernel_bytes, std::uint64_t in_flight) {
  return {{"t", seconds}, {"kernel_bytes", kernel_bytes}, {"in_flight", in_flight}};
}

TEST(WatchedRun, FollowsEachBlock) {
  WatchedRun run(5, 10);
  EXPECT_EQ(run.blocks_a_square(), 1U);
  hear(run, {event(EventKind::asked, 0, 3), event(EventKind::arrived, 0, 2),
             event(EventKind::dropped, 1, 1), event(EventKind::processed, 3, 1, 7)});
  EXPECT_EQ(run.take_squares(), (std::vector<State>{State::memory, State::gone, State::flight,
                                                    State::processed, State::unread}));
  // Processed only until it was shown; block 3 was never asked for: it is mapped.
  EXPECT_EQ(run.take_squares()[3], State::memory);
  hear(run, {event(EventKind::asked, 1, 1), event(EventKind::arrived, 1, 1)});
  EXPECT_EQ(run.take_squares()[1], State::again);
  EXPECT_EQ(run.so_far().again, 1U);
  EXPECT_EQ(run.so_far().arrived, 3U);
  EXPECT_EQ(run.so_far().edges, 7U);
}

// Values that are written lie in files whose blocks come after the layout's.
TEST(WatchedRun, LeavesOutBlocksOfOtherFiles) {
  WatchedRun run(2, 10);
  hear(run, {event(EventKind::asked, 1, 5), event(EventKind::arrived, 9, 3)});
  EXPECT_EQ(run.take_squares(), (std::vector<State>{State::unread, State::flight}));
}

TEST(WatchedRun, ShowsOfASquareTheBlockThatSaysMost) {
  WatchedRun run(7, 3);
  EXPECT_EQ(run.blocks_a_square(), 3U);
  hear(run, {event(EventKind::asked, 0, 2), event(EventKind::arrived, 0, 1),
             event(EventKind::arrived, 6, 1)});
  EXPECT_EQ(run.take_squares(), (std::vector<State>{State::flight, State::unread, State::memory}));
}

TEST(WatchedRun, OfNoBlocksHasNoSquares) { EXPECT_TRUE(WatchedRun(0, 10).take_squares().empty()); }

TEST(RunPicture, FitsTheTerminalHoweverLargeTheFileIs) {
  for (const unsigned columns : {64U, 80U, 200U}) {
    for (const std::uint64_t blocks : {0ULL, 1ULL, 64ULL, 1'000'000ULL}) {
      RunPicture picture({std::string(300, 'x'), blocks, 4096}, columns, false);
      hear(picture.listener(), {event(EventKind::round_began, 0, 0, 9)});
      for (int i = 0; i < 500; ++i) picture.sample(sample(0.05 * i, 0, 3));
      const std::vector<std::string> lines = lines_of(picture.lines());
      EXPECT_LE(lines.size(), RunPicture::kRows);
      for (const std::string& line : lines) EXPECT_LE(line.size(), std::min(columns, 100U));
    }
  }
}

TEST(RunPicture, HasBlocksDepthRateAndFrontier) {
  RunPicture picture({"bfs on e", 4, 4096}, 80, false);
  hear(picture.listener(),
       {event(EventKind::round_began, 0, 0, 1), event(EventKind::round_began, 1, 0, 1200),
        event(EventKind::asked, 1, 2), event(EventKind::arrived, 1, 1)});
  EXPECT_FALSE(picture.sample(sample(0.05, 0, 7)));
  EXPECT_TRUE(picture.sample(sample(1, 0, 2)));
  const std::vector<std::string> lines = lines_of(picture.lines());
  ASSERT_EQ(lines.size(), 17U);
  EXPECT_EQ(lines[0], "bfs on e: 1.0 s");
  EXPECT_EQ(lines[1], "round 2, frontier 1,200; 4.0 KiB read; 0 edges");
  EXPECT_EQ(lines[2], "4 blocks of 4.0 KiB");
  EXPECT_EQ(lines[3], ".#>.");
  EXPECT_EQ(lines[5], "requests in flight: 7");  // the most of the column
  EXPECT_EQ(lines[9], "read in a second: 4.0 KiB");
  EXPECT_EQ(lines[13], "frontier of each round");
  EXPECT_EQ(lines[14], " |");
  EXPECT_EQ(lines[16], ".|");
}

TEST(RunPicture, SaysWhatASquareAndASampleStandFor) {
  RunPicture picture({"bfs on e", 6401, 4096}, 80, false);
  hear(picture.listener(), {event(EventKind::sampled, 0, 0, 3)});
  EXPECT_EQ(lines_of(picture.lines())[2],
            "6,401 blocks of 4.0 KiB, 11 in a character; one in 8 is told of");
}

TEST(RunPicture, OfARunWithoutRoundsHasActivations) {
  RunPicture picture({"bfs on e", 1, 4096}, 80, false);
  hear(picture.listener(), {event(EventKind::activated, 0, 0, 5)});
  picture.sample(sample(0.05, 0, 0));
  picture.sample(sample(0.1, 0, 0));
  const std::vector<std::string> lines = lines_of(picture.lines());
  EXPECT_EQ(lines[1], "no rounds, 5 activations; 0 B read; 0 edges");
  EXPECT_EQ(lines[13], "activations in a tenth of a second");
}

TEST(RunPicture, OfAnEngineThatAsksForNothingHasWhatTheKernelRead) {
  RunPicture picture({"bfs on e", 1, 4096}, 80, false);
  picture.sample(sample(0.5, 1024, 0));
  picture.sample(sample(1, 2048, 0));
  EXPECT_EQ(lines_of(picture.lines())[9], "read in a second: 2.0 KiB");
}

TEST(RunPicture, HasColoursWhereTheyAreWanted) {
  RunPicture coloured({"bfs on e", 2, 4096}, 80, true);
  hear(coloured.listener(), {event(EventKind::arrived, 0, 1)});
  EXPECT_EQ(lines_of(coloured.lines())[3], "\033[32m#\033[90m.\033[0m");
  RunPicture plain({"bfs on e", 2, 4096}, 80, false);
  EXPECT_EQ(plain.lines().find('\033'), std::string::npos);
}

}  // namespace
}  // namespace outcore
