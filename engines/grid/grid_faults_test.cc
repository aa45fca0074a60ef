// SPDX-License-Identifier: Apache-2.0
// What the grid engine and its layout refuse, and how they end when files or the device fail.
#include <fmt/format.h>

#include "engines/grid/grid_fixture.h"
#include "engines/vertex_program.h"
#include "storage/layout/broken_layout.h"
#include "storage/layout/open_layout.h"

namespace outcore {
namespace {

void refused(const OpenedGraph& layout, const EngineOptions& options, const std::string& text) {
  expect_error(ExitCode::usage, text,
               [&] { static_cast<void>(find_engine("grid").make(layout, options)); });
}

TEST_F(Grid, RefusesListsAndTheOtherEdgesWithTheCommandThatGoes) {
  const auto lists = open_layout(toy_.layout("csr"));
  refused(*lists, {}, "engine grid reads edges of pack grid");
  refused(*lists, {}, "--pack grid");
  const auto shards = open_layout(toy_.layout("psw"));
  refused(*shards, {}, "holds edges of pack psw");
}

TEST_F(Grid, RefusesGridsThatCannotBe) {
  const auto refuse = [&](const std::string& pack, const std::string& text) {
    expect_error(ExitCode::usage, text, [&] { static_cast<void>(layout(pack)); });
  };
  refuse("grid:p=0", "p=0: expected a whole number from 1 to 1024");
  refuse("grid:p=1025", "p=1025: expected a whole number from 1 to 1024");
  refuse("grid:p=4,groups=5", "at most one for each chunk");
  refuse("grid:order=target", "order=target: expected one of source, destination");
}

TEST(GridOfManyVertices, RefusesLocalIdsWhereChunksAreTooWideWithTheNumberThatGoes) {
  const ToyContainer toy(star(150'000), true);
  const auto build = [&](const std::string& pack) {
    LayoutChoices choices;
    set_pack(choices, pack);
    return EdgeLayout(toy.layout(choices));
  };
  expect_error(ExitCode::usage, "give p=3 or more",
               [&] { static_cast<void>(build("grid:p=2,local=1")); });
  EXPECT_EQ(build("grid:p=3,local=1").id_bytes(), 2U);
  // More chunks than the last ids reach.
  EXPECT_EQ(run_grid(build("grid:p=3,local=1"), "wcc", grid_options()).answer.digest(),
            run_grid(build("grid:p=2"), "wcc", grid_options()).answer.digest());
}

TEST_F(Grid, RefusesFramesBelowTwoPartsAThread) {
  EngineOptions options = grid_options();
  options.threads = 2;
  options.frames_bytes = 7 * 4096;
  refused(layout("grid:p=2"), options, "give --frames 32768 or more");
  refused(layout("grid:p=2", "hashed"), options, "give --frames 49152 or more");
  options.frames_bytes = 8 * 4096;
  EXPECT_NO_THROW(static_cast<void>(run("grid:p=2", "wcc", options)));
  options.threads = 0;
  refused(layout("grid:p=2"), options, "--threads");
  options.threads = 1;
  options.depth = 0;
  refused(layout("grid:p=2"), options, "--depth");
}

TEST_F(Grid, MakesTheWeightsThatTheLayoutWouldHold) {
  const EdgeLayout plain = layout("grid:p=2");
  EXPECT_EQ(run_grid(plain, "sssp", grid_options(), {"weights=hashed"}).answer.digest(),
            run_grid(layout("grid:p=2", "hashed"), "sssp", grid_options()).answer.digest());
}

TEST_F(Grid, RefusesWhatWantsLists) {
  const EdgeLayout layout = this->layout("grid:p=2");
  const auto engine = find_engine("grid").make(layout, grid_options());
  for (const char* name : {"dfs", "random-walk", "wcc-sample"}) {
    const Workload& workload = find_workload(name);
    EXPECT_THROW(workload.run(*engine, toy_parameters(workload)), Error) << name;
    EXPECT_NE(missing(engine->traits(), workload), "") << name;
  }
}

// --- Files ---

TEST_F(Grid, NamesWhatIsDamagedOrCut) {
  const auto opens = [&](const std::string& file, const std::string& text, auto&& damage) {
    SCOPED_TRACE(file);
    const std::filesystem::path folder = layout("grid:p=3,local=1").folder();
    damage(folder / file);
    expect_error(ExitCode::bad_input, text, [&] { const EdgeLayout opened(folder); });
  };
  const auto flip = [](const std::filesystem::path& file) { flip_byte(file, 5); };
  const auto cut = [](const std::filesystem::path& file) {
    std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  };
  for (const char* file : {"cells", "out.degrees", "intervals", "sources.sums"}) {
    opens(file, file, flip);
    opens(file, file, cut);
  }
  opens("sources.blocks", "sources.blocks", cut);
  opens("targets.blocks", "targets.blocks", cut);
  const std::filesystem::path folder = layout("grid:p=3,local=1").folder();
  flip_byte(folder / "targets.blocks", 5000);
  const EdgeLayout damaged(folder);
  expect_error(ExitCode::io, "targets.blocks at offset 4096",
               [&] { static_cast<void>(run_grid(damaged, "wcc", grid_options())); });
}

TEST_F(Grid, LocalIntervalsThatAreTooWideAreNamed) {
  const ToyContainer toy(star(150'000), true);
  LayoutChoices choices;
  set_pack(choices, "grid:p=3,local=1");
  const std::filesystem::path folder = toy.layout(choices);
  put_sealed<std::uint32_t>(folder / "layout.json", "intervals", 1, 140'000);
  put_sealed<std::uint32_t>(folder / "layout.json", "intervals", 2, 140'000);
  expect_error(ExitCode::bad_input, "an interval of 140000 ids",
               [&] { const EdgeLayout opened(folder); });
}

// --- The device ---

TEST_F(Grid, StopsWithFileAndOffsetWhenTheDeviceFails) {
  for (const std::string pack : {"grid:p=3", "grid:p=8,groups=2,local=1"}) {
    const EdgeLayout layout = this->layout(pack);
    for (const std::string apply : {"column", "shared"}) {
      for (const char* plan : {"eio@3", "flip@3", "short@3", "eio@20"}) {
        for (const unsigned threads : {1U, 2U, 16U}) {
          SCOPED_TRACE(testing::Message() << pack << apply << " " << plan << " " << threads);
          EngineOptions options = grid_options("apply=" + apply);
          options.threads = threads;
          options.depth = 32;
          options.backend = "fault";
          options.fault_plan = plan;
          options.max_request_bytes = 4096;
          expect_error(ExitCode::io, "s.blocks at offset",
                       [&] { static_cast<void>(run_grid(layout, "pagerank", options)); });
        }
      }
    }
    EXPECT_NO_THROW(static_cast<void>(run_grid(layout, "pagerank", grid_options())));
  }
}

TEST_F(Grid, AnswersTheSameInWhateverOrderReadsEnd) {
  const EdgeLayout layout = this->layout("grid:p=6");
  const std::string digest = run_grid(layout, "wcc", grid_options()).answer.digest();
  for (int seed = 0; seed < 6; ++seed) {
    for (const std::string apply : {"column", "shared"}) {
      for (const unsigned threads : {1U, 2U, 7U}) {
        EngineOptions options = grid_options("apply=" + apply);
        options.threads = threads;
        options.max_request_bytes = 4096;
        options.backend = "fault";
        options.fault_plan = fmt::format("over:mem,jitter:0.05,seed:{}", seed);
        EXPECT_EQ(run_grid(layout, "wcc", options).answer.digest(), digest) << apply << seed;
      }
    }
  }
}

// What a program throws in one worker ends the call, with requests of others under way.
struct GridChoking : VertexProgram<GridChoking, VertexId> {
  Message emit(Source u) { return u.v; }
  template <Access A>
  Priority accept(VertexId v, Message) {
    if (v > 1000) throw std::runtime_error("choked");
    return 0;
  }
};

TEST_F(Grid, StopsWhenAProgramThrows) {
  const EdgeLayout layout = this->layout("grid:p=6");
  for (const std::string apply : {"column", "shared"}) {
    for (const unsigned threads : {1U, 2U, 16U}) {
      EngineOptions options = grid_options("apply=" + apply);
      options.threads = threads;
      options.max_request_bytes = 4096;
      const auto engine = find_engine("grid").make(layout, options);
      GridChoking choking;
      EXPECT_THROW(engine->converge(choking, Frontier::all(engine->graph())), std::runtime_error);
    }
  }
}

TEST(GridOnOddGraphs, TakesLoopsParallelEdgesEmptyChunksAndOneColumn) {
  const ToyContainer toy(
      Shape{.name = "odd", .vertices = 9, .edges = {{0, 0}, {0, 1}, {0, 1}, {1, 8}}}, true);
  Container container(toy.folder());
  const Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
  for (const std::string pack :
       {"grid:p=1", "grid:p=9", "grid:p=64", "grid:p=7,groups=7,local=1"}) {
    LayoutChoices choices;
    set_pack(choices, pack);
    const EdgeLayout layout(toy.layout(choices));
    for (const char* name : {"pagerank", "wcc", "kcore", "mis"}) {
      const Workload& workload = find_workload(name);
      const GridRun run = run_grid(layout, name, grid_options());
      EXPECT_TRUE(workload.verify(canonical, run.answer, toy_parameters(workload)).passed)
          << pack << " " << name;
    }
  }
}

}  // namespace
}  // namespace outcore
