// SPDX-License-Identifier: Apache-2.0
// Layouts over several disks, for all engines of lists: the same answers for the same bytes, in
// requests that are cut where one disk ends, and faults that are named by disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "storage/layout/broken_layout.h"
#include "tests/readers.h"
#include "tests/toy_parameters.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

struct StripedRun {
  std::string digest;
  bool exact = false;
  IoCounters io;
};

StripedRun run_striped(const EngineEntry& entry, const Layout& layout, const Workload& workload,
                       const std::string& fault = {}) {
  EngineOptions options;
  options.depth = 8;
  options.frames_bytes = std::uint64_t{16} * 64 * 1024;
  if (!fault.empty()) options.backend = "fault";
  options.fault_plan = fault;
  const auto engine = entry.make(layout, options);
  const Answer answer = workload.run(*engine, toy_parameters(workload))();
  return {answer.digest(), answer.exact, engine->report().io};
}

class StripedLayouts : public testing::Test {
 protected:
  StripedLayouts() : toy_(small_kronecker(11, 16, 1), true) {}
  [[nodiscard]] Layout striped(const LayoutChoices& choices, const std::string& disks) const {
    return Layout(toy_.folder() / "layouts" /
                  build_layout(toy_.folder(), choices, "striped", true, Disks::parse(disks, "4K")));
  }
  // Engines that map their blocks read no stripes.
  [[nodiscard]] static bool maps(const EngineEntry& entry) {
    return entry.usual_backend && entry.usual_backend(engine_settings(entry.name)) == "mmap";
  }
  ToyContainer toy_;
};

TEST_F(StripedLayouts, GiveTheSameAnswersForTheSameBytes) {
  for (const LayoutChoices& choices :
       {LayoutChoices{.pack = "csr"},
        LayoutChoices{.number = "degree", .pack = "lplf", .codec = "svb"}, layout_preset("losc")}) {
    const Layout one(toy_.layout(choices));
    const Layout three = striped(choices, "3");
    for (const EngineEntry* entry : readers_of(choices)) {
      if (maps(*entry)) continue;
      for (const char* name : {"bfs", "wcc", "pagerank"}) {
        SCOPED_TRACE(entry->name + " " + layout_name(choices) + " " + name);
        const Workload& workload = find_workload(name);
        if (!can_run(entry->traits, one, workload)) continue;
        const StripedRun whole = run_striped(*entry, one, workload);
        const StripedRun cut = run_striped(*entry, three, workload);
        if (whole.exact) {
          EXPECT_EQ(whole.digest, cut.digest);
        }
        EXPECT_TRUE(whole.io.stripe_requests.empty());
        if (entry->traits.keeps_graph_in_memory) continue;
        ASSERT_EQ(cut.io.stripe_requests.size(), 3U);
        EXPECT_EQ(std::accumulate(cut.io.stripe_requests.begin(), cut.io.stripe_requests.end(),
                                  std::uint64_t{0}),
                  cut.io.requests);
        EXPECT_EQ(cut.io.requests * 4096, cut.io.requested_bytes) << "a stripe is a block";
      }
    }
  }
}

TEST_F(StripedLayouts, FaultsStopARunByTheNameOfTheStripe) {
  const Layout two = striped({.pack = "csr"}, "2");
  for (const EngineEntry* entry : block_engines()) {
    if (maps(*entry) || !can_read(*entry, GraphKind::lists, "csr")) continue;
    for (const char* plan : {"eio@0", "eio@5", "flip@3", "short@4"}) {
      SCOPED_TRACE(entry->name + " " + plan);
      expect_error(ExitCode::io, "out.blocks.",
                   [&] { run_striped(*entry, two, find_workload("wcc"), plan); });
    }
  }
}

TEST_F(StripedLayouts, AreRefusedByEnginesThatMapThem) {
  const LayoutChoices choices = layout_preset("chunkgraph");
  const Layout two = striped(choices, "2");
  int refused = 0;
  for (const EngineEntry* entry : readers_of(choices)) {
    if (!maps(*entry)) continue;
    ++refused;
    EngineOptions options;
    options.backend = "mmap";
    expect_error(ExitCode::usage, "build the layout without --disks",
                 [&] { static_cast<void>(entry->make(two, options)); });
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace outcore
