// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <thread>
#include <vector>

#include "common/error.h"
#include "common/executor.h"
#include "common/files.h"
#include "storage/events/event_coding.h"
#include "storage/events/event_convert.h"
#include "storage/events/event_reader.h"
#include "storage/events/event_recorder.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;

class Events : public ::testing::Test {
 public:
  ~Events() override { fs::remove_all(folder_); }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

 protected:
  Events()
      : folder_(fs::temp_directory_path() / ("outcore-events-" + std::to_string(::getpid()))),
        path_(folder_ / "run.events") {
    fs::create_directories(folder_);
  }

  [[nodiscard]] std::string bytes() const {
    const File file = File::open_read(path_);
    std::string bytes(file.size(), '\0');
    file.read(std::as_writable_bytes(std::span(bytes)), 0);
    return bytes;
  }
  void write(const std::string& bytes) const { write_text_atomically(path_, bytes); }
  // Refused, with such words in the message.
  void expect_refused(const std::string& words) const {
    try {
      static_cast<void>(read_events(path_));
      ADD_FAILURE() << "read, although it should say: " << words;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(path_.string()), std::string::npos) << error.what();
    }
  }
  // Some events of two threads.
  void record(std::uint64_t kept = EventRecorder::kKept, std::uint32_t each = 1000) const {
    EventRecorder recorder(path_, {{"graph", {{"name", "toy"}}}}, kept);
    const std::vector<EventFile> files = {{"out.blocks", 4096, 4096}, {"in.blocks", 4096, 8192}};
    EXPECT_EQ(recorder.add_files(files), 0);
    const auto note = [&](std::uint32_t first) {
      for (std::uint32_t i = 0; i < each; ++i) {
        recorder.note(EventKind::asked, first + i, 1, i % 7);
        recorder.note(EventKind::processed, first + i, 1, 10);
      }
    };
    std::jthread other([&] { note(4096); });
    note(0);
    other.join();
    recorder.close({{"status", "ok"}, {"digest", "d"}});
  }

  fs::path folder_;
  fs::path path_;
};

TEST_F(Events, ComeBackAsTheyWereNoted) {
  record();
  const EventsOfRun run = read_events(path_);
  EXPECT_EQ(run.header.at("graph").at("name"), "toy");
  EXPECT_EQ(run.header.at("kinds").size(), kEventKinds);
  EXPECT_EQ(run.files.at(1).at("first"), 4096);
  EXPECT_EQ(run.end.at("digest"), "d");
  EXPECT_FALSE(run.cut.has_value());
  ASSERT_EQ(run.lanes.size(), 2);
  for (const EventsOfLane& lane : run.lanes) {
    ASSERT_EQ(lane.events.size(), 2000);
    const std::uint32_t first = lane.events.front().block;
    for (std::uint32_t i = 0; i < lane.events.size(); ++i) {
      const Event& event = lane.events[i];
      EXPECT_EQ(event.block, first + i / 2);
      EXPECT_EQ(event.count, 1);
      EXPECT_EQ(event.kind, i % 2 == 0 ? EventKind::asked : EventKind::processed);
      EXPECT_EQ(event.value, i % 2 == 0 ? i / 2 % 7 : 10);
      EXPECT_GE(event.time, lane.events[i == 0 ? 0 : i - 1].time);
    }
  }
  EXPECT_EQ(run.total(EventKind::asked), (EventTotal{2000, 2000, 2 * 2997}));
}

TEST_F(Events, OfSegmentsAreEncodedWithoutLoss) {
  std::vector<Event> events = {
      {.time = 5,
       .value = ~std::uint64_t{0},
       .block = 0xffffffff,
       .count = 0xffffffff,
       .kind = EventKind::sampled},
      {.time = 5, .value = 0, .block = 0, .count = 0, .kind = EventKind::round_began},
      {.time = std::uint64_t{1} << 40,
       .value = 128,
       .block = 7,
       .count = 127,
       .kind = EventKind::dropped}};
  EventSegment segment{.lane = 3, .events = events};
  segment.totals[4] = {1, std::uint64_t{1} << 63, 300};
  const std::string plain = encode_segment(segment);
  DecodedSegment decoded;
  ASSERT_TRUE(decode_segment(plain, decoded));
  EXPECT_EQ(decoded.lane, 3);
  EXPECT_EQ(decoded.totals, segment.totals);
  EXPECT_EQ(decoded.events, events);
  for (std::size_t bytes = 0; bytes < plain.size(); ++bytes) {
    EXPECT_FALSE(decode_segment(plain.substr(0, bytes), decoded)) << bytes;
  }
  EXPECT_FALSE(decode_segment(plain + "x", decoded));
}

TEST_F(Events, AreSampledByGroupsOfBlocksAboveAnAmount) {
  record(/*kept=*/400, /*each=*/4000);
  const EventsOfRun run = read_events(path_);
  EXPECT_GE(run.sampled(), 2);
  for (const EventsOfLane& lane : run.lanes) {
    EXPECT_LT(lane.events.size(), 4000);
    std::uint64_t edges = 0;
    unsigned shift = 0;
    std::vector<std::uint32_t> asked;
    std::vector<std::uint32_t> processed;
    for (const Event& event : lane.events) {
      if (event.kind == EventKind::sampled) {
        EXPECT_GT(event.value, shift) << "it only ever keeps fewer";
        shift = static_cast<unsigned>(event.value);
      }
      if (event.kind == EventKind::processed) {
        edges += event.value;
        processed.push_back(event.block);
      }
      if (event.kind == EventKind::asked) asked.push_back(event.block);
    }
    EXPECT_EQ(edges, 10 * (processed.back() % 4096 + 1))
        << "what was left out is told with the next that is kept";
    // The two events of a block stay together, but for where the sample becomes smaller.
    std::vector<std::uint32_t> alone;
    std::set_symmetric_difference(asked.begin(), asked.end(), processed.begin(), processed.end(),
                                  std::back_inserter(alone));
    EXPECT_LE(alone.size(), run.sampled());
    EXPECT_EQ(lane.totals[static_cast<std::size_t>(EventKind::processed)],
              (EventTotal{4000, 4000, 40000}));
  }
}

// A run of more blocks than a group would lose more than it stands for.
TEST_F(Events, OfLongRunsOfBlocksAreAlwaysKept) {
  EventSampling sampling(1, 1 << 20);
  const std::uint32_t group = 1U << sampling.group_shift();
  EXPECT_GT(group, 1);
  int kept = 0;
  for (std::uint32_t block = 0; block < 100 * group; block += group) {
    EXPECT_TRUE(sampling.in_sample(3, EventKind::asked, block, EventSampling::kLongRun + 1, 0));
    EXPECT_TRUE(sampling.in_sample(0, EventKind::asked, block, 1, 0));
    const bool first = sampling.in_sample(3, EventKind::asked, block, 1, 0);
    EXPECT_EQ(first, sampling.in_sample(3, EventKind::arrived, block + group - 1, 1, 99));
    kept += first ? 1 : 0;
  }
  EXPECT_GT(kept, 2);
  EXPECT_LT(kept, 40);
}

TEST_F(Events, TellOfAFewVerticesAtMost) {
  for (const std::uint32_t vertices : {1U, 2000U, 2001U, 100'000U, 5'000'000U}) {
    EventSampling sampling(1, 0);
    sampling.set_vertices(vertices);
    std::uint32_t told = 0;
    std::uint32_t sampled = 0;
    for (std::uint32_t v = 0; v < vertices; ++v) {
      if (!sampling.tells_of(v)) continue;
      ++told;
      sampled += sampling.in_sample(1, EventKind::found, v, 0, 0) ? 1 : 0;
    }
    if (vertices <= EventSampling::kDrawnVertices) {
      EXPECT_EQ(told, vertices);
    } else {
      EXPECT_GT(told, EventSampling::kToldVertices / 3);
      EXPECT_LT(told, EventSampling::kToldVertices * 5 / 4);
      EXPECT_GT(sampled, told / 3) << "a lane that is full keeps half of those that are told of";
      EXPECT_LT(sampled, told * 2 / 3);
    }
  }
}

TEST_F(Events, OfAKilledRunAreReadUpToThere) {
  record();
  const std::string whole = bytes();
  const std::size_t first_record = whole.find('\n') + 1;
  std::size_t held = 0;
  for (std::size_t size = first_record; size < whole.size(); ++size) {
    write(whole.substr(0, size));
    const EventsOfRun run = read_events(path_);
    ASSERT_TRUE(run.cut.has_value()) << size;
    EXPECT_LE(*run.cut, size);
    EXPECT_TRUE(run.end.is_null());
    std::size_t events = 0;
    for (const EventsOfLane& lane : run.lanes) events += lane.events.size();
    EXPECT_GE(events, held) << "a longer file holds no fewer";
    held = events;
  }
  EXPECT_EQ(held, 4000) << "only the end was missing";
}

TEST_F(Events, AreOnDiskBeforeTheRunEnds) {
  EventRecorder recorder(path_, {});
  recorder.note(EventKind::asked, 1, 1, 1);
  for (;;) {  // until the recorder's thread has written it
    const EventsOfRun run = read_events(path_);
    if (run.lanes.empty()) {
      std::this_thread::yield();
      continue;
    }
    EXPECT_TRUE(run.cut.has_value());
    EXPECT_EQ(run.total(EventKind::asked).events, 1);
    break;
  }
  recorder.close({{"status", "ok"}});
}

// In a long run a lane's last events may all be left out, after others were written.
TEST_F(Events, HaveExactTotalsThoughTheLastOnesWereLeftOut) {
  EventRecorder recorder(path_, {}, /*kept=*/4);
  std::uint32_t block = 0;
  for (; block < 100'000; ++block) recorder.note(EventKind::asked, block, 1, 1);
  while (read_events(path_).lanes.empty()) std::this_thread::yield();
  for (; block < 101'000; ++block) recorder.note(EventKind::asked, block, 1, 1);
  recorder.close({{"status", "ok"}});
  const EventsOfRun run = read_events(path_);
  EXPECT_GT(run.sampled(), 10);
  EXPECT_EQ(run.total(EventKind::asked), (EventTotal{101'000, 101'000, 101'000}));
}

TEST_F(Events, OfOtherVersionsAndDamagedOnesAreRefused) {
  record();
  const std::string whole = bytes();
  std::string other = whole;
  const std::string version = "\"outcore_events\":1";
  other.replace(other.find(version), version.size(), "\"outcore_events\":9");
  write(other);
  expect_refused("events of version 9");
  EXPECT_TRUE(are_events(path_));

  write("{\"outcore_trace\":1}\n");
  expect_refused("without \"outcore_events\"");
  EXPECT_FALSE(are_events(path_));
  write("no JSON");
  expect_refused("no line of JSON");
  EXPECT_FALSE(are_events(folder_ / "missing"));

  const std::size_t first_record = whole.find('\n') + 1;
  std::string damaged = whole;
  damaged[first_record + kRecordHeadBytes] ^= 1;
  write(damaged);
  expect_refused("checksum");
  damaged = whole;
  damaged[first_record] = 'X';
  write(damaged);
  expect_refused("a record of type");
  write(whole + "more");
  expect_refused("4 bytes behind the end");
}

TEST_F(Events, OfARecorderThatWasNotClosedHaveNoEnd) {
  { EventRecorder(path_, {}).note(EventKind::asked, 1, 1, 1); }
  const EventsOfRun run = read_events(path_);
  EXPECT_TRUE(run.cut.has_value());
  EXPECT_EQ(run.total(EventKind::asked).events, 1);
}

// Counts what it hears.
class Heard final : public EventListener {
 public:
  void hear(std::span<const Event> events) override {
    for (const Event& event : events) sum_ += event.value;
    events_ += events.size();
  }
  std::uint64_t sum_ = 0;
  std::size_t events_ = 0;
};

TEST_F(Events, AreHeardWhileTheyAreRecorded) {
  Heard heard;
  EventRecorder recorder(path_, {}, EventRecorder::kKept, &heard);
  for (unsigned n = 0; n < 1000; ++n) recorder.note(EventKind::asked, n, 1, n);
  std::thread([&] { recorder.note(EventKind::arrived, 1, 1, 5); }).join();
  recorder.close({{"status", "ok"}});
  EXPECT_EQ(heard.events_, 1001U);
  EXPECT_EQ(heard.sum_, 999U * 1000 / 2 + 5);
  EXPECT_EQ(read_events(path_).total(EventKind::asked).events, 1000U);
}

TEST_F(Events, WithoutAPathAreOnlyHeard) {
  Heard heard;
  const fs::path here = fs::current_path();
  fs::current_path(folder_);
  {
    EventRecorder recorder({}, {}, EventRecorder::kKept, &heard);
    recorder.add_files(std::vector<EventFile>{{"out.blocks", 8, 4096}});
    recorder.note(EventKind::asked, 1, 1, 1);
    recorder.close({{"status", "ok"}});
  }
  fs::current_path(here);
  EXPECT_EQ(heard.events_, 1U);
  EXPECT_TRUE(fs::is_empty(folder_));
}

// Many threads, each with its own lane; barriers are noted by the thread that called run().
TEST_F(Events, OfExecutorsAreBodiesAndBarriers) {
  constexpr unsigned kWorkers = 4;
  constexpr int kRuns = 200;
  EventRecorder recorder(path_, {});
  {
    Executor executor(kWorkers, recorder.watch());
    for (int i = 0; i < kRuns; ++i) {
      executor.run([&](unsigned worker) {
        for (unsigned n = 0; n < 50; ++n) recorder.note(EventKind::asked, worker, 1, n);
      });
    }
  }
  recorder.close({{"status", "ok"}});
  const EventsOfRun run = read_events(path_);
  ASSERT_EQ(run.lanes.size(), kWorkers);
  EXPECT_EQ(run.total(EventKind::worked).events, kWorkers * kRuns);
  EXPECT_EQ(run.total(EventKind::stalled).events, kWorkers * kRuns);
  EXPECT_EQ(run.total(EventKind::asked).events, std::uint64_t{50} * kWorkers * kRuns);
  for (const EventsOfLane& lane : run.lanes) {
    EXPECT_EQ(lane.events.size(), kRuns * 52);
    for (std::size_t i = 0; i < lane.events.size(); i += 52) {
      EXPECT_EQ(lane.events[i + 50].kind, EventKind::worked);
      EXPECT_EQ(lane.events[i + 51].kind, EventKind::stalled);
    }
  }
}

TEST_F(Events, OfMoreBlocksThanAreNumberedAreRefused) {
  EventRecorder recorder(path_, {});
  const std::vector<EventFile> files = {{"much", std::uint64_t{1} << 32, 4096}};
  EXPECT_THROW(recorder.add_files(files), Error);
}

TEST_F(Events, AreConvertedForPerfettoAndSpeedscope) {
  {
    EventRecorder recorder(path_, {{"asked", {{"engine", "e"}, {"workload", "w"}}}});
    Executor executor(2, recorder.watch());
    recorder.note(EventKind::round_began, 0, 0, 5);
    executor.run([&](unsigned worker) {
      recorder.note(EventKind::asked, worker, 2, 1);
      recorder.note(EventKind::arrived, worker, 2, 0);
      const WaitNote waited(&recorder);
    });
    recorder.note(EventKind::round_ended, 0, 0, 3);
    recorder.close({{"status", "ok"}});
  }
  const EventsOfRun run = read_events(path_);
  write_perfetto(run, folder_ / "p.json");
  std::map<std::string, int> phases;
  const nlohmann::json perfetto = read_json(folder_ / "p.json");
  for (const auto& event : perfetto.at("traceEvents")) ++phases[event.at("ph")];
  EXPECT_EQ(phases["b"], 2) << "a request of each worker begins";
  EXPECT_EQ(phases["e"], 2) << "and ends";
  EXPECT_EQ(phases["X"], 7) << "work, barrier and a wait of each, and the round";
  EXPECT_EQ(phases["M"], 3) << "names of the process and its lanes";

  write_speedscope(run, folder_ / "s.json");
  const nlohmann::json speedscope = read_json(folder_ / "s.json");
  ASSERT_EQ(speedscope.at("profiles").size(), 2);
  for (const auto& profile : speedscope.at("profiles")) {
    int open = 0;
    double at = 0;
    for (const auto& event : profile.at("events")) {
      open += event.at("type") == "O" ? 1 : -1;
      EXPECT_GE(open, 0);
      EXPECT_GE(event.at("at").get<double>(), at) << "in the order of time";
      at = event.at("at");
    }
    EXPECT_EQ(open, 0);
    EXPECT_LE(at, profile.at("endValue").get<double>());
  }
}

}  // namespace
}  // namespace outcore
