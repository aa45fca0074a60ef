// SPDX-License-Identifier: Apache-2.0
#include "engines/binning/spill.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "common/error.h"
#include "common/files.h"

namespace outcore {

namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kSpillBlock = kAlignment;

// Every buffer that is written is full, and holds the fewest records where messages are largest.
std::uint64_t most_slots(const BinSizes& sizes, std::uint64_t records) {
  constexpr std::size_t kLargestRecord = sizeof(VertexId) + kLargestMessage;
  const std::uint64_t fewest = sizes.buffer_bytes / (sizes.line() * kLargestRecord) * sizes.line();
  return records / fewest + 1;
}

// An empty file of that size, which takes no block of the disk yet. A file of this name can only be
// what a process of the same number left behind.
fs::path make_file(const fs::path& folder, std::uint64_t bytes) {
  static std::atomic<unsigned> made{0};
  if (!fs::is_directory(folder)) {
    throw usage_error(fmt::format(
        "spill={}: that is not a folder; name one on a disk, or spill=off", folder.string()));
  }
  const fs::path path = folder / fmt::format(".outcore-spill-{}-{}", ::getpid(), ++made);
  fs::remove(path);
  const File file = File::create_new(path);
  if (::ftruncate(file.fd(), static_cast<off_t>(bytes)) != 0) {
    const int error = errno;
    fs::remove(path);
    throw io_error(Place::file(path), fmt::format("cannot be made {} bytes long", bytes), error);
  }
  return path;
}

Door open_nameless_door(const fs::path& path, std::uint64_t blocks, const std::string& backend,
                        const BackendOptions& options) {
  struct Unlink {
    const fs::path& path;
    ~Unlink() {
      std::error_code ignored;
      fs::remove(path, ignored);
    }
  } unlink{path};
  const BlockFile file = {.path = path,
                          .block_bytes = kSpillBlock,
                          .sums = std::vector<std::uint32_t>(blocks),
                          .writable = true,
                          .advice = "the disk does not keep what is written to it: name another"};
  return Door({file}, backend, options);
}

std::uint64_t blocks_of(const BinSizes& sizes, std::uint64_t records) {
  return most_slots(sizes, records) * (sizes.buffer_bytes / kSpillBlock);
}

// Of a buffer, as far as it is used.
std::uint32_t used_blocks(const BinBuffer& buffer, const BinSpace& space) {
  const std::size_t bytes = space.target_bytes(buffer.runs == nullptr) +
                            std::size_t{buffer.count} * space.message_bytes();
  return static_cast<std::uint32_t>((bytes + kSpillBlock - 1) / kSpillBlock);
}

}  // namespace

Spill::Spill(const fs::path& folder, const BinSizes& sizes, std::uint64_t records,
             const std::string& backend, const BackendOptions& options)
    : sizes_(sizes),
      door_(open_nameless_door(make_file(folder, blocks_of(sizes, records) * kSpillBlock),
                               blocks_of(sizes, records), backend, options)),
      bins_(sizes.bins) {
  if (door_.backend().traits().contents) return;
  throw usage_error(
      fmt::format("spill={} with backend {}, which keeps nothing: choose another, or "
                  "spill=off",
                  folder.string(), door_.backend().name()));
}

BlockId Spill::take_room(std::size_t buffers) {
  return next_slot_.fetch_add(buffers, std::memory_order_relaxed) *
         (sizes_.buffer_bytes / kSpillBlock);
}

void Spill::add(std::size_t bin, std::vector<Written>&& written) {
  const std::lock_guard lock(mutex_);
  std::vector<Written>& all = bins_[bin];
  all.insert(all.end(), written.begin(), written.end());
}

std::vector<Spill::Written> Spill::take(std::size_t bin) {
  const std::lock_guard lock(mutex_);
  return std::exchange(bins_[bin], {});
}

std::uint64_t Spill::sums_bytes() const {
  return door_.file(0).sums.size() * sizeof(std::uint32_t);
}

SpillPort::SpillPort(Spill& spill, std::size_t depth)
    : spill_(spill),
      depth_(depth),
      memory_(numa::allocate(memory_bytes())),
      channel_(std::make_unique<DoorChannel>(
          spill.door(), std::span(memory_.get(), static_cast<std::size_t>(memory_bytes())))),
      tags_(depth) {}

// The thread that has requests in flight must wait for them: closing the channel does so.
void SpillPort::write(const FullBin& full, const BinSpace& space) {
  try {
    write_all(full, space);
  } catch (...) {
    channel_.reset();
    throw;
  }
}

void SpillPort::write_all(const FullBin& full, const BinSpace& space) {
  std::vector<Spill::Written> written;
  for (const BinBuffer* buffer = full.buffers; buffer != nullptr; buffer = buffer->next) {
    written.push_back({.buffer = *buffer});
  }
  const std::size_t blocks = spill_.sizes().buffer_bytes / kSpillBlock;
  BlockId block = spill_.take_room(written.size());
  for (Spill::Written& to : written) {
    to.block = std::exchange(block, block + blocks);
    while (!channel_->write(0, to.block, used_blocks(to.buffer, space), to.buffer.data, 0)) reap(1);
  }
  channel_->flush();
  while (channel_->in_flight() > 0) reap(1);
  spill_.add(full.bin, std::move(written));
}

void SpillPort::read(std::size_t bin, const BinSpace& space,
                     const std::function<void(const BinBuffer&)>& drain) {
  const std::vector<Spill::Written> written = spill_.take(bin);
  if (written.empty()) return;
  try {
    read_all(written, space, drain);
  } catch (...) {
    channel_.reset();
    throw;
  }
}

// As many at once as may be in flight; each is applied as it arrives.
void SpillPort::read_all(const std::vector<Spill::Written>& written, const BinSpace& space,
                         const std::function<void(const BinBuffer&)>& drain) {
  std::vector<BinBuffer> coming(depth_);  // by slot of the memory
  std::size_t next = 0;
  const auto ask = [&](std::size_t slot) {
    const Spill::Written& from = written[next++];
    coming[slot] = from.buffer;
    coming[slot].data = memory(slot);
    channel_->read(0, from.block, used_blocks(from.buffer, space), memory(slot), slot);
  };
  while (next < std::min(depth_, written.size())) ask(next);
  channel_->flush();
  while (channel_->in_flight() > 0) {
    const std::size_t arrived = reap(1);
    for (std::size_t i = 0; i < arrived; ++i) {
      const std::size_t slot = tags_[i];
      drain(coming[slot]);
      if (next < written.size()) ask(slot);
    }
    channel_->flush();
  }
}

}  // namespace outcore
