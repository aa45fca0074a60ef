// SPDX-License-Identifier: Apache-2.0
// Each knob of the async block-centric engine moves a counter, as the paper says or as
// docs/engines/async_block.md says where we differ.

#include "engines/async_block/async_block_fixture.h"
#include "engines/watched_for_tests.h"
#include "workloads/graphs/generate.h"

namespace outcore {
namespace {

class AsyncBlockKnobs : public AsyncBlock {
 protected:
  // One request at a time comes back in the order in which it was made.
  static EngineOptions one_by_one(std::uint64_t blocks, const std::string& spec = "async_block") {
    EngineOptions options = pool(blocks, spec);
    options.depth = 1;
    return options;
  }
  [[nodiscard]] std::uint64_t blocks() const { return layout_.block_files()[0].blocks(); }
};

// Blocks are kept after use while there is room (unlike in the paper, whose pool holds active
// blocks).
TEST_F(AsyncBlockKnobs, ALargerPoolReadsLess) {
  const std::uint64_t blocks = layout_.block_files()[0].blocks();
  std::uint64_t before = ~std::uint64_t{0};
  for (const std::uint64_t size : {blocks / 8, blocks / 2, blocks}) {
    const std::uint64_t bytes = run("sssp", one_by_one(size)).io.requested_bytes;
    EXPECT_LT(bytes, before) << "with " << size << " frames of " << blocks;
    before = bytes;
  }
}

// A part of the frames and of the requests in flight is each executor's own.
TEST_F(AsyncBlockKnobs, ThreadsShareTheFrames) {
  const auto largest_request = [&](unsigned threads) {
    EngineOptions options = pool(16);
    options.threads = threads;
    const auto& by_size = run("pagerank", options, {"iterations=1"}).io.size_histogram;
    std::size_t largest = 0;
    for (std::size_t i = 0; i < by_size.size(); ++i) largest = by_size[i] > 0 ? i : largest;
    return largest;
  };
  EXPECT_GT(largest_request(1), largest_request(16));
  EXPECT_EQ(largest_request(16), 0U) << "an executor with one frame asks for one block at a time";
}

// Section 4.2: processing the nearest vertices first avoids work that is done in vain.
TEST_F(AsyncBlockKnobs, PriorityProcessesFewerEdges) {
  const EngineReport on = run("sssp", one_by_one(blocks() / 8));
  const EngineReport off = run("sssp", one_by_one(blocks() / 8, "async_block:priority=off"));
  EXPECT_LT(on.edges_processed, off.edges_processed);
}

// Blocks with the most to do come first, instead of sweeps: fewer bytes in more requests.
TEST_F(AsyncBlockKnobs, BenefitReadsFewerBytesByMoreRequests) {
  const auto reads = [&](const std::string& priority) {
    return run("mis", one_by_one(blocks() / 8, "async_block:priority=" + priority + ",ahead=8")).io;
  };
  const IoCounters sweeps = reads("off");
  const IoCounters fullest = reads("benefit");
  EXPECT_LT(fullest.requested_bytes, sweeps.requested_bytes);
  EXPECT_GT(fullest.requests, sweeps.requests);
}

// In the first round of MIS every vertex hears all neighbours, and each neighbour says the same to
// all.
TEST_F(AsyncBlockKnobs, MessagesAreKeptOnlyWhereTheyDiffer) {
  const auto kept = [&](const char* workload) {
    for (const auto& [name, bytes] : run(workload, pool(64)).memory) {
      if (name == "messages") return bytes;
    }
    return ~std::uint64_t{0};
  };
  EXPECT_EQ(kept("mis"), 0U);
  EXPECT_GE(kept("pagerank"), std::uint64_t{layout_.facts().id_space} * sizeof(float));
}

// Section 4.5: a block that has been used so often is read again.
TEST_F(AsyncBlockKnobs, EarlyStopReadsMore) {
  const auto bytes = [&](const std::string& uses) {
    return run("wcc", one_by_one(blocks(), "async_block:early_stop=" + uses)).io.requested_bytes;
  };
  EXPECT_GT(bytes("1"), bytes("4"));
  EXPECT_GT(bytes("4"), bytes("0"));
}

TEST_F(AsyncBlockKnobs, BlocksThatAreKeptAreNotReadAgain) {
  const std::uint64_t kept = run("wcc", one_by_one(blocks())).io.requested_bytes;
  const std::uint64_t not_kept =
      run("wcc", one_by_one(blocks(), "async_block:keep=off")).io.requested_bytes;
  EXPECT_LT(kept, not_kept);
}

// Section 4.3: a second worklist, which is what makes rounds.
TEST_F(AsyncBlockKnobs, SynchronousModeHasRounds) {
  const EngineReport async = run("sssp", pool(blocks() / 8));
  const EngineReport sync = run("sssp", pool(blocks() / 8, "async_block:mode=sync"));
  EXPECT_EQ(async.rounds.size(), 0U);
  EXPECT_GT(sync.rounds.size(), 3U);
  EXPECT_EQ(sync.visibility, Visibility::round);
  EXPECT_GT(sync.edges_processed, async.edges_processed);
}

// What has been read long ahead is taken in an order of long ago.
TEST_F(AsyncBlockKnobs, ReadingFarAheadMakesOrderStale) {
  const ToyContainer toy(grid(400, 400), true);
  const Layout layout(toy.layout(layout_preset("acgraph")));
  const auto edges = [&](const std::string& ahead) {
    EngineOptions options =
        one_by_one(layout.block_files()[0].blocks(), "async_block:ahead=" + ahead);
    return run(layout, "sssp", options).edges_processed;
  };
  EXPECT_LT(edges("4"), edges("1000"));
}

// By default only waves are kept fresh: others are not processed again, or begin everywhere, and
// come as they lie in the file.
TEST_F(AsyncBlockKnobs, ReadsFarAheadUnlessAWaveRuns) {
  const auto reads = [&](const char* workload, const std::string& ahead) {
    EngineOptions options = one_by_one(64, "async_block:mode=async,ahead=" + ahead);
    options.backend = "mem";  // at once, so that a run is like another
    const EngineReport report = run(workload, options);
    return std::pair(report.io.requests, report.edges_processed);
  };
  for (const char* workload : {"bfs", "sssp"}) {
    EXPECT_EQ(reads(workload, "0"), reads(workload, "8"));
    EXPECT_NE(reads(workload, "0"), reads(workload, "16"));
  }
  for (const char* workload : {"pagerank-push", "wcc"}) {
    EXPECT_EQ(reads(workload, "0"), reads(workload, "16"));
    EXPECT_NE(reads(workload, "0"), reads(workload, "8"));
  }
}

// If ids follow the degree, the vertices with the first ids receive many of the messages.
TEST_F(AsyncBlockKnobs, CombinersTellManyMessagesAsOne) {
  const Layout by_degree(toy_.layout(LayoutChoices{.number = "degree"}));
  const auto report = [&](const Layout& layout, const std::string& combine) {
    EngineOptions options = pool(64, "async_block:combine=" + combine);
    options.threads = 2;
    return run(layout, "pagerank-push", options);
  };
  const EngineReport on = report(by_degree, "on");
  EXPECT_GT(on.counts.at("messages_combined") * 10, on.edges_processed);
  EXPECT_LT(on.counts.at("messages_combined"), on.edges_processed);
  EXPECT_EQ(report(by_degree, "off").counts.at("messages_combined"), 0U);
  EXPECT_EQ(report(layout_, "on").counts.at("messages_combined"), 0U)
      << "ids do not say which vertices hear most";
}

TEST_F(AsyncBlockKnobs, MergingMakesFewerRequestsForTheSameBytes) {
  EngineOptions merged = pool(1024);
  EngineOptions single = pool(1024);
  single.max_request_bytes = 4096;
  const EngineReport with = run("pagerank", merged, {"iterations=1"});
  const EngineReport without = run("pagerank", single, {"iterations=1"});
  EXPECT_EQ(with.io.requested_bytes, without.io.requested_bytes);
  EXPECT_LT(with.io.requests * 4, without.io.requests);
  EXPECT_EQ(without.io.requests * 4096, without.io.requested_bytes);
}

// Fig. 15: lists in memory need no block, and the index holds them.
TEST_F(AsyncBlockKnobs, InlineListsSpareReadsAndTakeMemory) {
  const ToyContainer toy(small_kronecker(15, 2, 1), true);
  std::uint64_t read = ~std::uint64_t{0};
  std::uint64_t index = 0;
  for (const unsigned inline_edges : {0U, 1U, 2U, 3U}) {
    LayoutChoices choices = layout_preset("acgraph");
    choices.inline_edges = inline_edges;
    choices.mini_data = inline_edges > 0;
    const Layout layout(toy.layout(choices));
    const std::uint64_t bytes =
        run(layout, "pagerank", pool(1024), {"iterations=1"}).io.requested_bytes;
    EXPECT_LT(bytes, read) << inline_edges;
    // Of lists of one edge each stands in the place of its position.
    if (inline_edges > 1) {
      EXPECT_GT(layout.index_bytes(), index) << inline_edges;
    }
    read = bytes;
    index = layout.index_bytes();
  }
}

TEST_F(AsyncBlockKnobs, HolesThatAreReadThroughSpareRequestsAndAreCounted) {
  // In rounds, which want the same blocks whatever comes first from the device.
  EngineOptions options = one_by_one(64, "async_block:mode=sync");
  const IoCounters off = run("bfs", options).io;
  options.request_cost = kMeasuredCost;
  const IoCounters on = run("bfs", options).io;
  EXPECT_EQ(off.hole_bytes, 0U);
  EXPECT_GT(on.hole_bytes, 0U);
  EXPECT_LT(on.requests, off.requests);
}

// 3% allow about a third of the existing holes. Each executor keeps to its own share.
TEST_F(AsyncBlockKnobs, HolesAreNoMoreThanTheirShareOfWhatIsNeeded) {
  EngineOptions options = one_by_one(64, "async_block:mode=sync");
  const IoCounters off = run("bfs", options).io;
  options.request_cost = kMeasuredCost;
  const IoCounters any = run("bfs", options).io;
  options.most_holes = 0.03;
  const IoCounters some = run("bfs", options).io;
  const auto share = [](const IoCounters& io) {
    return static_cast<double>(io.hole_bytes) /
           static_cast<double>(io.requested_bytes - io.hole_bytes);
  };
  EXPECT_GT(share(any), 0.03);
  EXPECT_GT(some.hole_bytes, 0U);
  EXPECT_LE(share(some), 0.03);
  EXPECT_LT(some.requests, off.requests);
  EXPECT_GT(some.requests, any.requests);
}

// Cores are peeled in many rounds, each of which wants some of the blocks, and there are frames for
// all. So wanted blocks are read as often as without holes, except those that came in holes.
TEST_F(AsyncBlockKnobs, WhatCameInHolesIsNotReadAgain) {
  EngineOptions options = one_by_one(8 * blocks(), "async_block:mode=sync");
  const IoCounters off = run("coreness", options).io;
  options.request_cost = {.us = 100, .us_per_kb = 10};
  const IoCounters on = run("coreness", options).io;
  EXPECT_GT(on.hole_bytes, 0U);
  EXPECT_LT(on.requested_bytes - on.hole_bytes, off.requested_bytes);
}

// Section 5.1: only the pack csr cuts lists that fit a block, and every cut list needs one block
// more.
TEST_F(AsyncBlockKnobs, PacksThatCutNoListReadLess) {
  const auto bytes = [&](const std::string& pack) {
    LayoutChoices choices = layout_preset("acgraph");
    choices.pack = pack;
    const Layout layout(toy_.layout(choices));
    return run(layout, "wcc", one_by_one(blocks() / 16)).io.requested_bytes;
  };
  const std::uint64_t csr = bytes("csr");
  for (const char* pack : {"lplf", "firstfit", "bestfit"}) EXPECT_LT(bytes(pack), csr) << pack;
}

// Table 2: if vertices of small degree are wanted, best fit reads far less, because it packs them
// together (k-core, 0.59 of LPLF's bytes in the paper). If neighbours are wanted together, LPLF
// keeps them together and reads less (BFS: best fit reads 1.16 to 1.31 of LPLF's bytes there).
TEST_F(AsyncBlockKnobs, BestFitPacksByDegreeAndLplfByPlace) {
  const auto bytes = [](const std::filesystem::path& graph, const std::string& pack,
                        const char* workload) {
    LayoutChoices choices = layout_preset("acgraph");
    choices.pack = pack;
    const Layout layout(graph / "layouts" / build_layout(graph, choices, "", true));
    const std::uint64_t frames = layout.block_files()[0].blocks() / 8;
    return run(layout, workload, one_by_one(frames, "async_block:mode=async")).io.requested_bytes;
  };
  SmallWorldOptions ring;
  ring.vertices = 1 << 13;
  ring.rewire = 0.05;
  const std::filesystem::path in_places = toy_.folder().parent_path() / "ring";
  generate_small_world(ring, in_places, 1, true);
  for (const char* other : {"lplf", "firstfit"}) {
    EXPECT_LT(2 * bytes(toy_.folder(), "bestfit", "kcore"), bytes(toy_.folder(), other, "kcore"));
    EXPECT_LT(5 * bytes(in_places, other, "bfs"), 4 * bytes(in_places, "bestfit", "bfs"));
  }
}

// Ids that follow the graph keep neighbours in one block (LPLF preserves that).
TEST_F(AsyncBlockKnobs, NumberingMovesReads) {
  const ToyContainer toy(grid(200, 200), true);
  const auto bytes = [&](const std::string& number) {
    LayoutChoices choices = layout_preset("acgraph");
    choices.number = number;
    const Layout layout(toy.layout(choices));
    return run(layout, "bfs", one_by_one(16)).io.requested_bytes;
  };
  EXPECT_LT(2 * bytes("original"), bytes("random"));
}

TEST_F(AsyncBlockKnobs, LargerBlocksMakeFewerRequestsOfMoreBytes) {
  const auto report = [&](std::uint32_t block_bytes) {
    LayoutChoices choices = layout_preset("acgraph");
    choices.block_bytes = block_bytes;
    const Layout layout(toy_.layout(choices));
    EngineOptions options = one_by_one(64);
    options.max_request_bytes = block_bytes;
    return run(layout, "bfs", options).io;
  };
  const IoCounters small = report(4096);
  const IoCounters large = report(16384);
  EXPECT_GT(small.requests, large.requests);
  EXPECT_LT(small.requested_bytes, large.requested_bytes);
}

// Requests that wait for one another are in flight together, up to the depth.
TEST_F(AsyncBlockKnobs, DepthIsTheNumberOfRequestsInFlight) {
  for (const auto& [threads, depth] :
       std::vector<std::pair<unsigned, unsigned>>{{2, 1}, {3, 4}, {8, 2}, {2, 32}}) {
    SCOPED_TRACE(testing::Message() << threads << " " << depth);
    EngineOptions options = pool(256);
    options.threads = threads;
    options.depth = depth;
    options.max_request_bytes = 4096;
    const std::int64_t most =
        most_in_flight(options, [&](const EngineOptions& watched) { run("pagerank", watched); });
    EXPECT_EQ(most, depth);
  }
}

}  // namespace
}  // namespace outcore
