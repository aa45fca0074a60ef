// SPDX-License-Identifier: Apache-2.0
// The space of bins by itself: what comes out is what went in, in whatever order bins are handed
// over, and buffers go round within the space that there is.
#include "engines/binning/bins.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "common/error.h"
#include "engines/binning/gather.h"
#include "engines/engine.h"
#include "engines/vertex_program.h"
#include "storage/layout/broken_layout.h"
#include "tests/sanitized.h"
#include "tests/toy_container.h"

namespace outcore {
namespace {

Parameters bin_settings(const std::string& parameters) {
  return engine_settings(parameters.empty() ? "binning" : "binning:" + parameters);
}

// Hears numbers, once each.
struct Numbers : VertexProgram<Numbers, std::uint32_t> {
  std::vector<VertexId> heard;  // who heard it, by number
  std::uint64_t doubles = 0;
  Message emit(Source u) { return u.v; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    EXPECT_EQ(A, Access::exclusive);
    doubles += std::exchange(heard.at(m), v) == kNoVertex ? 0 : 1;
    return kQuiet;
  }
};

class Nobody : public Activations {
  void take(std::span<const Entry>) override {}
};

// Several workers put records, in an order by the seed, and somebody gathers, at moments by the
// seed; whoever finds no empty buffer gathers itself. With `spill`, a folder, what would be
// gathered before the end goes to a disk instead. Returns how many records did.
std::uint64_t random_schedule(unsigned seed, const std::string& spill = "off") {
  std::mt19937 generator(seed);
  const auto random = [&] { return static_cast<std::uint32_t>(generator()); };
  const unsigned workers = 1 + random() % 3;
  const VertexId vertices = 1 + random() % 300;
  const std::size_t bins = std::min<std::size_t>(std::bit_floor(vertices), 1U << random() % 5);
  const bool spills = spill != "off";
  const std::size_t least = workers * bins * (spills ? kAlignment : std::size_t{16} * 20);
  const BinSizes sizes =
      BinSizes::of(bin_settings(fmt::format("bins={},staging=16,bin-space={},spill={}", bins,
                                            least + random() % (4 * least), spill)),
                   vertices, workers);
  BinSpace space(sizes);
  constexpr std::uint32_t kMostRecords = 3000;
  std::unique_ptr<Spill> file;
  std::vector<std::unique_ptr<SpillPort>> ports(workers);
  if (spills) file = std::make_unique<Spill>(spill, sizes, kMostRecords, "mem", BackendOptions());
  Numbers numbers;
  Nobody nobody;
  std::vector<WorkerBins> all;
  all.reserve(workers);
  std::vector<Gatherer> gatherers;
  for (unsigned worker = 0; worker < workers; ++worker) {
    all.emplace_back(space);
    if (spills) ports[worker] = std::make_unique<SpillPort>(*file, 1 + random() % 5);
    gatherers.emplace_back(numbers, space, nobody, ports[worker].get());
  }
  for (int round = 0; round < 2; ++round) {
    space.start(sizeof(std::uint32_t), workers);
    for (unsigned worker = 0; worker < workers; ++worker) all[worker].start(&gatherers[worker]);
    if (spills) file->start_round();
    const std::uint32_t records = random() % kMostRecords;
    std::vector<VertexId> said(records);
    numbers.heard.assign(records, kNoVertex);
    for (std::uint32_t record = 0; record < records; ++record) {
      const VertexId v = random() % vertices;
      WorkerBins& bin_lines = all[random() % workers];
      said[record] = v;
      if (bin_lines.lines().put(v, record)) bin_lines.take(v);
      if (random() % 64 == 0) gatherers[random() % workers].gather_there();
    }
    for (unsigned worker = 0; worker < workers; ++worker) space.scattered();
    gatherers[0].gather_all();
    gatherers[0].gather_rest(0, bins, all);
    EXPECT_EQ(numbers.heard, said) << "seed " << seed;
    EXPECT_EQ(numbers.doubles, 0U) << "seed " << seed;
    EXPECT_LE(space.used_bytes(), sizes.space());
  }
  std::uint64_t spilled = 0;
  for (const Gatherer& gatherer : gatherers) spilled += gatherer.counts().records_spilled;
  return spilled;
}

TEST(BinSpace, DrainsEveryRecordOnceInWhateverOrderBinsAreHandedOver) {
  const unsigned seeds = kThreadSanitized ? 1'000 : 10'000;
  for (unsigned seed = 0; seed < seeds; ++seed) EXPECT_EQ(random_schedule(seed), 0U);
}

TEST(BinSpace, DrainsEveryRecordOnceFromADiskToo) {
  const ToyContainer toy(path(3), true);
  const std::filesystem::path folder = toy.folder() / "spilled";
  std::filesystem::create_directory(folder);
  std::uint64_t spilled = 0;
  for (unsigned seed = 0; seed < 1'000; ++seed) spilled += random_schedule(seed, folder.string());
  EXPECT_GT(spilled, 100'000U);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

struct Sum : VertexProgram<Sum, std::uint32_t> {
  explicit Sum(std::atomic<std::uint64_t>& to) : total(to) {}
  std::atomic<std::uint64_t>& total;
  Message emit(Source u) { return u.v; }
  template <Access A>
  Priority accept(VertexId, Message m) {
    total += m;
    return kQuiet;
  }
};

// Workers on threads of their own, in as little space as goes: they wait for one another's buffers.
TEST(BinSpace, LeastSpaceIsEnoughForThreads) {
  constexpr unsigned kWorkers = 4;
  constexpr std::uint32_t kRecords = 20000;
  for (const bool fixed : {false, true}) {
    const BinSizes sizes = BinSizes::of(
        bin_settings(fmt::format("bins=8,staging=16,bin-space={}", kWorkers * 8 * 16 * 20)), 64,
        kWorkers);
    BinSpace space(sizes);
    space.start(sizeof(std::uint32_t), fixed ? kWorkers - 1 : kWorkers);
    std::vector<WorkerBins> all;
    for (unsigned worker = 0; worker < kWorkers; ++worker) all.emplace_back(space);
    std::atomic<std::uint64_t> sum{0};
    Sum program(sum);
    Nobody nobody;
    {
      std::vector<std::jthread> threads;
      for (unsigned worker = 0; worker < kWorkers; ++worker) {
        threads.emplace_back([&, worker] {
          Gatherer gatherer(program, space, nobody);
          if (!fixed || worker > 0) {
            all[worker].start(fixed ? nullptr : &gatherer);
            for (std::uint32_t i = 0; i < kRecords; ++i) {
              const VertexId v = (i * 7 + worker) % 64;
              if (all[worker].lines().put(v, i)) all[worker].take(v);
            }
            space.scattered();
          }
          if (!fixed || worker == 0) gatherer.gather_all();
        });
      }
    }
    Gatherer gatherer(program, space, nobody);
    gatherer.gather_rest(0, 8, all);
    const std::uint64_t scatterers = fixed ? kWorkers - 1 : kWorkers;
    EXPECT_EQ(sum, scatterers * (std::uint64_t{kRecords} * (kRecords - 1) / 2));
  }
}

TEST(BinSpace, RecordsTakeTheSizeOfTheirMessages) {
  const BinSizes sizes = BinSizes::of(bin_settings("bins=1,bin-space=1M"), 100, 1);
  BinSpace space(sizes);
  for (const std::size_t bytes : {1U, 4U, 8U, 16U}) {
    space.start(bytes, 0);
    const std::size_t line = 128 * (4 + bytes);
    EXPECT_EQ(space.buffer_records(true), sizes.buffer_bytes / line * 128) << bytes;
  }
  expect_error(ExitCode::usage, "17 bytes", [&] { space.start(17, 0); });
}

TEST(BinSpace, WakesThoseWhoWaitWhenAnotherFails) {
  BinSpace space(BinSizes::of(bin_settings("bins=1,bin-space=1M"), 100, 1));
  space.start(4, 1);
  std::atomic<int> stopped{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        FullBin full;
        try {
          space.wait_full(full);
        } catch (const BinSpace::Stopped&) {
          ++stopped;
        }
      });
    }
    space.stop();
  }
  EXPECT_EQ(stopped, 3);
}

TEST(BinSizes, RefuseWhatCannotBe) {
  const auto refused = [](const std::string& parameters, const std::string& text) {
    expect_error(ExitCode::usage, text,
                 [&] { static_cast<void>(BinSizes::of(bin_settings(parameters), 1000, 2)); });
  };
  refused("bins=0", "bins=0");
  refused("bins=3", "a power of two, such as 4");
  refused("bins=1024", "there are 1000 vertices; give 512 or fewer");
  refused("staging=100", "such as 128");
  refused("staging=8", "staging");
  refused("bins=512,bin-space=1M", "give bin-space=2621440 or more");
  refused("bins=512,bin-space=2621440,spill=/",
          "whole pages that spill writes; give bin-space=4194304");
  EXPECT_NO_THROW(
      static_cast<void>(BinSizes::of(bin_settings("bins=512,bin-space=2621440"), 1000, 2)));
}

TEST(BinSizes, LeftOpenFitTheGraphAndTheSpace) {
  const auto bins = [](const std::string& parameters, VertexId vertices, unsigned workers) {
    return BinSizes::of(bin_settings(parameters), vertices, workers).bins;
  };
  EXPECT_EQ(bins("", 0, 2), 1U);
  EXPECT_EQ(bins("", 1, 2), 1U);
  EXPECT_EQ(bins("", 1 << 23, 2), 128U);
  EXPECT_EQ(bins("", kNoVertex - 1, 2), 4096U);
  EXPECT_LE(bins("bin-space=1M", 1 << 23, 16), 16U);
}

}  // namespace
}  // namespace outcore
