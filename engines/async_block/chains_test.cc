// SPDX-License-Identifier: Apache-2.0
// Work is linear in the edges on graphs that are nothing but long paths, whatever their ids and
// wherever the lists stand: in the index, in blocks of a few hundred, cut where a block ends, in
// blocks of thousands. By counts of edges handed over. First come, first served took n / 2 times as
// many on the path.
#include <fmt/format.h>

#include "engines/async_block/async_block_fixture.h"
#include "storage/trace/trace.h"

namespace outcore {
namespace {

struct Chain {
  std::string name;
  VertexId spine = 0;
  VertexId tooth = 0;
};

// Each vertex is processed once for its own label and once for the component's; where ids are at
// random it meets a few others on the way.
constexpr double kFactor = 10;

class Chains : public AsyncBlock,
               public ::testing::WithParamInterface<std::tuple<Chain, IdOrder, std::string>> {
 protected:
  static LayoutChoices choices_of(const std::string& layout) {
    if (layout == "thousands") {
      return {.pack = "firstfit", .codec = "svb", .block_bytes = 65536};
    }
    return layout_preset(layout);
  }
};

TEST_P(Chains, AreTraversedInWorkThatIsLinear) {
  const auto& [chain, ids, choices] = GetParam();
  const ToyContainer toy(comb(chain.spine, chain.tooth, ids), true);
  const Layout layout(toy.layout(choices_of(choices)));
  const auto edges = static_cast<double>(layout.facts().edges);
  for (const unsigned threads : {1U, 2U}) {
    for (const char* workload : {"wcc", "bfs", "sssp"}) {
      SCOPED_TRACE(fmt::format("{} by {}", workload, threads));
      EngineOptions options = pool(std::max<std::uint64_t>(8 * 16, layout.facts().blocks / 2));
      options.threads = threads;
      // Takes a while, so that blocks at hand might be processed before a sooner list that is cut.
      options.backend = "fault";
      options.fault_plan = "over:mem,delay:0.05";
      const EngineReport report = run(layout, workload, options);
      EXPECT_LE(static_cast<double>(report.edges_processed), kFactor * edges);
      const Verdict verdict = verdict_on(toy, layout, workload, options);
      EXPECT_TRUE(verdict.passed) << verdict.detail;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sweep, Chains,
    ::testing::Combine(::testing::Values(Chain{"path", 20'000, 0}, Chain{"comb", 150, 149},
                                         Chain{"fine", 2'000, 9}),
                       ::testing::Values(IdOrder::in_order, IdOrder::reversed, IdOrder::random),
                       ::testing::Values("acgraph", "cave", "csr", "thousands")),
    [](const auto& test) {
      std::string name = std::get<0>(test.param).name + "_" + name_of(std::get<1>(test.param)) +
                         "_" + std::get<2>(test.param);
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

// The lists of a path stand in the index. Executors begin at several places of it, and from each of
// these a label sets out. Only the soonest goes on: with 64 at a time each edge of a path of 10^7
// was handed over 64 times.
TEST_F(AsyncBlock, OneLabelAtATimeGoesAlongAPath) {
  for (const IdOrder ids : {IdOrder::in_order, IdOrder::random}) {
    const ToyContainer toy(comb(400'000, 0, ids), true);
    const Layout layout(toy.layout(layout_preset("acgraph")));
    for (const unsigned threads : {1U, 2U}) {
      SCOPED_TRACE(fmt::format("{}, {} threads", name_of(ids), threads));
      EngineOptions options = pool(64);
      options.backend = "mem";
      options.threads = threads;
      const EngineReport report = run(layout, "wcc", options);
      EXPECT_LE(static_cast<double>(report.edges_processed),
                4 * static_cast<double>(layout.facts().edges));
    }
  }
}

// Nor does the least label fall behind where two executors have used up the frames of the blocks to
// which it comes, and others go on meanwhile: these blocks are waited for, and come with their
// neighbours.
TEST_F(AsyncBlock, TheLeastLabelIsNotLeftBehind) {
  constexpr VertexId kVertices = 60'000;
  constexpr VertexId kReach = 8;
  Shape band;
  band.vertices = kVertices;
  for (VertexId v = 0; v < kVertices; ++v) {
    for (VertexId w = v + 1; w <= v + kReach && w < kVertices; ++w) band.edges.emplace_back(v, w);
  }
  const ToyContainer toy(band, true);
  const Layout layout(toy.layout(layout_preset("acgraph")));
  const double blocks = static_cast<double>(layout.block_files()[0].blocks());
  EngineOptions options = pool(128);
  options.threads = 2;
  options.backend = "fault";
  options.fault_plan = "over:mem,delay:0.1";
  const EngineReport report = run(layout, "wcc", options);
  EXPECT_LE(static_cast<double>(report.edges_processed),
            3 * static_cast<double>(layout.facts().edges));
  EXPECT_LE(static_cast<double>(report.io.requested_bytes), 3 * 4096 * blocks);
}

// In a comb with ids reversed each tooth's least label is its leaf's, whose id is the last of the
// layout. If leaves spoke last, each tooth would be traversed for the label of the leaf's neighbour
// first: 2.7 times the edges, and 3.2 with two executors.
TEST_F(AsyncBlock, LeavesSpeakBeforeTheirNeighbours) {
  const ToyContainer toy(comb(2000, 9, IdOrder::reversed), true);
  const Layout layout(toy.layout(layout_preset("acgraph")));
  EngineOptions options = pool(128);
  options.backend = "mem";
  const EngineReport report = run(layout, "wcc", options);
  EXPECT_LE(static_cast<double>(report.edges_processed),
            2.3 * static_cast<double>(layout.facts().edges));
}

// By one thread.
class Turns : public AsyncBlock {
 protected:
  // How often a run processes a block, for each that there is.
  BlockId turns_of_a_block(const Shape& shape, const std::string& workload,
                           const std::vector<std::string>& set = {}) {
    const ToyContainer toy(shape, true);
    const Layout layout(toy.layout(layout_preset("acgraph")));
    const BlockId blocks = layout.block_files()[0].blocks();
    TraceHeader header;
    header.workers = 1;
    header.file_units = {blocks};
    TraceWriter writer(toy.folder() / "trace.oct", header);
    EngineOptions options = pool(2 * blocks);
    options.trace = &writer;
    report_ = run(layout, workload, options, set);
    return writer.close().accesses / blocks;
  }
  EngineReport report_;
};

// Peeling goes through a grid from its corners. A turn of a block also takes the vertices that
// become active in it meanwhile. Otherwise the block would need a turn for each of them.
TEST_F(Turns, PeelABlockAsFarAsItGoes) {
  EXPECT_LT(turns_of_a_block(grid(100, 100), "kcore", {"k=3"}), 20U);
  EXPECT_GT(report_.vertices_processed, 9000U) << "all but the empty core is peeled";
}

// A search goes along a ladder by its rungs, of which a block holds more than a hundred.
TEST_F(Turns, SearchABlockAsFarAsItGoes) {
  EXPECT_LT(turns_of_a_block(grid(20'000, 2), "bfs"), 4U);
}

// A search of a grid, or of a chain, wants a block at a time. What it asks for beside that is
// wanted next.
TEST_F(AsyncBlock, AWaveAsksForNeighboursTogether) {
  for (const Shape& shape : {grid(1000, 100), comb(100'000, 1, IdOrder::reversed)}) {
    const ToyContainer toy(shape, true);
    const Layout layout(toy.layout(layout_preset("acgraph")));
    const BlockId blocks = layout.block_files()[0].blocks();
    EngineOptions options = pool(128);
    options.backend = "mem";
    const EngineReport report = run(layout, "bfs", options);
    EXPECT_LT(report.io.requests, blocks / 3) << shape.name;
    EXPECT_LT(report.io.requested_bytes, blocks * 4096 * 21 / 20) << shape.name;
  }
}

// Where neighbours in the file are none in the graph, hardly more are read than may be lost: an
// eighth of the frames.
TEST_F(AsyncBlock, AWaveReadsNoNeighboursThatItDoesNotUse) {
  const ToyContainer toy(comb(60'000, 1, IdOrder::random), true);
  const Layout layout(toy.layout(layout_preset("acgraph")));
  constexpr BlockId kFrames = 32;
  ASSERT_GT(layout.block_files()[0].blocks(), 4 * kFrames);
  const auto blocks_read = [&](std::uint32_t max_request) {
    EngineOptions options = pool(kFrames);
    options.backend = "mem";
    options.max_request_bytes = max_request;
    return run(layout, "bfs", options).io.requested_bytes / 4096;
  };
  EXPECT_LE(blocks_read(65536), blocks_read(4096) + 4 * kFrames / 8);
}

}  // namespace
}  // namespace outcore
