// SPDX-License-Identifier: Apache-2.0
// What makes the chunk-based engine ChunkGraph's model: which chunks a round touches, in which
// order, what is in memory meanwhile, and how its knobs move counters.
#include "engines/chunk_mmap/chunk_mmap.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <fstream>
#include <map>
#include <tuple>
#include <utility>

#include "common/error.h"
#include "common/files.h"
#include "engines/chunk_mmap/runs_for_tests.h"
#include "storage/io/kernel_counters.h"
#include "storage/trace/trace.h"
#include "tests/toy_container.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

using ::testing::HasSubstr;

class ChunkMmap : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { toy_ = new ToyContainer(small_kronecker(14, 16, 1), true); }
  static void TearDownTestSuite() { delete toy_; }

  static EngineOptions with_frames(std::uint64_t bytes) {
    EngineOptions options;
    options.frames_bytes = bytes;
    return options;
  }
  static LayoutChoices chunks(const std::string& pack) {
    LayoutChoices choices = layout_preset("chunkgraph");
    set_pack(choices, pack);
    return choices;
  }

  static inline ToyContainer* toy_ = nullptr;
  const Layout csr_{toy_->layout("csr")};
  const Layout chunks_{toy_->layout(layout_preset("chunkgraph"))};
};

// --- Residency ---

TEST_F(ChunkMmap, EachResidencyHasItsOwnWayToTheBytes) {
  const EngineReport advised = run(csr_, "pagerank", "residency=advised");
  const EngineReport own = run(csr_, "pagerank", "residency=own");
  const EngineReport kernel = run(csr_, "pagerank", "residency=kernel");
  const std::uint64_t file = csr_.block_files()[0].blocks() * kBlock;
  EXPECT_EQ(advised.backend, "mmap");
  EXPECT_EQ(advised.io.requested_bytes, file) << "all fits, and is read once";
  EXPECT_EQ(own.io.requested_bytes, file);
  EXPECT_NE(own.backend, "mmap");
  EXPECT_EQ(kernel.io.requests, 0U) << "pages come as they are touched";
  EXPECT_EQ(memory(advised, "chunks"), file);
  EXPECT_EQ(memory(kernel, "chunks"), 0U);
}

// Asking by faults waits for the device at each, asking before they are used at none or few.
TEST_F(ChunkMmap, RoundsTellOfTheirFaults) {
  const auto major_faults = [&](const std::string& settings) {
    evict_pages({csr_.block_files()[0].path});
    double sum = 0;
    for (const RoundReport& round : run(csr_, "bfs", settings).rounds) {
      sum += round.own.at("major_faults");
    }
    return sum;
  };
  evict_pages({csr_.block_files()[0].path});
  if (page_residency({csr_.block_files()[0].path}) > 0) GTEST_SKIP() << "pages cannot be dropped";
  EXPECT_GT(major_faults("residency=kernel,advice=random"), 10);
  EXPECT_LT(major_faults("residency=advised"), 10);
}

TEST_F(ChunkMmap, OwnIsTheResidencyWhereNothingIsMapped) {
  EngineOptions options;
  options.backend = "threads";
  EXPECT_EQ(run(csr_, "bfs", "", options).backend, "threads");
}

TEST_F(ChunkMmap, RefusesResidenciesThatTheBackendCannotGive) {
  const auto refusal = [&](const std::string& settings, const std::string& backend) {
    EngineOptions options;
    options.backend = backend;
    try {
      run(csr_, "bfs", settings, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal("residency=own", "mmap"), HasSubstr("copies out of the page cache"));
  EXPECT_THAT(refusal("residency=advised", "uring"), HasSubstr("backend uring maps none"));
  EXPECT_THAT(refusal("residency=kernel", "mem"), HasSubstr("use residency=own"));
}

// Two batches are under way beside what stays.
TEST_F(ChunkMmap, WhatIsInMemoryKeepsWithinTheFrames) {
  for (const char* residency : {"advised", "own"}) {
    for (const std::uint64_t frames : {16 * kBlock, 64 * kBlock, 256 * kBlock}) {
      const EngineReport report =
          run(csr_, "wcc", fmt::format("residency={}", residency), with_frames(frames));
      EXPECT_LE(memory(report, "chunks"), frames + 8 * kBlock) << residency << " " << frames;
      EXPECT_GT(count(report, "chunks_evicted"), 0U);
    }
  }
}

TEST_F(ChunkMmap, SaysThatWhatAnotherMappingHoldsStays) {
  const std::filesystem::path path = csr_.block_files()[0].path;
  const auto notes = [&] { return run(csr_, "wcc", "", with_frames(16 * kBlock)).notes; };
  evict_pages({path});  // as `outcore run` starts
  EXPECT_THAT(notes(), ::testing::Not(::testing::Contains(HasSubstr("given up"))));
  const File file = File::open_read(path);
  const std::size_t bytes = csr_.block_files()[0].blocks() * kBlock;
  void* other = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, file.fd(), 0);
  ASSERT_NE(other, MAP_FAILED);
  EXPECT_THAT(notes(), ::testing::Contains(HasSubstr("another process has the layout mapped")));
  ::munmap(other, bytes);
}

// A cyclic scan: recency has nothing left of what comes round again.
TEST_F(ChunkMmap, APrefixStaysFromOneDenseRoundToTheNext) {
  const std::uint64_t file = csr_.block_files()[0].blocks() * kBlock;
  EngineOptions half = with_frames(file / 2);
  half.threads = 1;  // two may each read the block where their shares meet
  const EngineReport prefix = run(csr_, "pagerank", "evict=prefix,batch=1", half);
  const EngineReport fifo = run(csr_, "pagerank", "evict=fifo,batch=1", half);
  const std::uint64_t rounds = prefix.rounds.size();
  EXPECT_EQ(prefix.rounds.front().requested_bytes, file);
  EXPECT_LT(prefix.rounds.back().requested_bytes, file);
  EXPECT_EQ(prefix.rounds.back().requested_bytes, prefix.rounds[1].requested_bytes);
  EXPECT_GT(fifo.io.requested_bytes, prefix.io.requested_bytes);
  EXPECT_LE(fifo.io.requested_bytes, rounds * file);
}

TEST_F(ChunkMmap, ReadsLessTheMoreItIsGiven) {
  const std::uint64_t file = csr_.block_files()[0].blocks() * kBlock;
  std::uint64_t before = ~std::uint64_t{0};
  for (const std::uint64_t part : {8, 4, 2, 1}) {
    const EngineReport report = run(csr_, "pagerank", "batch=1", with_frames(file / part));
    EXPECT_LT(report.io.requested_bytes, before) << "1/" << part;
    before = report.io.requested_bytes;
  }
}

// Rounds want less and less: what is kept of the first ones is in the way.
TEST_F(ChunkMmap, KnowingWhatARoundWantsSparesReads) {
  const std::uint64_t file = csr_.block_files()[0].blocks() * kBlock;
  EngineOptions half = with_frames(file / 2);
  half.threads = 1;
  EXPECT_LT(run(csr_, "mis", "evict=known,batch=1", half).io.requested_bytes,
            run(csr_, "mis", "evict=prefix,batch=1", half).io.requested_bytes);
}

TEST_F(ChunkMmap, EachEvictionChoosesOthers) {
  EngineOptions alone = with_frames(96 * kBlock);
  alone.threads = 1;  // what two threads make of one rule differs from run to run
  std::map<std::string, std::uint64_t> bytes;
  for (const std::string& name : eviction_names()) {
    bytes[name] = run(chunks_, "mis", "evict=" + name + ",access=id", alone).io.requested_bytes;
  }
  EXPECT_NE(bytes["fifo"], bytes["prefix"]);
  EXPECT_NE(bytes["fifo"], bytes["random"]);
  EXPECT_NE(bytes["fifo"], bytes["coldest"]);
  EXPECT_NE(bytes["colder"], bytes["colder-decay"]);
}

TEST_F(ChunkMmap, LevelsShareTheFramesByTheirBytes) {
  const EngineOptions few = with_frames(64 * kBlock);
  const EngineReport size = run(chunks_, "pagerank", "share=size", few);
  const EngineReport one = run(chunks_, "pagerank", "share=one", few);
  EXPECT_NE(count(size, "resident_level0_bytes"), count(one, "resident_level0_bytes"));
}

// The sum of a count's columns by level.
std::uint64_t levels_of(const EngineReport& report, const std::string& prefix,
                        const std::string& suffix = "") {
  std::uint64_t sum = count(report, prefix + "super" + suffix);
  for (int level = 0; level < 4; ++level) {
    sum += count(report, fmt::format("{}level{}{}", prefix, level, suffix));
  }
  return sum;
}

TEST_F(ChunkMmap, WhatBecomesOfChunksIsToldByLevel) {
  const EngineReport report = run(chunks_, "wcc", "", with_frames(96 * kBlock));
  EXPECT_GT(count(report, "touched_level1"), 0U);
  EXPECT_GT(count(report, "refetched_level0"), 0U);
  EXPECT_GT(count(report, "evicted_level0"), 0U);
  for (const char* what : {"touched", "populated", "refetched", "evicted", "faulted"}) {
    EXPECT_EQ(levels_of(report, fmt::format("{}_", what)),
              count(report, fmt::format("chunks_{}", what)))
        << what;
  }
  EXPECT_EQ(count(report, "chunks_faulted"), 0U) << "all was asked for";
}

TEST_F(ChunkMmap, FaultsAreToldByLevel) {
  const std::filesystem::path path = chunks_.block_files()[0].path;
  evict_pages({path});
  if (page_residency({path}) > 0) GTEST_SKIP() << "pages cannot be dropped";
  const EngineReport cold = run(chunks_, "pagerank", "residency=kernel,advice=random");
  EXPECT_GT(count(cold, "faulted_level0"), 0U);
  EXPECT_GT(count(cold, "faulted_level1"), 0U);
  EXPECT_LE(count(cold, "faulted_level0"), count(cold, "touched_level0"));
  EXPECT_LT(count(run(chunks_, "pagerank", "residency=kernel"), "chunks_faulted"),
            count(cold, "chunks_faulted"))
      << "what was touched is in the page cache";
}

TEST_F(ChunkMmap, WhatIsInMemoryNowIsWhatThePageCacheHolds) {
  const BlockFile& file = chunks_.block_files()[0];
  evict_pages({file.path});
  if (page_residency({file.path}) > 0) GTEST_SKIP() << "pages cannot be dropped";
  for (const char* residency : {"advised", "kernel"}) {
    for (const std::uint64_t frames : {std::uint64_t{96} * kBlock, std::uint64_t{1} << 30}) {
      const auto both = [&] {
        evict_pages({file.path});
        const EngineReport report =
            run(chunks_, "wcc", fmt::format("residency={}", residency), with_frames(frames));
        const double held = page_residency({file.path}) * static_cast<double>(file.blocks());
        return std::pair(report, static_cast<std::uint64_t>(std::llround(held)) * kBlock);
      };
      auto [report, held] = both();
      if (std::string(residency) == "kernel") {  // read-ahead brings what lies between levels, too
        EXPECT_GT(levels_of(report, "resident_now_", "_bytes"), 0U);
        EXPECT_LE(levels_of(report, "resident_now_", "_bytes"), held);
        continue;
      }
      // A page that was asked for last may come between the engine's look and ours.
      for (int more = 0; more < 8 && levels_of(report, "resident_now_", "_bytes") != held; ++more)
        std::tie(report, held) = both();
      EXPECT_EQ(levels_of(report, "resident_now_", "_bytes"), held) << frames;
      EXPECT_EQ(report.rounds.back().own.at("resident_bytes"), static_cast<double>(held));
      EXPECT_LE(held, levels_of(report, "resident_", "_bytes"));
    }
  }
}

TEST_F(ChunkMmap, SmallerBatchesAreMore) {
  const EngineOptions some = with_frames(std::uint64_t{1} << 20);
  EngineOptions fewer = some;
  fewer.frames_bytes = 32 * kBlock;
  EXPECT_GT(count(run(csr_, "pagerank", "", fewer), "batches"),
            count(run(csr_, "pagerank", "", some), "batches"));
}

// --- Windows ---

class ChunkWindows : public ::testing::Test {
 protected:
  static EngineOptions alone() {
    EngineOptions options;
    options.threads = 1;  // one batch holds the neighbours of a window
    return options;
  }
  ToyContainer toy_{small_kronecker(16, 16, 1), true};
  Layout layout_{toy_.layout("csr")};
};

TEST_F(ChunkWindows, ComeWholeWhereMuchOfThemIsWanted) {
  ASSERT_GT(layout_.block_files()[0].blocks() * kBlock, 2 * kWindowBytes);
  const EngineReport never = run(layout_, "pagerank", "window=101", alone());
  const EngineReport some = run(layout_, "pagerank", "window=40", alone());
  EXPECT_EQ(count(never, "windows"), 0U);
  EXPECT_GT(count(some, "windows"), 0U);
  EXPECT_EQ(never.io.requested_bytes, some.io.requested_bytes) << "all is wanted either way";
}

TEST_F(ChunkWindows, BringWhatIsAbsentOfThemAsHoles) {
  EngineOptions any = alone();
  any.most_holes = 1000;
  const EngineReport never = run(layout_, "bfs", "window=101,switch=1", any);
  const EngineReport always = run(layout_, "bfs", "window=1,switch=1", any);
  EXPECT_EQ(never.io.hole_bytes, 0U);
  EXPECT_EQ(count(never, "untouched_bytes"), 0U);
  EXPECT_GT(always.io.hole_bytes, 0U);
  EXPECT_LE(count(always, "untouched_bytes"), always.io.hole_bytes) << "some is wanted later";
  EXPECT_LE(always.io.requests, never.io.requests);
  const EngineReport some = run(layout_, "bfs", "window=1,switch=1", alone());
  EXPECT_LE(16 * some.io.hole_bytes, some.io.requested_bytes - some.io.hole_bytes);
}

// --- Rounds ---

TEST_F(ChunkMmap, TheSwitchIsLigras) {
  const EngineReport usual = run(csr_, "bfs", "");
  EXPECT_EQ(count(usual, "dense_rounds"), count(run(csr_, "bfs", "switch=20"), "dense_rounds"));
  EXPECT_GT(count(usual, "dense_rounds"), 0U);
  EXPECT_LT(count(usual, "dense_rounds"), usual.rounds.size()) << "a search begins sparse";
  EXPECT_EQ(count(run(csr_, "bfs", "switch=1"), "dense_rounds"), 0U);
}

// Ligra's rule pulls, all lists of the core, where few edges have to be told, and the lists of
// those that leave it stand together.
TEST_F(ChunkMmap, BytesDecideTheDirectionThatReadsLess) {
  const Layout by_degree(toy_->layout(LayoutChoices{.place = "degree", .pack = "csr"}));
  const auto bytes = [&](const std::string& by) {
    return run(by_degree, "kcore", "switch=" + by, {}, {"k=10"}).io.requested_bytes;
  };
  EXPECT_LT(2 * bytes("bytes"), bytes("20"));
}

struct Traced {
  std::vector<std::uint32_t> units;  // of the first round that reads, as one worker touches them
  std::string digest;
};
Traced traced(const Layout& layout, const std::filesystem::path& path,
              const std::string& settings) {
  TraceHeader header;
  header.workers = 1;
  header.file_units = {layout.block_files()[0].blocks()};
  TraceWriter writer(path, header);
  EngineOptions options;
  options.threads = 1;
  options.trace = &writer;
  options.settings = engine_settings("chunk_mmap:" + settings);
  const auto engine = find_engine("chunk_mmap").make(layout, options);
  const Workload& pagerank = find_workload("pagerank");
  Traced result;
  result.digest =
      pagerank.run(*engine, Parameters("pagerank", pagerank.parameters, {"iterations=1"}))()
          .digest();
  writer.close();
  TraceReader reader(path);
  TraceReader::Event event;
  while (reader.next(event)) {
    if (event.kind == TraceReader::Event::Kind::run) result.units.push_back(event.run.first);
  }
  return result;
}

TEST_F(ChunkMmap, DenseRoundsGoThroughChunksInTheOrderOfTheFile) {
  const std::filesystem::path path = toy_->folder() / "trace.oct";
  const Traced chunks = traced(chunks_, path, "access=chunks");
  const Traced ids = traced(chunks_, path, "access=id");
  ASSERT_GT(chunks.units.size(), 100U);
  EXPECT_TRUE(std::is_sorted(chunks.units.begin(), chunks.units.end()));
  EXPECT_FALSE(std::is_sorted(ids.units.begin(), ids.units.end()));
  EXPECT_EQ(chunks.digest, ids.digest);
}

TEST_F(ChunkMmap, VerticesWithALevelAreNotPulledAgain) {
  const EngineReport report = run(csr_, "bfs", "", with_frames(16 * kBlock));
  std::vector<std::uint64_t> dense;
  for (const RoundReport& round : report.rounds) {
    if (round.pull) dense.push_back(round.blocks);
  }
  ASSERT_GE(dense.size(), 2U);
  EXPECT_LT(dense[1], dense[0]);
}

// --- Classes of vertices ---

TEST(ChunkClasses, ListsOfMiniVerticesTouchNoChunk) {
  const ToyContainer toy(path(500), true);
  const Layout layout(toy.layout(layout_preset("chunkgraph")));
  const EngineReport report = run(layout, "bfs", "");
  EXPECT_EQ(count(report, "chunks_touched"), 0U);
  EXPECT_EQ(report.io.requests, 0U);
  EXPECT_GT(report.edges_processed, 0U);
}

class SuperLists : public ::testing::Test {
 protected:
  static constexpr VertexId kLeaves = 40000;
  SuperLists() {
    LayoutChoices choices = layout_preset("chunkgraph");
    set_pack(choices, "chunks:levels=2");  // up to 7168 neighbours
    layout_.emplace(toy_.layout(choices));
  }
  static constexpr std::uint64_t kListBytes = kLeaves * sizeof(VertexId);
  ToyContainer toy_{star(kLeaves + 1), true};
  std::optional<Layout> layout_;
};

TEST_F(SuperLists, AreReadOnceAndStay) {
  const EngineReport report = run(*layout_, "pagerank", "");
  EXPECT_GE(report.io.requested_bytes, kListBytes);
  EXPECT_LT(report.io.requested_bytes, kListBytes + 2 * kBlock);
  EXPECT_GE(memory(report, "super"), kListBytes);
  EXPECT_EQ(count(report, "populated_super"), 0U);
}

TEST_F(SuperLists, GoPageByPageWhereTheFramesAreTooFew) {
  EngineOptions options;
  options.frames_bytes = kListBytes / 4;
  for (const char* residency : {"advised", "own"}) {
    const EngineReport report =
        run(*layout_, "pagerank", fmt::format("residency={}", residency), options);
    EXPECT_EQ(memory(report, "super"), 0U);
    EXPECT_GT(count(report, "populated_super"), kListBytes / kBlock) << "in each round again";
    EXPECT_LE(memory(report, "chunks"), options.frames_bytes + 4 * kBlock);
  }
}

// A star's hub hears from its first neighbour: the rest of its list is not asked for.
TEST_F(SuperLists, EndWhereTheVertexHasHeardEnough) {
  EngineOptions options;
  options.frames_bytes = 8 * kBlock;
  const EngineReport report =
      run(*layout_, "bfs", "residency=own,switch=1000000", options, {"source=7"});
  EXPECT_LT(report.io.requested_bytes, kListBytes / 2);
}

TEST_F(ChunkMmap, ChunksCutNoList) {
  EXPECT_GT(count(run(csr_, "bfs", ""), "cut_accesses"), 0U);
  const Layout naive(toy_->layout(chunks("chunks:tail=0,interleave=0")));
  EXPECT_EQ(count(run(naive, "bfs", ""), "cut_accesses"), 0U);
}

TEST_F(ChunkMmap, ListsInTheIndexSpareChunks) {
  const Layout inlined(toy_->layout(LayoutChoices{.pack = "csr", .inline_edges = 2}));
  EXPECT_LT(run(inlined, "bfs", "").io.touched_bytes, run(csr_, "bfs", "").io.touched_bytes);
}

}  // namespace
}  // namespace outcore
