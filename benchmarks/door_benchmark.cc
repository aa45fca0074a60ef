// SPDX-License-Identifier: Apache-2.0
// What the door costs in addition to the device: blocks per second through a DoorChannel over
// `mem`, with checksums, beside the bare backend and the bare checksum. The sum limits what share
// of a core reading may take: at 130,000 blocks a second, 1 us per block is 13% of one core.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "common/files.h"
#include "common/hash.h"
#include "storage/cache/frame_pool.h"
#include "storage/io/door.h"

namespace outcore {
namespace {

constexpr std::uint32_t kBlock = 4096;
constexpr BlockId kBlocks = 4096;
constexpr unsigned kDepth = 64;

// A block file of hashed words, made once and removed at exit.
class BlockFileOnDisk {
 public:
  BlockFileOnDisk() {
    file_.path = std::filesystem::temp_directory_path() /
                 fmt::format("outcore-door-benchmark-{}", ::getpid());
    std::vector<std::uint64_t> block(kBlock / 8);
    File out = File::create(file_.path);
    for (BlockId number = 0; number < kBlocks; ++number) {
      for (std::size_t i = 0; i < block.size(); ++i) block[i] = mix(number * kBlock + i);
      out.write(std::as_bytes(std::span(block)));
      file_.sums.push_back(checksum32(std::as_bytes(std::span(block))));
    }
  }
  ~BlockFileOnDisk() { std::filesystem::remove(file_.path); }
  BlockFileOnDisk(const BlockFileOnDisk&) = delete;
  BlockFileOnDisk& operator=(const BlockFileOnDisk&) = delete;
  [[nodiscard]] const BlockFile& file() const { return file_; }

 private:
  BlockFile file_;
};

const BlockFile& blocks() {
  static const BlockFileOnDisk kOnDisk;
  return kOnDisk.file();
}

void count(benchmark::State& state, std::uint64_t blocks_read) {
  state.SetItemsProcessed(static_cast<std::int64_t>(blocks_read));
  state.SetBytesProcessed(static_cast<std::int64_t>(blocks_read * kBlock));
}

// Reads runs of range(0) blocks at random places.
void read_through_door(benchmark::State& state) {
  const auto run = static_cast<std::uint32_t>(state.range(0));
  Door door({blocks()}, "mem", {.depth = kDepth});
  FrameArena arena(kDepth, std::size_t{run} * kBlock, 0);
  DoorChannel channel(door, arena.memory());
  std::vector<std::uint64_t> tags(kDepth);
  std::uint64_t number = 0;
  for (auto _ : state) {
    for (unsigned slot = 0; slot < kDepth; ++slot) {
      channel.read(0, mix(number++) % (kBlocks - run + 1), run,
                   arena.memory().data() + slot * arena.slot_bytes(), slot);
    }
    benchmark::DoNotOptimize(channel.reap(tags, kDepth));
  }
  count(state, number * run);
}
BENCHMARK(read_through_door)->Arg(1)->Arg(4)->Arg(16);

void read_bare_backend(benchmark::State& state) {
  const auto backend = make_backend("mem", {.depth = kDepth});
  backend->add_file(blocks().path);
  FrameArena arena(kDepth, kBlock, 0);
  const auto channel = backend->open_channel(arena.memory());
  std::uint64_t number = 0;
  for (auto _ : state) {
    for (unsigned slot = 0; slot < kDepth; ++slot) {
      channel->submit({0, kBlock, mix(number++) % kBlocks * kBlock,
                       arena.memory().data() + slot * kBlock, slot});
    }
    benchmark::ClobberMemory();
  }
  count(state, number);
}
BENCHMARK(read_bare_backend);

void checksum_of_a_block(benchmark::State& state) {
  FrameArena arena(1, kBlock, 0);
  std::uint64_t number = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(checksum32(arena.memory()));
    ++number;
  }
  count(state, number);
}
BENCHMARK(checksum_of_a_block);

}  // namespace
}  // namespace outcore
