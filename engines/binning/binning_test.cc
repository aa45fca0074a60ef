// SPDX-License-Identifier: Apache-2.0
// What makes the binning engine Blaze's model: how pages are read and records applied, and how its
// knobs move counters.
#include "engines/binning/binning.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "engines/watched_for_tests.h"
#include "storage/trace/trace.h"
#include "tests/sanitized.h"
#include "tests/toy_container.h"
#include "tests/toy_parameters.h"
#include "workloads/bfs_program.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

EngineOptions binning_options(const std::string& parameters = {}) {
  EngineOptions options;
  options.settings = engine_settings(parameters.empty() ? "binning" : "binning:" + parameters);
  return options;
}

EngineReport run_binning(const Layout& layout, const std::string& workload,
                         const EngineOptions& options) {
  const auto engine = find_engine("binning").make(layout, options);
  const Workload& entry = find_workload(workload);
  entry.run(*engine, toy_parameters(entry))();
  return engine->report();
}

std::uint64_t memory_of(const EngineReport& report, const std::string& wanted) {
  for (const auto& [name, bytes] : report.memory) {
    if (name == wanted) return bytes;
  }
  ADD_FAILURE() << "no memory is named " << wanted;
  return 0;
}

class Binning : public ::testing::Test {
 protected:
  Binning() : toy_(small_kronecker(12, 16, 1), true), layout_(toy_.layout("csr")) {}

  [[nodiscard]] EngineReport run(const std::string& workload,
                                 const std::string& parameters = {}) const {
    return run_binning(layout_, workload, binning_options(parameters));
  }
  // What was asked for, by round, in the order of asking.
  using Asked = std::map<std::uint64_t, std::vector<std::uint32_t>>;
  [[nodiscard]] Asked trace(EngineOptions options, EngineReport& report) const {
    const std::filesystem::path path = toy_.folder() / "trace.oct";
    TraceHeader header;
    header.workers = options.threads;
    header.file_units = {layout_.block_files()[0].blocks()};
    TraceWriter writer(path, header);
    options.trace = &writer;
    report = run_binning(layout_, "wcc", options);
    writer.close();
    TraceReader reader(path);
    TraceReader::Event event;
    Asked asked;
    while (reader.next(event)) {
      if (event.kind != TraceReader::Event::Kind::run) continue;
      for (std::uint32_t i = 0; i < event.run.units; ++i) {
        asked[event.run.round].push_back(event.run.first + i);
      }
    }
    return asked;
  }

  ToyContainer toy_;
  Layout layout_;
};

// --- Signatures ---

// A program that is told what access its engine has.
struct Witness : VertexProgram<Witness, VertexId> {
  static constexpr Saying kSaying = Saying::changing;
  Message emit(Source u) { return u.v; }
  template <Access A>
  Priority accept(VertexId /*v*/, Message /*m*/) {
    ++(A == Access::shared ? shared : exclusive);
    return kQuiet;
  }
  std::atomic<std::uint64_t> shared = 0;
  std::atomic<std::uint64_t> exclusive = 0;
};

TEST_F(Binning, HearsWithoutAtomics) {
  const std::uint64_t edges = layout_.facts().edges;
  for (const std::string roles : {"any", "fixed"}) {
    for (const unsigned threads : {2U, 3U, 7U}) {
      EngineOptions options = binning_options("bins=64,bin-space=2M,roles=" + roles);
      options.threads = threads;
      const auto engine = find_engine("binning").make(layout_, options);
      Witness witness;
      engine->round(witness, Frontier::all(engine->graph()), Direction::out, Mode::any);
      EXPECT_EQ(witness.shared, 0U) << roles << threads;
      EXPECT_EQ(witness.exclusive, edges) << roles << threads;
      EXPECT_EQ(engine->report().counts.at("records"), edges);
    }
  }
  const auto engine = find_engine("binning").make(layout_, binning_options("apply=atomic"));
  Witness witness;
  engine->round(witness, Frontier::all(engine->graph()), Direction::out, Mode::any);
  EXPECT_EQ(witness.shared, edges) << "Blaze without binning";
  EXPECT_EQ(engine->report().counts.count("records"), 0U);
}

// In the order of ids where one thread asks: of several, each takes the next few.
TEST_F(Binning, ReadsEachWantedPageOnceARoundAscending) {
  for (const auto& [roles, threads] :
       std::vector<std::pair<std::string, unsigned>>{{"any", 1}, {"any", 3}, {"fixed", 3}}) {
    SCOPED_TRACE(testing::Message() << roles << threads);
    EngineOptions options = binning_options("roles=" + roles);
    options.threads = threads;
    EngineReport report;
    Asked asked = trace(options, report);
    ASSERT_EQ(asked.size(), report.rounds.size());
    for (auto& [number, pages] : asked) {
      if (roles == "any" && threads > 1) std::sort(pages.begin(), pages.end());
      EXPECT_TRUE(std::is_sorted(pages.begin(), pages.end(), std::less_equal<>()));
      const RoundReport& round = report.rounds[number];
      EXPECT_EQ(pages.size(), round.blocks);
      EXPECT_EQ(static_cast<double>(pages.size()), round.own.at("pages_wanted"));
      EXPECT_EQ(pages.size() * 4096, round.requested_bytes);
    }
  }
}

TEST(BinningPages, OnlyThoseOfTheFrontierAreRead) {
  constexpr VertexId kLeaves = 30000;
  const ToyContainer toy(star(kLeaves), true);
  const Layout layout(toy.layout("csr"));
  const auto engine = find_engine("binning").make(layout, binning_options());
  const VertexId leaf = kLeaves;
  Bfs<std::uint32_t> bfs(engine->state("level", kNoLevel), leaf);
  const Frontier next = engine->round(bfs, Frontier::of(engine->graph().id_space, {&leaf, 1}),
                                      Direction::out, Mode::any);
  EXPECT_EQ(engine->report().rounds.back().blocks, 1U);
  ASSERT_EQ(next.size(), 1U);
  engine->round(bfs, Frontier(next), Direction::out, Mode::any);
  const std::uint64_t hubs_pages = engine->report().rounds.back().blocks;
  EXPECT_GE(hubs_pages, kLeaves / 1024);
  EXPECT_LE(hubs_pages, kLeaves / 1024 + 2);
}

struct Labels : VertexProgram<Labels, VertexId> {
  static constexpr Saying kSaying = Saying::changing;
  explicit Labels(VertexId n) : label(n) { std::iota(label.begin(), label.end(), 0U); }
  std::vector<VertexId> label;
  Message emit(Source u) { return peek(label[u.v]); }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    return lower<A>(label[v], m) ? Priority{0} : kQuiet;
  }
};

// A label goes one step a round: what was heard in it is not said in it.
TEST(BinningVisibility, ShowsOnlyWhatWasThereBeforeTheRound) {
  const ToyContainer toy(path(40000), true);
  const Layout layout(toy.layout("csr"));
  for (const std::string parameters :
       {"bins=64,bin-space=1M,staging=16", "roles=fixed,bins=64,bin-space=1M,staging=16",
        "apply=atomic"}) {
    const auto engine = find_engine("binning").make(layout, binning_options(parameters));
    Labels labels(40000);
    engine->round(labels, Frontier::all(engine->graph()), Direction::out, Mode::any);
    for (VertexId v = 1; v < 40000; ++v) ASSERT_EQ(labels.label[v], v - 1) << parameters;
  }
}

TEST_F(Binning, GathersBeforeTheLastPageHasCome) {
  for (const std::string roles : {"any", "fixed"}) {
    const EngineReport small = run("pagerank", "bins=16,bin-space=200K,staging=16,roles=" + roles);
    EXPECT_GT(small.counts.at("bins_early"), small.counts.at("bins_at_end")) << roles;
    EXPECT_LE(memory_of(small, "bins"), 200U << 10);
    const EngineReport large = run("pagerank", "bins=16,roles=" + roles);
    EXPECT_EQ(large.counts.at("bins_early"), 0U) << "nothing fills 64 MB";
    EXPECT_EQ(large.counts.at("records"), small.counts.at("records"));
  }
}

TEST(BinningRecords, AreNotMadeForVerticesThatListenNoMore) {
  Shape clique{.name = "clique", .vertices = 9, .edges = {}};
  for (VertexId u = 0; u < 9; ++u) {
    for (VertexId v = u + 1; v < 9; ++v) clique.edges.emplace_back(u, v);
  }
  const ToyContainer toy(clique, true);
  const Layout layout(toy.layout("csr"));
  const EngineReport report = run_binning(layout, "bfs", binning_options());
  EXPECT_EQ(report.edges_processed, 72U);
  EXPECT_EQ(report.counts.at("records"), 8U) << "what the source said, and nothing of the echo";
  EXPECT_LT(report.counts.at("record_bytes"), 8U * 8) << "levels of a byte or two";
}

// --- Knobs ---

TEST_F(Binning, BinsAreAsManyAsAskedFor) {
  const EngineReport few = run("pagerank", "bins=2");
  const EngineReport many = run("pagerank", "bins=256");
  EXPECT_EQ(few.counts.at("bins"), 2U);
  EXPECT_EQ(many.counts.at("bins"), 256U);
  EXPECT_EQ(few.counts.at("bins_at_end"), 2 * 10U) << "each in each iteration";
  EXPECT_GT(many.counts.at("bins_at_end"), few.counts.at("bins_at_end"));
  EXPECT_GE(few.counts.at("records_in_one_bin") * 2 * 10, few.counts.at("records"));
  EXPECT_LT(many.counts.at("records_in_one_bin"), few.counts.at("records_in_one_bin"));
  EXPECT_LT(memory_of(few, "staging"), memory_of(many, "staging"));
}

TEST_F(Binning, StagingIsTheLineOfAWorkerAndBin) {
  const std::uint64_t short_lines = memory_of(run("pagerank", "bins=64,staging=16"), "staging");
  const std::uint64_t long_lines = memory_of(run("pagerank", "bins=64,staging=256"), "staging");
  EXPECT_EQ(long_lines - short_lines, 2U * 64 * (256 - 16) * 8) << "two workers, 8 bytes a record";
}

TEST_F(Binning, WorkersGatherThemselvesWhereBinsRunShort) {
  const EngineReport any = run("pagerank", "bins=64,staging=16,bin-space=41K");
  EXPECT_GT(any.counts.at("bins_short"), 0U);
  EXPECT_EQ(run("pagerank", "bins=64").counts.at("bins_short"), 0U);
}

TEST_F(Binning, RatioIsTheShareOfWorkersThatScatter) {
  const auto scatterers = [&](const std::string& parameters) {
    EngineOptions options = binning_options(parameters);
    options.threads = 6;
    return run_binning(layout_, "wcc", options).counts.at("scatterers");
  };
  EXPECT_EQ(scatterers("roles=fixed"), 4U);
  EXPECT_EQ(scatterers("roles=fixed,ratio=0.5"), 3U);
  EXPECT_EQ(scatterers("roles=fixed,ratio=0"), 1U) << "somebody must";
  EXPECT_EQ(scatterers("roles=fixed,ratio=1"), 5U);
  EXPECT_EQ(scatterers("roles=any"), 6U);
}

TEST_F(Binning, CombiningMakesOneRecordOfMany) {
  const Layout by_degree(toy_.layout(LayoutChoices{.number = "degree", .pack = "csr"}));
  const EngineReport on = run_binning(by_degree, "pagerank", binning_options());
  const EngineReport off = run_binning(by_degree, "pagerank", binning_options("combine=off"));
  EXPECT_EQ(off.counts.at("records"), off.edges_processed);
  EXPECT_EQ(on.edges_processed, off.edges_processed);
  EXPECT_GT(on.counts.at("messages_combined"), 0U);
  EXPECT_LT(on.counts.at("records"), off.counts.at("records"));

  const ToyContainer spoked(star(2500), true);
  const Layout spokes(spoked.layout(LayoutChoices{.number = "degree", .pack = "csr"}));
  const EngineReport hubs = run_binning(spokes, "pagerank", binning_options());
  EXPECT_LT(hubs.counts.at("records"), hubs.edges_processed * 6 / 10) << "one for the hub";
}

// The second round in which everything is active, and those after it, write messages alone.
TEST_F(Binning, KeptTargetsAreNotWrittenAgain) {
  constexpr std::uint64_t kRounds = 10;
  const std::uint64_t edges = layout_.facts().edges;
  for (const std::string roles : {"any", "fixed"}) {
    const std::string small = "bins=16,bin-space=400K,staging=16,roles=" + roles;
    const EngineReport written = run("pagerank", small);
    EXPECT_EQ(written.counts.at("record_bytes"), kRounds * edges * 8);
    EXPECT_EQ(written.counts.at("records_kept"), 0U);
    const EngineReport kept = run("pagerank", small + ",ids=kept");
    EXPECT_EQ(kept.counts.at("records"), kRounds * edges);
    EXPECT_EQ(kept.counts.at("records_kept"), (kRounds - 1) * edges);
    EXPECT_EQ(kept.counts.at("record_bytes"), edges * 8 + (kRounds - 1) * edges * 4);
    EXPECT_GT(memory_of(kept, "kept_ids"), edges * 4);
  }
}

TEST_F(Binning, AsManyTargetsAreKeptAsThereIsRoomFor) {
  const std::uint64_t space = layout_.facts().edges * 2;
  EngineOptions options = binning_options(fmt::format("bins=16,ids=kept,ids-space={}", space));
  options.max_request_bytes = 4096;
  const EngineReport some = run_binning(layout_, "pagerank", options);
  EXPECT_LE(memory_of(some, "kept_ids"), space);
  EXPECT_GT(some.counts.at("records_kept"), some.counts.at("records") / 5);
  EXPECT_LT(some.counts.at("records_kept"), some.counts.at("records") / 2);
}

TEST_F(Binning, KeptTargetsChangeNoAnswer) {
  const std::string digest = [&] {
    const auto engine = find_engine("binning").make(layout_, binning_options());
    const Workload& wcc = find_workload("wcc");
    return wcc.run(*engine, toy_parameters(wcc))().digest();
  }();
  Container container(toy_.folder());
  const Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
  for (const unsigned threads : {1U, 2U, 7U}) {
    for (const std::string space : {"1G", "100K"}) {
      for (const char* name : {"wcc", "pagerank", "spmv", "pagerank-delta"}) {
        EngineOptions options =
            binning_options("ids=kept,bins=16,bin-space=400K,staging=16,ids-space=" + space);
        options.threads = threads;
        const auto engine = find_engine("binning").make(layout_, options);
        const Workload& workload = find_workload(name);
        const Parameters parameters = toy_parameters(workload);
        const Answer answer = workload.run(*engine, parameters)();
        EXPECT_TRUE(workload.verify(canonical, answer, parameters).passed) << name << space;
        EXPECT_TRUE(workload.name != "wcc" || answer.digest() == digest);
      }
    }
  }
}

// Each record once, in no more than the space, and of the disk what was written there.
TEST_F(Binning, SpillsWhatOutgrowsItsSpace) {
  const std::filesystem::path folder = toy_.folder() / "spilled";
  std::filesystem::create_directory(folder);
  const std::string spill = ",spill=" + folder.string();
  for (const std::string roles : {"any", "fixed"}) {
    const std::string small = "bins=4,staging=16,bin-space=100K,roles=" + roles;
    const EngineReport gathered = run("pagerank", small);
    const EngineReport spilled = run("pagerank", small + spill);
    EXPECT_EQ(gathered.io.written_bytes, 0U);
    EXPECT_EQ(gathered.counts.count("bins_spilled"), 0U);
    EXPECT_GT(spilled.counts.at("bins_spilled"), 0U);
    EXPECT_EQ(spilled.counts.at("bins_early"), 0U) << "a bin is applied once a round";
    EXPECT_EQ(spilled.counts.at("records"), gathered.counts.at("records"));
    const std::uint64_t records = spilled.counts.at("records_spilled");
    EXPECT_GT(records, spilled.counts.at("records") / 2);
    EXPECT_GE(spilled.io.written_bytes, records * 8);
    EXPECT_LE(spilled.io.written_bytes, records * 8 * 5 / 4) << "in whole pages";
    EXPECT_EQ(spilled.io.requested_bytes, gathered.io.requested_bytes + spilled.io.written_bytes);
    EXPECT_LE(memory_of(spilled, "bins"), 100U << 10);
    const EngineReport large = run("pagerank", fmt::format("bins=4,roles={}{}", roles, spill));
    EXPECT_EQ(large.counts.at("bins_spilled"), 0U) << "nothing fills 64 MB";
    EXPECT_EQ(large.io.written_bytes, 0U);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(Binning, SpillingChangesNoAnswerAndLeavesNoFile) {
  const std::filesystem::path folder = toy_.folder() / "spilled";
  std::filesystem::create_directory(folder);
  Container container(toy_.folder());
  const Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
  for (const auto& [threads, ids] : std::vector<std::pair<unsigned, std::string>>{
           {1, "written"}, {2, "written"}, {2, "kept"}, {7, "written"}}) {
    if (kSanitized && threads != 2) continue;
    std::uint64_t spilled = 0;
    for (const Workload& workload : workloads()) {
      SCOPED_TRACE(testing::Message() << threads << ids << workload.name);
      EngineOptions options = binning_options(
          fmt::format("bins=4,staging=16,bin-space=230K,ids={},spill={}", ids, folder.string()));
      options.threads = threads;
      const auto engine = find_engine("binning").make(layout_, options);
      EXPECT_TRUE(std::filesystem::is_empty(folder)) << "a run that dies now leaves nothing";
      if (!can_run(engine->traits(), layout_, workload)) continue;
      const Parameters parameters = toy_parameters(workload);
      const Answer answer = workload.run(*engine, parameters)();
      EXPECT_TRUE(workload.verify(canonical, answer, parameters).passed);
      spilled += engine->report().counts.at("records_spilled");
    }
    EXPECT_GT(spilled, 0U);
  }
}

TEST_F(Binning, MergingMakesFewerRequestsForTheSameBytes) {
  for (const std::string roles : {"any", "fixed"}) {
    EngineOptions options = binning_options("roles=" + roles);
    options.max_request_bytes = 16 << 10;
    const EngineReport published = run_binning(layout_, "pagerank", options);
    options.max_request_bytes = 4096;
    const EngineReport single = run_binning(layout_, "pagerank", options);
    EXPECT_EQ(published.io.requested_bytes, single.io.requested_bytes);
    EXPECT_EQ(single.io.requests * 4096, single.io.requested_bytes);
    EXPECT_LT(published.io.requests * 3, single.io.requests);
  }
}

TEST_F(Binning, DepthIsTheNumberOfRequestsInFlight) {
  for (const std::string roles : {"any", "fixed"}) {
    EngineOptions options = binning_options("roles=" + roles);
    options.depth = 4;
    options.max_request_bytes = 4096;
    EXPECT_EQ(
        most_in_flight(options,
                       [&](const EngineOptions& watched) { run_binning(layout_, "bfs", watched); }),
        4);
  }
}

TEST_F(Binning, SmallFramesMakeSmallRequests) {
  EngineOptions options = binning_options();
  options.frames_bytes = 8 * 4096;
  const EngineReport report = run_binning(layout_, "pagerank", options);
  EXPECT_EQ(report.io.requests * 4096, report.io.requested_bytes);
}

TEST_F(Binning, ThreadsHaveLinesOfTheirOwn) {
  EngineOptions options = binning_options("bins=16");
  options.threads = 1;
  const std::uint64_t one = memory_of(run_binning(layout_, "pagerank", options), "staging");
  options.threads = 4;
  EXPECT_EQ(memory_of(run_binning(layout_, "pagerank", options), "staging"), 4 * one);
}

TEST_F(Binning, LayoutsOfFewerBytesAreReadAsSuch) {
  const Layout svb(toy_.layout(LayoutChoices{.number = "degree", .pack = "csr", .codec = "svb"}));
  const EngineReport coded = run_binning(svb, "pagerank", binning_options());
  const EngineReport raw = run("pagerank");
  EXPECT_LT(coded.io.requested_bytes * 3, raw.io.requested_bytes * 2);
  EXPECT_EQ(coded.edges_processed, raw.edges_processed);
}

TEST_F(Binning, TellsWhatShareOfThePagesWasUsed) {
  const EngineReport report = run("bfs");
  bool some_are_less_used = false;
  for (const RoundReport& round : report.rounds) {
    if (round.requested_bytes == 0) continue;
    EXPECT_GT(round.own.at("io_use"), 0);
    EXPECT_LE(round.own.at("io_use"), 1);
    some_are_less_used |= round.own.at("io_use") < 0.5;
  }
  EXPECT_TRUE(some_are_less_used);
  EXPECT_GT(report.stages.at("scatter"), 0);
  EXPECT_GT(report.stages.at("gather"), 0);
  EXPECT_GE(report.stages.at("waiting"), 0);
}

}  // namespace
}  // namespace outcore
