// SPDX-License-Identifier: Apache-2.0
// What makes the async block-centric engine ACGraph's model: its access trace; and that messages
// which it combines are not lost.
#include <fmt/format.h>

#include <map>
#include <numeric>

#include "storage/trace/trace.h"
#include "tests/async_block_fixture.h"
#include "tests/prototypes/toys.h"

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

// A Kronecker graph whose ids go by degree already, so that the spy knows them in the layout.
Shape kronecker_by_degree() {
  Shape shape = small_kronecker(10, 8, 1);
  std::erase_if(shape.edges, [](const auto& e) { return e.first == e.second; });
  const toys::ToyGraph toy = toys::graph_of(shape.name, shape.vertices, shape.edges, true);
  std::vector<VertexId> order(shape.vertices);
  std::iota(order.begin(), order.end(), VertexId{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](VertexId a, VertexId b) { return toy.out[a].size() > toy.out[b].size(); });
  std::vector<VertexId> rank(shape.vertices);
  for (VertexId i = 0; i < shape.vertices; ++i) rank[order[i]] = i;
  for (auto& [u, v] : shape.edges) {
    u = rank[u];
    v = rank[v];
  }
  return shape;
}

// Whatever is kept back is told before the end, in whichever order reads end: each message is
// carried over each edge once, and no residual is left that should have been taken up.
TEST_F(AsyncBlock, TellsAllThatCombinersKeepBack) {
  const Shape shape = kronecker_by_degree();
  const ToyContainer container(shape, true);
  const toys::ToyGraph toy = toys::graph_of(shape.name, shape.vertices, shape.edges, true);
  const Layout layout(container.layout(LayoutChoices{.number = "degree"}));
  for (int seed = 0; seed < 8; ++seed) {
    for (const char* mode : {"async", "sync"}) {
      EngineOptions options = pool(8, {{"mode", mode}});
      options.threads = 3;
      options.depth = 8;
      options.backend = "fault";
      options.fault_plan = fmt::format("over:mem,jitter:0.05,seed:{}", seed);
      const auto engine = find_engine("async_block").make(layout, options);
      ASSERT_EQ(engine->graph().original(5), 5U);
      toys::PagerankDelta delta(engine->graph());
      toys::Spy spy(delta, toy, Frontier::all(engine->graph()));
      engine->converge(spy, Frontier::all(engine->graph()));
      spy.expect_each_edge_once();
      EXPECT_GT(engine->report().messages_combined, 0U);
      const std::vector<double> expected = toys::reference_ranks(toy, 200);
      for (VertexId v = 0; v < shape.vertices; ++v) {
        ASSERT_NEAR(delta.rank[v], expected[v], 1e-5) << "vertex " << v << " seed " << seed;
      }
    }
  }
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
