// SPDX-License-Identifier: Apache-2.0
#include "storage/io/probe/scratch_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "common/error.h"
#include "common/executor.h"
#include "common/files.h"
#include "common/hash.h"
#include "common/machine.h"
#include "common/sizes.h"
#include "common/stopwatch.h"
#include "storage/cache/frame_pool.h"
#include "storage/io/backend.h"

namespace outcore {

namespace {

// /proc/filesystems marks file systems that need no block device. Some of these keep their data on
// one all the same.
bool stands_on_a_device(const std::string& filesystem) {
  if (filesystem == "overlay" || filesystem == "zfs" || filesystem == "btrfs") return true;
  std::ifstream table("/proc/filesystems");
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string first;
    std::string second;
    words >> first >> second;
    if (first == "nodev" && second == filesystem) return false;
  }
  return true;
}

}  // namespace

void randomise(std::span<std::byte> bytes, std::uint64_t seed) {
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
    const std::uint64_t word = mix(mix(seed) + i);
    std::memcpy(bytes.data() + i, &word, sizeof(word));
  }
}

void check_measurable(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) {
    throw usage_error(
        fmt::format("{} is no folder; name one on the device to be measured", folder.string()));
  }
  const std::string filesystem = device_facts(folder).at("filesystem");
  if (!stands_on_a_device(filesystem)) {
    throw usage_error(
        fmt::format("{} lies on {}, which is on no device of this machine; name a folder on "
                    "the disk that holds the graphs",
                    folder.string(), filesystem));
  }
}

ScratchFile::ScratchFile(const std::filesystem::path& folder) : folder_(folder) {
  check_measurable(folder);
  fd_ = open_nameless(folder, /*direct=*/true);
  if (fd_ < 0 && errno == EINVAL) {
    throw Error(ExitCode::io,
                fmt::format("{}: {} refuses O_DIRECT, so its device cannot be measured past "
                            "the page cache",
                            folder.string(), device_facts(folder).at("filesystem")));
  }
  if (fd_ < 0) throw io_error(Place::file(folder), "cannot create a scratch file", errno);
}

ScratchFile::~ScratchFile() {
  if (fd_ >= 0) ::close(fd_);
}

std::filesystem::path ScratchFile::path() const { return fmt::format("/proc/self/fd/{}", fd_); }

void ScratchFile::write(std::span<const std::byte> bytes, std::uint64_t offset) const {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      throw io_error(Place::offset(folder_ / "(scratch file)", offset),
                     fmt::format("write of {} bytes failed", bytes.size()), count < 0 ? errno : 0);
    }
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void ScratchFile::sync() const {
  if (::fdatasync(fd_) != 0) {
    throw io_error(Place::file(folder_ / "(scratch file)"), "fdatasync failed", errno);
  }
}

ScratchFile::Written ScratchFile::fill(std::uint64_t bytes, double most_seconds) {
  // Reserves the space first, so that only writing is timed. Fails if the disk is full.
  if (const int error = ::posix_fallocate(fd_, 0, static_cast<off_t>(bytes)); error != 0) {
    throw io_error(Place::file(folder_), fmt::format("no room for {}", human_size(bytes)), error);
  }
  FrameArena arena(kWriters, kChunk, 0);
  randomise(arena.memory(), reinterpret_cast<std::uintptr_t>(this) ^ ::getpid());
  std::atomic<std::uint64_t> next{0};
  const Stopwatch watch;
  Executor writers(kWriters);
  writers.run([&](unsigned writer) {
    const std::span<std::byte> chunk = arena.memory().subspan(writer * kChunk, kChunk);
    while (watch.seconds() < most_seconds) {
      // Relaxed: the numbers only need to differ.
      const std::uint64_t number = next.fetch_add(1, std::memory_order_relaxed);
      if (number >= bytes / kChunk) return;
      for (std::uint64_t at = 0; at < kChunk; at += kAlignment) {
        const std::uint64_t mark = mix(number * kChunk + at);
        std::memcpy(chunk.data() + at, &mark, sizeof(mark));
      }
      write(chunk, number * kChunk);
    }
  });
  sync();
  const double seconds = watch.seconds();
  bytes_ = std::min(next.load(), bytes / kChunk) * kChunk;
  if (::ftruncate(fd_, static_cast<off_t>(bytes_)) != 0) {
    throw io_error(Place::file(folder_), "cannot cut the scratch file", errno);
  }
  return {bytes_, seconds};
}

double ScratchFile::sync_one(std::uint64_t number) {
  FrameArena arena(1, kAlignment, 0);
  const std::span<std::byte> block = arena.memory();
  randomise(block, number);
  write(block, number * kAlignment % bytes_);
  const Stopwatch watch;
  sync();
  return watch.seconds();
}

double ScratchFile::commit_one(std::uint64_t number, std::uint32_t bytes) {
  FrameArena arena(1, bytes, 0);
  randomise(arena.memory(), number);
  const std::uint64_t places = bytes_ / bytes;
  const Stopwatch watch;
  write(arena.memory(), number % places * bytes);
  sync();
  return watch.seconds();
}

std::uint64_t scratch_bytes(const std::filesystem::path& folder, std::uint64_t asked,
                            std::uint64_t least) {
  struct statvfs found {};
  if (::statvfs(folder.c_str(), &found) != 0) {
    throw io_error(Place::file(folder), "cannot ask how much is free", errno);
  }
  const std::uint64_t free = found.f_bavail * found.f_frsize;
  const std::uint64_t bytes =
      std::min(asked, free / 10) / ScratchFile::kChunk * ScratchFile::kChunk;
  if (bytes < least) {
    throw Error(ExitCode::io,
                fmt::format("{} has {} free; a tenth of that is too little for a scratch file of "
                            "at least {}",
                            folder.string(), human_size(free), human_size(least)));
  }
  return bytes;
}

}  // namespace outcore
