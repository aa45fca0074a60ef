// SPDX-License-Identifier: Apache-2.0
#include "storage/io/door.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "common/error.h"
#include "common/files.h"
#include "common/hash.h"

namespace outcore {

void IoCounters::add(const IoCounters& other) {
  requests += other.requests;
  requested_bytes += other.requested_bytes;
  touched_bytes += other.touched_bytes;
  for (std::size_t i = 0; i < size_histogram.size(); ++i) {
    size_histogram[i] += other.size_histogram[i];
  }
}

nlohmann::json IoCounters::json() const {
  nlohmann::json sizes = nlohmann::json::object();
  for (std::size_t i = 0; i < size_histogram.size(); ++i) {
    if (size_histogram[i] > 0) sizes[std::to_string(std::uint64_t{4096} << i)] = size_histogram[i];
  }
  return {{"requests", requests},
          {"requested_bytes", requested_bytes},
          {"touched_bytes", touched_bytes},
          {"requests_by_size", sizes}};
}

DoorChannel::DoorChannel(Door& door, std::span<std::byte> buffers)
    : door_(door),
      channel_(door.backend_->open_channel(buffers)),
      runs_(door.options().depth),
      free_runs_(door.options().depth),
      arrivals_(door.options().depth) {
  std::iota(free_runs_.rbegin(), free_runs_.rend(), 0U);
}

DoorChannel::~DoorChannel() {
  channel_.reset();
  const std::lock_guard lock(door_.mutex_);
  door_.counters_.add(counters_);
}

bool DoorChannel::read(std::uint32_t file, BlockId first, std::uint32_t blocks, std::byte* into,
                       std::uint64_t tag) {
  const BlockFile& from = door_.file(file);
  const std::uint64_t bytes = std::uint64_t{blocks} * from.block_bytes;
  if (blocks == 0 || first >= from.blocks() || blocks > from.blocks() - first ||
      bytes > std::numeric_limits<std::uint32_t>::max()) {
    throw bad_input(Place::file(from.path),
                    fmt::format("a reference to {} blocks from block {}", blocks, first),
                    fmt::format("a run within its {} blocks", from.blocks()),
                    "build the layout again");
  }
  if (free_runs_.empty()) return false;
  const std::uint32_t slot = free_runs_.back();
  const Submit answer = channel_->submit({.file = file,
                                          .bytes = static_cast<std::uint32_t>(bytes),
                                          .offset = first * from.block_bytes,
                                          .into = into,
                                          .tag = slot});
  if (answer == Submit::busy) return false;
  free_runs_.pop_back();
  runs_[slot] = {file, blocks, first, into, tag};
  if (answer == Submit::completed) completed_.push_back(slot);
  ++counters_.requests;
  counters_.requested_bytes += bytes;
  const auto size_class = static_cast<std::size_t>(std::bit_width(bytes / 4096) - 1);
  ++counters_.size_histogram[std::min(size_class, counters_.size_histogram.size() - 1)];
  return true;
}

void DoorChannel::flush() { channel_->flush(); }

std::size_t DoorChannel::reap(std::span<std::uint64_t> tags, std::size_t at_least) {
  std::size_t count = 0;
  for (; count < tags.size() && !completed_.empty(); completed_.pop_back()) {
    tags[count++] = take_checked(completed_.back());
  }
  const std::size_t room = std::min(tags.size() - count, arrivals_.size());
  const std::size_t arrived =
      channel_->reap(std::span(arrivals_).first(room), at_least - std::min(at_least, count));
  for (std::size_t i = 0; i < arrived; ++i) {
    tags[count++] = take_checked(static_cast<std::uint32_t>(arrivals_[i].tag));
  }
  return count;
}

std::size_t DoorChannel::in_flight() const { return channel_->in_flight() + completed_.size(); }

std::uint64_t DoorChannel::take_checked(std::uint32_t slot) {
  const Run& run = runs_[slot];
  const BlockFile& file = door_.file(run.file);
  for (std::uint32_t i = 0; door_.checks_sums() && i < run.blocks; ++i) {
    const BlockId block = run.first + i;
    const std::uint32_t found =
        checksum32({run.bytes + std::size_t{i} * file.block_bytes, file.block_bytes});
    if (found != file.sums[block]) {
      throw io_error(Place::offset(file.path, block * file.block_bytes),
                     fmt::format("block {} is damaged: found checksum {:08x}, expected {:08x}; "
                                 "build the layout again",
                                 block, found, file.sums[block]),
                     0);
    }
  }
  free_runs_.push_back(slot);
  return run.tag;
}

Door::Door(std::vector<BlockFile> files, const std::string& backend, const BackendOptions& options)
    : files_(std::move(files)),
      options_(options),
      backend_(make_backend(backend, options)),
      checks_sums_(backend_->traits().contents) {
  for (const BlockFile& file : files_) {
    if (file.block_bytes == 0 || file.block_bytes % kAlignment != 0) {
      throw usage_error(
          fmt::format("{}: blocks of {} bytes cannot be read directly; block sizes "
                      "are multiples of {}",
                      file.path.string(), file.block_bytes, kAlignment));
    }
    const std::uint64_t expected = file.blocks() * file.block_bytes;
    const std::uint64_t found = File::open_read(file.path).size();
    if (found < expected) {
      throw bad_input(
          Place::offset(file.path, found), fmt::format("a file of {} bytes", found),
          fmt::format("{} ({} blocks of {})", expected, file.blocks(), file.block_bytes),
          "it was cut: build the layout again");
    }
    backend_->add_file(file.path);
  }
}

Door::~Door() = default;

IoCounters Door::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

}  // namespace outcore
