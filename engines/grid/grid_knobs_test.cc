// SPDX-License-Identifier: Apache-2.0
// Each knob of the grid engine, and of its layout, moves a counter.
#include <set>

#include "engines/grid/grid_fixture.h"
#include "storage/layout/edges/expect_same_edges.h"
#include "tests/contract/toys.h"

namespace outcore {
namespace {

std::uint64_t count(const GridRun& run, const std::string& name) {
  return run.report.counts.at(name);
}

TEST_F(Grid, StreamsAllEdgesWhereAllAreActive) {
  const GridRun run = this->run("grid:p=4", "pagerank");
  const std::uint64_t edges = layout("grid:p=4").facts().edges;
  EXPECT_EQ(run.report.edges_processed, 10 * edges);
  EXPECT_EQ(count(run, "edges_used"), 10 * edges);
  EXPECT_EQ(count(run, "cells_read"), 10 * 16U);
  EXPECT_EQ(count(run, "cells_skipped"), 0U);
  EXPECT_EQ(run.report.io.touched_bytes, 10 * edges * 8);
  EXPECT_GT(run.report.stages.at("load"), 0);
  EXPECT_GT(run.report.stages.at("update"), 0);
  EXPECT_GE(run.report.stages.at("update_processors"), run.report.stages.at("update"));
}

TEST_F(Grid, SelectiveSchedulingStreamsLess) {
  const GridRun on = run("grid:p=16", "bfs");
  const GridRun off = run("grid:p=16", "bfs", grid_options("selective=off"));
  EXPECT_GT(count(on, "cells_skipped"), 0U);
  EXPECT_EQ(count(off, "cells_skipped"), 0U);
  EXPECT_LT(on.report.edges_processed, off.report.edges_processed);
  EXPECT_LT(on.report.io.requested_bytes, off.report.io.requested_bytes);
  EXPECT_EQ(count(on, "edges_used"), count(off, "edges_used"));
  EXPECT_EQ(on.answer.digest(), off.answer.digest());
  EXPECT_LT(count(on, "edges_used"), on.report.edges_processed);
}

TEST_F(Grid, MoreChunksSkipMore) {
  const GridRun few = run("grid:p=2", "bfs");
  const GridRun many = run("grid:p=64", "bfs");
  EXPECT_LT(many.report.edges_processed, few.report.edges_processed);
}

TEST_F(Grid, GroupsAreColumnsOfSeveralChunks) {
  const auto engine = [&](const std::string& pack) {
    EngineOptions options = grid_options("visibility=round");
    options.threads = 3;
    return run_grid(layout(pack), "wcc", options);
  };
  const GridRun grouped = engine("grid:p=8,groups=2");
  EXPECT_THAT(grouped.report.notes,
              ::testing::Contains(::testing::StartsWith("2 columns for 3 threads")));
  const GridRun plain = engine("grid:p=8");
  EXPECT_THAT(plain.report.notes,
              ::testing::Not(::testing::Contains(::testing::HasSubstr("columns for"))));
  EXPECT_EQ(grouped.answer.digest(), plain.answer.digest());
  EXPECT_EQ(count(grouped, "cells_read"), count(plain, "cells_read"));
}

TEST_F(Grid, LocalIdsHalveTheBytes) {
  const auto bytes = [&](const std::string& pack, const std::string& weights) {
    return run_grid(layout(pack, weights), "pagerank", grid_options()).report.io.requested_bytes;
  };
  // Cells end with a block, so a little more.
  EXPECT_LT(bytes("grid:p=2,local=1", "none"),
            0.6 * static_cast<double>(bytes("grid:p=2", "none")));
  EXPECT_LT(bytes("grid:p=2,local=1", "hashed"),
            0.75 * static_cast<double>(bytes("grid:p=2", "hashed")));
  EXPECT_EQ(run("grid:p=2,local=1", "wcc").answer.digest(), run("grid:p=2", "wcc").answer.digest());
}

// What a program is given: by source, or by destination.
TEST_F(Grid, EdgesAreAppliedInTheLayoutsOrder) {
  const auto ascending = [&](const std::string& pack) {
    const ToyContainer toy(hub(300), true);
    LayoutChoices choices;
    set_pack(choices, pack);
    const EdgeLayout layout(toy.layout(choices));
    const auto ids = [&](EdgeColumn column) { return read_ids(layout, column); };
    const std::size_t edges = layout.facts().edges;
    const auto ascends = [&](const std::vector<std::uint32_t>& words) {
      return std::is_sorted(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(edges));
    };
    return std::pair(ascends(ids(EdgeColumn::sources)), ascends(ids(EdgeColumn::targets)));
  };
  EXPECT_EQ(ascending("grid:p=1"), std::pair(true, false));
  EXPECT_EQ(ascending("grid:p=1,order=destination"), std::pair(false, true));
  EXPECT_EQ(run("grid:p=3,order=destination", "wcc").answer.digest(),
            run("grid:p=3", "wcc").answer.digest());
}

// A column a worker needs no atomics; shared blocks do, unless there is one worker alone.
TEST_F(Grid, SharedBlocksAreWrittenWithAtomics) {
  const ToyContainer toy(small_kronecker(8, 8, 3), true);
  LayoutChoices choices;
  set_pack(choices, "grid:p=4");
  const EdgeLayout layout(toy.layout(choices));
  const Shape shape = small_kronecker(8, 8, 3);
  const toys::ToyGraph g = toys::graph_of("kronecker", shape.vertices, shape.edges, true);
  const auto shared_calls = [&](const std::string& apply, unsigned threads) {
    EngineOptions options = grid_options("apply=" + apply);
    options.threads = threads;
    const auto engine = find_engine("grid").make(layout, options);
    toys::Wcc wcc(engine->graph());
    toys::Spy spy(wcc, g, Frontier::all(engine->graph()));
    engine->converge(spy, Frontier::all(engine->graph()));
    EXPECT_GT(spy.pieces, 0U);
    return spy.shared_calls;
  };
  EXPECT_EQ(shared_calls("column", 2), 0U);
  EXPECT_GT(shared_calls("shared", 2), 0U);
  EXPECT_EQ(shared_calls("shared", 1), 0U);
}

// On a path a label goes one step a round, and on through each interval of columns behind it.
TEST_F(Grid, LaterColumnsSeeWhatEarlierOnesWrote) {
  const ToyContainer toy(path(300), true);
  LayoutChoices choices;
  set_pack(choices, "grid:p=16");
  const EdgeLayout layout(toy.layout(choices));
  for (const std::string apply : {"column", "shared"}) {
    const GridRun interval = run_grid(layout, "wcc", grid_options("apply=" + apply));
    const GridRun round = run_grid(layout, "wcc", grid_options("visibility=round,apply=" + apply));
    EXPECT_EQ(interval.report.visibility, Visibility::interval);
    EXPECT_EQ(round.report.visibility, Visibility::round);
    EXPECT_LT(interval.report.rounds.size(), round.report.rounds.size());
    EXPECT_EQ(interval.answer.digest(), round.answer.digest());
    // A program that counts rounds.
    const GridRun ranks = run_grid(layout, "pagerank", grid_options("apply=" + apply));
    EXPECT_EQ(ranks.report.visibility, Visibility::round);
  }
}

TEST_F(Grid, LargeRequestsAreFew) {
  EngineOptions options = grid_options();
  options.max_request_bytes = 4096;
  const EngineReport small = run("grid:p=2", "pagerank", options).report;
  options.max_request_bytes = 64 << 10;
  const EngineReport large = run("grid:p=2", "pagerank", options).report;
  EXPECT_EQ(small.io.requests * 4096, small.io.requested_bytes);
  EXPECT_LT(large.io.requests, small.io.requests / 8);
  EXPECT_EQ(large.io.requested_bytes, small.io.requested_bytes);
}

// Requests go on over the borders of cells, however many these are.
TEST_F(Grid, RequestsHoldNeighbouringCells) {
  EngineOptions options = grid_options();
  options.threads = 1;
  options.max_request_bytes = 1 << 20;
  const EdgeLayout layout = this->layout("grid:p=32");
  const EngineReport report = run_grid(layout, "pagerank", options).report;
  EXPECT_EQ(report.io.requests, 10 * 32 * 2U) << "a column's sources, and its targets";
}

TEST_F(Grid, FramesAreWhatTheyMayBe) {
  for (const std::uint64_t frames : {8U, 64U, 1024U}) {
    EngineOptions options = grid_options();
    options.frames_bytes = frames * 4096;
    const GridRun run = this->run("grid:p=4", "wcc", options);
    for (const auto& [name, bytes] : run.report.memory) {
      if (name == "frames") {
        EXPECT_LE(bytes, options.frames_bytes);
      }
    }
  }
}

TEST_F(Grid, AnswersDoNotHangOnThreadsDepthOrBackend) {
  std::set<std::string> digests;
  for (const std::string pack : {"grid:p=5", "grid:p=5,local=1"}) {
    const EdgeLayout layout = this->layout(pack);
    for (const std::string apply : {"column", "shared"}) {
      for (const unsigned threads : {1U, 2U, 7U}) {
        for (const unsigned depth : {1U, 7U, 64U}) {
          EngineOptions options = grid_options("apply=" + apply);
          options.threads = threads;
          options.depth = depth;
          options.frames_bytes = std::uint64_t{7} * 4 * 4096;
          options.backend = depth == 7 ? "threads" : "mem";
          digests.insert(run_grid(layout, "wcc", options).answer.digest());
        }
      }
    }
  }
  EXPECT_EQ(digests.size(), 1U);
}

// Values in files: a round writes each vertex's once, with its column, and messages once.
TEST_F(Grid, ValuesInFilesAreWrittenOnceARound) {
  NamedBytes arrays;
  const auto in_files = [&](const std::string& pack) {
    EngineOptions options = grid_options();
    options.states =
        std::make_shared<StateStore>(StateFiles{.folder = toy_.folder()}, std::function<void()>());
    const GridRun run = run_grid(layout(pack), "pagerank", options);
    arrays = options.states->in_files();
    return count(run, "state_written_bytes");
  };
  const std::uint64_t written = in_files("grid:p=4");
  std::uint64_t values = 0;
  std::uint64_t messages = 0;
  for (const auto& [name, size] : arrays) (name == "messages" ? messages : values) += size;
  ASSERT_GT(values, 0U);
  ASSERT_GT(messages, 0U);
  // Ten rounds; filling them, and asking for the answer, goes over them too.
  EXPECT_GE(written, 10 * (values + messages));
  EXPECT_LE(written, 16 * (values + messages));
  EXPECT_EQ(in_files("grid:p=2"), written) << "however many columns there are";
  EXPECT_EQ(run("grid:p=4", "pagerank").report.counts.count("state_written_bytes"), 0U);
}

}  // namespace
}  // namespace outcore
