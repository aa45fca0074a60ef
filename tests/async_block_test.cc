// SPDX-License-Identifier: Apache-2.0
// What makes the async block-centric engine ACGraph's model: its access trace.
#include <map>

#include "storage/trace/trace.h"
#include "tests/async_block_fixture.h"

namespace outcore {
namespace {

// The signature: no rounds, and a block that is in memory is used again without being read again.
TEST_F(AsyncBlock, UsesABlockInMemoryAgainWithoutReadingIt) {
  TraceHeader header;
  header.workers = 2;
  header.file_units = {layout_.block_files()[0].blocks()};
  TraceWriter writer(toy_.folder() / "trace.oct", header);
  EngineOptions options;
  options.trace = &writer;
  const EngineReport report = run("wcc", options);
  const TraceTotals totals = writer.close();
  EXPECT_EQ(report.rounds.size(), 0U);
  EXPECT_EQ(report.visibility, Visibility::immediate);
  EXPECT_EQ(totals.rounds, 1U);
  EXPECT_LT(report.io.requested_bytes, totals.accesses * 4096);
}

TEST_F(AsyncBlock, EightFramesAreEnough) {
  for (const char* workload : {"bfs", "wcc", "pagerank", "kcore", "sssp", "mis"}) {
    EngineOptions options;
    options.threads = 2;
    options.frames_bytes = 8 * 4096;
    EXPECT_GT(run(workload, options).edges_processed, 0U) << workload;
  }
}

// The synchronous mode (section 4.3) of a whole graph reads the file in its order, each block once.
TEST_F(AsyncBlock, ARoundOverEverythingReadsEachBlockOnceInOrder) {
  TraceHeader header;
  header.workers = 1;
  header.file_units = {layout_.block_files()[0].blocks()};
  const std::filesystem::path path = toy_.folder() / "trace.oct";
  TraceWriter writer(path, header);
  EngineOptions options = pool(64);
  options.trace = &writer;
  options.depth = 1;
  const EngineReport report = run("pagerank", options, {"iterations=1"});
  writer.close();
  ASSERT_EQ(report.rounds.size(), 1U);
  EXPECT_TRUE(report.rounds[0].pull);
  EXPECT_EQ(report.edges_processed, layout_.facts().edges);
  TraceReader reader(path);
  TraceReader::Event event;
  std::map<std::uint32_t, int> times;
  while (reader.next(event)) {
    if (event.kind != TraceReader::Event::Kind::run) continue;
    for (std::uint32_t i = 0; i < event.run.units; ++i) ++times[event.run.first + i];
  }
  std::uint64_t again = 0;  // blocks at whose ends a long list shares room with others
  for (const auto& [block, count] : times) again += count - 1;
  EXPECT_LE(again, 2 * report.rounds[0].blocks / 10);
}

TEST_F(AsyncBlock, PullCancelsPiecesOfVerticesThatHaveHeardEnough) {
  const ToyContainer toy(hub(100000), true);
  const Layout layout(toy.layout("firstfit"));
  EngineOptions narrow = pool(64);
  narrow.depth = 1;
  narrow.max_request_bytes = 4096;
  const EngineReport report =
      run(layout, "bfs-do", narrow, {"source=1", "alpha=1000000000", "beta=1000000000"});
  for (const RoundReport& round : report.rounds) ASSERT_TRUE(round.pull);
  // The hub hears from its first neighbour: of its 98 blocks most need not be read.
  EXPECT_LT(report.rounds.at(0).blocks + 80, layout.block_files()[0].blocks());
}

// Blocks of more vertices than a line of metadata has bits.
TEST_F(AsyncBlock, SizesItsFrontierSetsFromTheLayout) {
  const Layout layout(
      toy_.layout(LayoutChoices{.pack = "firstfit", .codec = "svb", .block_bytes = 65536}));
  ASSERT_GT(layout.facts().most_vertices_in_a_block, 352U);
  EngineOptions options;
  options.frames_bytes = 8 * 65536;
  const EngineReport report = run(layout, "wcc", options);
  EXPECT_GT(report.edges_processed, 0U);
}

}  // namespace
}  // namespace outcore
