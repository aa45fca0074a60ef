// SPDX-License-Identifier: Apache-2.0
// What the chunk-based engine makes of damaged files and of a system that refuses what it asks for.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>
#include <fstream>
#include <thread>

#include "common/error.h"
#include "common/files.h"
#include "common/refused_calls_for_tests.h"
#include "engines/chunk_mmap/chunk_store.h"
#include "engines/chunk_mmap/runs_for_tests.h"
#include "storage/io/device_model.h"
#include "storage/io/guarded_mapping.h"
#include "tests/toy_container.h"

namespace outcore {
namespace {

using ::testing::HasSubstr;

TEST(ChunkFaults, DamagedBlocksAreFoundHoweverTheyComeIntoMemory) {
  const ToyContainer toy(small_kronecker(12, 16, 1), true);
  const Layout layout(toy.layout("csr"));
  const std::filesystem::path blocks = layout.block_files()[0].path;
  {
    // A neighbour's lowest bit: still an id.
    std::fstream file(blocks, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(40 * kBlock);
    const auto byte = static_cast<char>(file.get() ^ 1);
    file.seekp(40 * kBlock);
    file.put(byte);
  }
  for (const char* settings : {"residency=advised", "residency=own", "residency=kernel"}) {
    SCOPED_TRACE(settings);
    try {
      run(layout, "pagerank", settings);
      ADD_FAILURE() << "went unnoticed";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::io);
      EXPECT_THAT(error.what(), HasSubstr("block 40 is damaged"));
    }
  }
  EXPECT_GT(run(layout, "pagerank", "residency=kernel,check=off").edges_processed, 0U);
}

TEST(ChunkFaults, AFileThatIsCutWhileItIsMappedEndsTheRun) {
  const ToyContainer toy(small_kronecker(12, 16, 1), true);
  const Layout layout(toy.layout("csr"));
  const std::uint64_t bytes = layout.block_files()[0].blocks() * kBlock;
  for (const char* residency : {"advised", "own", "kernel"}) {
    SCOPED_TRACE(residency);
    EngineOptions options;
    options.frames_bytes = 64 * kBlock;  // several batches: each worker has one under way
    options.settings = engine_settings(fmt::format("chunk_mmap:residency={}", residency));
    const auto engine = find_engine("chunk_mmap").make(layout, options);
    std::filesystem::resize_file(layout.block_files()[0].path, 8 * kBlock);
    const Workload& pagerank = find_workload("pagerank");
    try {
      pagerank.run(*engine, Parameters("pagerank", pagerank.parameters, {}));
      ADD_FAILURE() << "went unnoticed";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::io);
      EXPECT_THAT(error.what(), HasSubstr("cut"));
    }
    std::filesystem::resize_file(layout.block_files()[0].path, bytes);
  }
}

TEST(ChunkFaults, ADamagedBlockThatATaskWantsIsFound) {
  const ToyContainer toy(path(2000), true);
  const Layout layout(toy.layout("csr"));
  const std::filesystem::path blocks = layout.block_files()[0].path;
  {
    std::fstream file(blocks, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(kBlock);
    const auto byte = static_cast<char>(file.get() ^ 1);
    file.seekp(kBlock);
    file.put(byte);
  }
  for (const char* settings : {"residency=advised", "residency=own", "residency=kernel"}) {
    SCOPED_TRACE(settings);
    try {
      run(layout, "dfs", settings, {}, {"source=0"});
      ADD_FAILURE() << "went unnoticed";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("block 1 is damaged"));
    }
  }
}

TEST(ChunkFaults, ModelsAndFaultPlansAreForReadsNotForPageFaults) {
  const ToyContainer toy(path(100), true);
  const Layout layout(toy.layout("csr"));
  const auto refusal = [&](const std::string& settings, const EngineOptions& options) {
    try {
      run(layout, "bfs", settings, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return std::string(error.what());
    }
    return std::string();
  };
  EngineOptions modelled;
  modelled.device = std::make_shared<ModelledDevice>(DeviceModel{}, 1, real_clock());
  EngineOptions faulty;
  faulty.backend = "fault";
  faulty.fault_plan = "eio@0";
  for (const char* settings : {"residency=advised", "residency=kernel"}) {
    EXPECT_THAT(refusal(settings, modelled), HasSubstr("cannot delay page faults"));
    EXPECT_THAT(refusal(settings, faulty), HasSubstr("backend fault maps none"));
  }
}

// As little more address space as bytes, for as long as it lives.
class AddressSpace {
 public:
  explicit AddressSpace(std::uint64_t bytes) {
    ::getrlimit(RLIMIT_AS, &before_);
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit now = {pages * kBlock + bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_AS, &now);
  }
  ~AddressSpace() { ::setrlimit(RLIMIT_AS, &before_); }
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

 private:
  rlimit before_ = {};
};

TEST(ChunkFaults, ARefusedReservationNamesWhatRefusesIt) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("outcore-sparse-{}", ::getpid());
  constexpr std::uint64_t kGiga = std::uint64_t{1} << 30;
  std::ofstream(path).put(0);
  std::filesystem::resize_file(path, kGiga);
  const auto refusal = [&](const std::function<void()>& f) {
    const AddressSpace little(std::uint64_t{64} << 20);
    try {
      f();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const Door door({BlockFile{.path = path, .sums = {}, .unchecked = kGiga / kBlock}}, "threads",
                  {});
  EXPECT_THAT(refusal([&] { const ReservedFiles files(door, 1); }),
              HasSubstr("1.0 GiB of address space"));
  const std::string mapped = refusal([&] { const GuardedMapping file(path, MapAdvice::random); });
  EXPECT_THAT(mapped, HasSubstr("cannot map 1.0 GiB"));
  EXPECT_THAT(mapped, HasSubstr("`ulimit -v` and vm.max_map_count"));
  std::filesystem::remove(path);
}

// What a run on a thread of its own reports, which does without the calls that `refusal` takes.
std::optional<EngineReport> run_without(const std::function<bool()>& refusal, const Layout& layout,
                                        const std::string& settings) {
  std::optional<EngineReport> report;
  std::jthread([&] {
    if (refusal()) report = run(layout, "pagerank", settings);
  }).join();
  return report;
}

// Before Linux 5.14 there is no MADV_POPULATE_READ, and containers often have no io_uring.
TEST(ChunkFaults, AKernelThatCannotPopulateFaults) {
  const ToyContainer toy(small_kronecker(12, 16, 1), true);
  const Layout layout(toy.layout("csr"));
  constexpr unsigned kPopulateRead = 22;
  const auto report = run_without(
      [] {
        return refuse(__NR_io_uring_setup, ENOSYS) &&
               refuse(__NR_madvise, EINVAL, Argument{2, kPopulateRead});
      },
      layout, "residency=advised");
  if (!report) GTEST_SKIP() << "no seccomp here";
  EXPECT_THAT(report->notes,
              ::testing::Contains(HasSubstr("MADV_POPULATE_READ refused (Invalid argument)")));
  const EngineReport usual = run(layout, "pagerank", "residency=advised");
  EXPECT_EQ(report->edges_processed, usual.edges_processed);
  EXPECT_EQ(report->io.requested_bytes, usual.io.requested_bytes);
}

TEST(ChunkFaults, WhereHugePagesAreRefusedSmallOnesServe) {
  const ToyContainer toy(star(40001), true);
  LayoutChoices choices = layout_preset("chunkgraph");
  set_pack(choices, "chunks:levels=2");
  const Layout layout(toy.layout(choices));
  if (::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0) GTEST_SKIP() << "they cannot be refused here";
  const EngineReport without = run(layout, "pagerank", "window=1");
  ::prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
  const EngineReport with = run(layout, "pagerank", "window=1");
  EXPECT_GT(memory(without, "super"), 40000 * sizeof(VertexId));
  EXPECT_EQ(memory(without, "super"), memory(with, "super"));
  EXPECT_EQ(without.edges_processed, with.edges_processed);
}

}  // namespace
}  // namespace outcore
