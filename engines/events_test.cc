// SPDX-License-Identifier: Apache-2.0
// The events of each engine agree with what its report counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "engines/engine.h"
#include "storage/events/event_reader.h"
#include "storage/events/event_recorder.h"
#include "storage/layout/open_layout.h"
#include "tests/toy_container.h"
#include "tests/toy_parameters.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

struct Recorded {
  EngineReport report;
  EventsOfRun events;
  std::uint64_t layout_blocks = 0;
  std::uint64_t block_bytes = 0;
};

class EngineEvents : public ::testing::TestWithParam<const EngineEntry*> {
 protected:
  EngineEvents() : toy_(small_kronecker(12, 16, 1), true) {}

  [[nodiscard]] Recorded run(const std::string& workload, const std::string& settings = {},
                             std::uint64_t kept = EventRecorder::kKept,
                             std::uint64_t vertices = 1) const {
    const EngineEntry& engine = *GetParam();
    const auto graph = open_layout(toy_.layout(plainest_choices(engine)));
    EngineOptions options;
    options.frames_bytes = frames_;
    options.depth = 8;
    options.settings = engine_settings(engine.name + settings);
    options.backend = engine.usual_backend(options.settings);
    const std::filesystem::path path = toy_.folder() / "run.events";
    Recorded recorded;
    recorded.block_bytes = graph->facts().block_bytes;
    for (const std::uint64_t blocks : graph->file_blocks()) recorded.layout_blocks += blocks;
    {
      EventRecorder recorder(path, {{"workload", workload}}, kept);
      recorder.set_vertices(vertices);  // of so few all are told of
      options.events = &recorder;
      {
        const auto built = engine.make(*graph, options);
        const Workload& entry = find_workload(workload);
        entry.run(*built, toy_parameters(entry))();
        recorded.report = built->report();
      }
      recorder.close({{"status", "ok"}});
    }
    recorded.events = read_events(path);
    return recorded;
  }

  ToyContainer toy_;
  std::uint64_t frames_ = std::uint64_t{16} * 64 * 1024;
};

std::vector<const EngineEntry*> engines_of_layouts() {
  std::vector<const EngineEntry*> found;
  for (const EngineEntry& engine : engines()) {
    if (engine.reads != GraphKind::store) found.push_back(&engine);
  }
  return found;
}
INSTANTIATE_TEST_SUITE_P(Engines, EngineEvents, ::testing::ValuesIn(engines_of_layouts()),
                         [](const auto& engine) { return engine.param->name; });

void expect_what_was_counted(const Recorded& run) {
  const EngineReport& report = run.report;
  const auto total = [&](EventKind kind) { return run.events.total(kind); };
  EXPECT_EQ(total(EventKind::asked).events, report.io.requests);
  EXPECT_EQ(total(EventKind::asked).count * run.block_bytes, report.io.requested_bytes);
  EXPECT_EQ(total(EventKind::arrived).count, total(EventKind::asked).count);
  EXPECT_EQ(total(EventKind::writing).events, report.io.write_requests);
  EXPECT_EQ(total(EventKind::writing).count * run.block_bytes, report.io.written_bytes);
  EXPECT_EQ(total(EventKind::round_began).events, report.rounds.size());
  EXPECT_EQ(total(EventKind::round_ended).events, report.rounds.size());
  EXPECT_EQ(total(EventKind::worked).events, total(EventKind::stalled).events)
      << "behind each body is a barrier";
}

TEST_P(EngineEvents, AreWhatTheReportCounts) {
  const Recorded run = this->run("wcc");
  expect_what_was_counted(run);
  EXPECT_EQ(run.events.sampled(), 0);
  if (GetParam()->traits.keeps_graph_in_memory) return;  // what it read is used in memory
  EXPECT_EQ(run.events.total(EventKind::processed).value, run.report.edges_processed);
  EXPECT_EQ(
      run.events.total(EventKind::round_ended).value + run.events.total(EventKind::activated).value,
      run.report.activations);
  EXPECT_GT(run.events.total(EventKind::worked).events, 0);
}

TEST_P(EngineEvents, AreInTheOrderOfTimeAndOfBlocksThatAreThere) {
  const Recorded run = this->run("wcc");
  for (const EventsOfLane& lane : run.events.lanes) {
    EXPECT_TRUE(std::is_sorted(lane.events.begin(), lane.events.end(),
                               [](const Event& a, const Event& b) { return a.time < b.time; }));
    for (const Event& event : lane.events) {
      if (event.kind != EventKind::processed) continue;
      EXPECT_LE(std::uint64_t{event.block} + event.count, run.layout_blocks);
    }
  }
}

// Of blocks that were processed each was read: by then, or it is mapped.
TEST_P(EngineEvents, ProcessNoBlockThatWasNotRead) {
  const Recorded run = this->run("wcc");
  std::set<std::uint32_t> read;
  std::set<std::uint32_t> processed;
  for (const EventsOfLane& lane : run.events.lanes) {
    for (const Event& event : lane.events) {
      for (std::uint32_t i = 0; i < event.count; ++i) {
        if (event.kind == EventKind::asked) read.insert(event.block + i);
        if (event.kind == EventKind::processed) processed.insert(event.block + i);
      }
    }
  }
  EXPECT_TRUE(std::includes(read.begin(), read.end(), processed.begin(), processed.end()));
  EXPECT_EQ(processed.empty(), GetParam()->traits.keeps_graph_in_memory);
}

TEST_P(EngineEvents, KeepExactTotalsWhenTheyAreSampled) {
  const Recorded run = this->run("wcc", {}, /*kept=*/64);
  expect_what_was_counted(run);
  if (GetParam()->traits.keeps_graph_in_memory) return;
  EXPECT_GT(run.events.sampled(), 0);
  std::uint64_t held = 0;
  std::uint64_t noted = 0;
  for (const EventsOfLane& lane : run.events.lanes) {
    held += lane.events.size();
    for (const EventTotal& total : lane.totals) noted += total.events;
  }
  EXPECT_LT(held, noted);
}

TEST_P(EngineEvents, TellOfEachVertexThatIsActivated) {
  const Recorded all = this->run("wcc");
  const std::uint64_t found = all.events.total(EventKind::found).events;
  if (GetParam()->name == "psw") {  // counts once a vertex that heard several messages in its turn
    EXPECT_GT(found, 0);
  } else {
    EXPECT_EQ(found, all.report.activations);
  }
  std::set<std::pair<std::uint32_t, std::uint64_t>> labels;  // that vertices had
  for (const EventsOfLane& lane : all.events.lanes) {
    for (const Event& event : lane.events) {
      if (event.kind != EventKind::found) continue;
      EXPECT_TRUE(labels.emplace(event.block, event.value).second) << "labels only fall";
    }
  }
  const Recorded few = this->run("wcc", {}, EventRecorder::kKept, /*vertices=*/1 << 20);
  EXPECT_LT(few.events.total(EventKind::found).events, found / 2);
}

// The one knob: the same engine, layout and frames.
class OneKnob : public EngineEvents {};
INSTANTIATE_TEST_SUITE_P(Engines, OneKnob, ::testing::Values(&find_engine("async_block")),
                         [](const auto& engine) { return engine.param->name; });

TEST_P(OneKnob, RoundsAreToldOfOneModeAlone) {
  const Recorded async = run("wcc", ":mode=async");
  const Recorded sync = run("wcc", ":mode=sync");
  EXPECT_EQ(async.events.total(EventKind::round_began).events, 0);
  EXPECT_EQ(async.events.total(EventKind::activated).value, async.report.activations);
  EXPECT_GT(sync.events.total(EventKind::round_began).events, 1);
  EXPECT_EQ(sync.events.total(EventKind::activated).events, 0);
}

// What a cache found and evicted is told too.
class CachedEvents : public EngineEvents {};
INSTANTIATE_TEST_SUITE_P(Engines, CachedEvents, ::testing::Values(&find_engine("concurrent")),
                         [](const auto& engine) { return engine.param->name; });

TEST_P(CachedEvents, AreItsHitsAndEvictions) {
  frames_ = 16 * 4096;
  const Recorded run = this->run("wcc", ":cache=clock");
  ASSERT_TRUE(run.report.cache.has_value());
  EXPECT_GT(run.report.cache->counters.evictions, 0);
  EXPECT_EQ(run.events.total(EventKind::kept).events, run.report.cache->counters.hits);
  EXPECT_EQ(run.events.total(EventKind::dropped).events, run.report.cache->counters.evictions);
}

}  // namespace
}  // namespace outcore
