// SPDX-License-Identifier: Apache-2.0
#include "engines/chunk_mmap/chunk_store.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>

#include "common/error.h"
#include "common/sizes.h"
#include "storage/layout/codec.h"

namespace outcore {

namespace {

class MappedStore final : public ChunkStore {
 public:
  MappedStore(DoorView& view, std::size_t files) : view_(view) {
    for (std::uint32_t file = 0; file < files; ++file) {
      bases_.push_back({view.bytes_of(file, false).data(), view.bytes_of(file, true).data()});
    }
  }

  [[nodiscard]] const std::byte* base(std::uint32_t file, bool window) const override {
    return bases_[file][window ? 1 : 0];
  }
  [[nodiscard]] bool has_windows() const override { return true; }
  void start(std::span<const DoorRun> runs) override { view_.start(runs); }
  void finish() override { view_.finish(); }
  void abandon() override {}  // the kernel goes on by itself, and harms nobody
  void release(std::span<const DoorRun> runs) override { view_.release(runs); }
  void holes(std::uint64_t bytes) override { view_.holes(bytes); }
  [[nodiscard]] std::uint64_t absent(const DoorRun& run) const override {
    const std::uint64_t bytes = view_.bytes(run).size();
    return bytes - std::min(bytes, view_.resident_bytes(run));
  }
  void check(const DoorRun& run) override { view_.check(run); }

 private:
  DoorView& view_;
  std::vector<std::array<const std::byte*, 2>> bases_;
};

class OwnStore final : public ChunkStore {
 public:
  OwnStore(Door& door, const ReservedFiles& files, std::uint32_t request_bytes)
      : files_(files),
        request_bytes_(request_bytes),
        block_bytes_(door.file(0).block_bytes),
        channel_(std::make_unique<DoorChannel>(door, std::span<std::byte>{})) {}

  [[nodiscard]] const std::byte* base(std::uint32_t file, bool /*window*/) const override {
    return files_.base(file);
  }
  [[nodiscard]] bool has_windows() const override { return false; }

  void start(std::span<const DoorRun> runs) override {
    left_.push_back(0);
    for (const DoorRun& run : runs) {
      const auto most =
          static_cast<std::uint32_t>(std::max<std::size_t>(1, request_bytes_ / block_bytes_));
      for (std::uint32_t done = 0; done < run.blocks; done += most) {
        ask(run.file, run.first + done, std::min(most, run.blocks - done));
      }
    }
    channel_->flush();
  }

  void finish() override {
    while (left_.front() > 0) reap();
    left_.pop_front();
    ++oldest_;
  }

  void abandon() override {
    if (!left_.empty()) channel_.reset();
  }

  void release(std::span<const DoorRun> runs) override {
    for (const DoorRun& run : runs) {
      ::madvise(place(run.file, run.first), std::size_t{run.blocks} * block_bytes_, MADV_DONTNEED);
    }
  }

  void holes(std::uint64_t bytes) override { channel_->holes(bytes); }
  // Nothing is touched that was not brought.
  [[nodiscard]] std::uint64_t absent(const DoorRun& /*run*/) const override { return 0; }
  void check(const DoorRun& /*run*/) override {}

 private:
  [[nodiscard]] std::byte* place(std::uint32_t file, BlockId block) const {
    return files_.base(file) + block * block_bytes_;
  }
  void ask(std::uint32_t file, BlockId first, std::uint32_t blocks) {
    const std::uint64_t batch = oldest_ + left_.size() - 1;
    while (!channel_->read(file, first, blocks, place(file, first), batch)) reap();
    ++left_.back();
  }
  void reap() {
    std::array<std::uint64_t, 64> tags;
    const std::size_t count = channel_->reap(tags, 1);
    for (std::size_t i = 0; i < count; ++i) --left_[tags[i] - oldest_];
  }

  const ReservedFiles& files_;
  std::uint32_t request_bytes_;
  std::size_t block_bytes_;
  std::unique_ptr<DoorChannel> channel_;
  std::uint64_t oldest_ = 0;      // number of the oldest batch under way
  std::deque<std::size_t> left_;  // requests that are out, of each batch from the oldest
};

}  // namespace

void append_chunk(const ChunkTable& table, std::uint32_t file, ChunkId chunk, bool window,
                  std::vector<DoorRun>& runs) {
  const BlockRun blocks = table.blocks(chunk);
  if (!runs.empty() && runs.back().first + runs.back().blocks == blocks.first &&
      runs.back().window == window) {
    runs.back().blocks += blocks.blocks;
  } else {
    runs.push_back({file, blocks.first, blocks.blocks, window});
  }
}

void check_once(ChunkStore& store, Bitmap& checked, const DoorRun& run) {
  for (BlockId block = run.first; block < run.first + run.blocks; ++block) {
    if (checked.get(block)) continue;
    store.check({run.file, block, 1});
    checked.set(block);
  }
}

const std::byte* padded(std::span<const std::byte> blocks, std::vector<std::byte>& copy) {
  copy.resize(blocks.size() + kReadAhead);
  std::copy(blocks.begin(), blocks.end(), copy.begin());
  return copy.data();
}

std::unique_ptr<ChunkStore> mapped_store(DoorView& view, std::size_t files) {
  return std::make_unique<MappedStore>(view, files);
}

std::unique_ptr<ChunkStore> own_store(Door& door, const ReservedFiles& files,
                                      std::uint32_t request_bytes) {
  return std::make_unique<OwnStore>(door, files, request_bytes);
}

ReservedFiles::ReservedFiles(const Door& door, std::size_t files) {
  for (std::uint32_t file = 0; file < files; ++file) {
    // Decoders read a little past the last block.
    const std::uint64_t bytes = door.file(file).blocks() * door.file(file).block_bytes + kReadAhead;
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      throw Error(
          ExitCode::memory,
          fmt::format("{} of address space for {} are refused ({}): see `ulimit -v` and "
                      "vm.overcommit_memory, or use residency=advised",
                      human_size(bytes), door.file(file).path.string(), std::strerror(errno)));
    }
    files_.emplace_back(static_cast<std::byte*>(memory), bytes);
  }
}

ReservedFiles::~ReservedFiles() {
  for (const std::span<std::byte> file : files_) ::munmap(file.data(), file.size());
}

}  // namespace outcore
