// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/real_disk.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <utility>

#include "common/sync_folder.h"
#include "storage/evolving/durable/commit_ring.h"

namespace outcore::evolving {

namespace fs = std::filesystem;

namespace {

constexpr const char* kLock = "lock";

// Throws DiskFull or Error (io) for errno.
[[noreturn]] void throw_errno(const Place& place, const std::string& what) {
  const int number = errno;
  const Error error = io_error(place, what, number);
  // EFBIG: beyond what the shell lets a file have.
  if (number == ENOSPC || number == EDQUOT || number == EFBIG) throw DiskFull(error.what());
  throw error;
}

class RealFile final : public DiskFile {
 public:
  // `direct`: past the page cache.
  RealFile(int fd, fs::path path, bool direct, std::shared_ptr<RequestGauge> requests)
      : fd_(fd), path_(std::move(path)), direct_(direct), requests_(std::move(requests)) {}
  ~RealFile() override { ::close(fd_); }
  RealFile(const RealFile&) = delete;
  RealFile& operator=(const RealFile&) = delete;

  [[nodiscard]] std::uint64_t size() const override {
    struct stat status {};
    if (::fstat(fd_, &status) != 0) throw_errno(Place::file(path_), "cannot stat");
    return static_cast<std::uint64_t>(status.st_size);
  }

  void read(std::span<std::byte> into, std::uint64_t offset) const override {
    while (!into.empty()) {
      const ssize_t got = ::pread(fd_, into.data(), into.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw_errno(Place::offset(path_, offset), "cannot read");
      if (got == 0) {
        throw bad_input(Place::offset(path_, offset), "the end of the file",
                        fmt::format("{} bytes more", into.size()), "was it cut?");
      }
      into = into.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
  }

  void write(std::span<const std::byte> bytes, std::uint64_t offset) override {
    const DiskPiece piece{bytes, offset};
    count(1);
    while (!bytes.empty()) {
      const ssize_t put = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) throw_errno(Place::offset(path_, offset), "cannot write");
      bytes = bytes.subspan(static_cast<std::size_t>(put));
      offset += static_cast<std::uint64_t>(put);
    }
    if (!direct_ && piece.bytes.size() >= kLeastHandedOn) hand_on(piece);
  }

  void write_and_sync(std::span<const DiskPiece> pieces) override {
    if (direct_ && ring_ == nullptr) ring_ = CommitRing::open();
    if (ring_ == nullptr) return DiskFile::write_and_sync(pieces);
    count(pieces.size() + 1);
    const CommitRing::Outcome outcome = ring_->write_and_sync(fd_, pieces);
    bool whole = true;
    for (std::size_t i = 0; i < pieces.size(); ++i) whole &= finish(pieces[i], outcome.writes[i]);
    // What was written by hand is not covered by the ring's sync.
    if (!whole) return sync();
    if (outcome.sync < 0) throw io_error(Place::file(path_), "cannot sync", -outcome.sync);
  }

  void sync() override {
    count(1);
    // Never DiskFull: which writes are lost is unknown, whatever the reason is.
    if (::fdatasync(fd_) != 0) throw io_error(Place::file(path_), "cannot sync", errno);
  }

  // Writes zeros, so that later writes change no metadata that a sync would have to keep too.
  void allocate(std::uint64_t bytes) {
    if (const int error = ::posix_fallocate(fd_, 0, static_cast<off_t>(bytes)); error != 0) {
      errno = error;
      throw_errno(Place::file(path_), "cannot make room");
    }
    const std::vector<std::byte> zeros(std::min<std::uint64_t>(bytes, 1 << 20));
    for (std::uint64_t at = 0; at < bytes; at += zeros.size()) {
      write(std::span(zeros).first(std::min<std::uint64_t>(zeros.size(), bytes - at)), at);
    }
  }

 private:
  static constexpr std::size_t kLeastHandedOn = 1 << 20;

  // Relaxed: the number is only displayed.
  void count(std::uint64_t requests) {
    requests_->writes.fetch_add(requests, std::memory_order_relaxed);
  }

  // Writes what a ring has left of a piece. Was nothing left?
  bool finish(const DiskPiece& piece, int result) {
    const bool again = result == -EINTR || result == -EAGAIN || result == -ECANCELED;
    if (result < 0 && !again) {
      errno = -result;
      throw_errno(Place::offset(path_, piece.offset), "cannot write");
    }
    const auto done = static_cast<std::size_t>(std::max(result, 0));
    if (done == piece.bytes.size()) return true;
    write(piece.bytes.subspan(done), piece.offset + done);
    return false;
  }

  // Lets the device begin with what was written, and waits until it has what was written before. So
  // two pieces of a run at most are on their way. Without this a whole run would lie in the page
  // cache until it is synced, and the log's next sync would stand behind all of it.
  void hand_on(const DiskPiece& piece) {
    constexpr unsigned kAll =
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    const auto range = [&](const Extent& extent, unsigned flags) {
      if (::sync_file_range(fd_, static_cast<off_t>(extent.offset),
                            static_cast<off_t>(extent.bytes), flags) == 0) {
        return;
      }
      // Some file systems do not have it, and what is asked here is no more than a hint. An error
      // of the device is told once, so it counts.
      if (errno == EIO || errno == ENOSPC)
        throw io_error(Place::file(path_), "cannot write", errno);
    };
    range({piece.offset, piece.bytes.size()}, SYNC_FILE_RANGE_WRITE);
    if (under_way_.bytes > 0) range(under_way_, kAll);
    under_way_ = {piece.offset, piece.bytes.size()};
  }

  struct Extent {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };

  int fd_;
  fs::path path_;
  bool direct_;
  std::shared_ptr<RequestGauge> requests_;
  Extent under_way_;                  // that was handed on last
  std::unique_ptr<CommitRing> ring_;  // of a direct file whose first group was written
};

// Held while the descriptor is open: the kernel lets go when the process ends, however it does.
class FileLock final : public DiskLock {
 public:
  explicit FileLock(int fd) : fd_(fd) {}
  ~FileLock() override { ::close(fd_); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int fd_;
};

}  // namespace

void RealDisk::make(const fs::path& folder) {
  const fs::path absolute = fs::absolute(folder).lexically_normal();
  if (::mkdir(absolute.c_str(), 0777) != 0 && errno != EEXIST) {
    throw_errno(Place::file(absolute), "cannot create the folder");
  }
  outcore::sync_folder(absolute.parent_path());
}

RealDisk::RealDisk(fs::path folder) : folder_(std::move(folder)) {
  if (!fs::is_directory(folder_)) {
    throw usage_error(fmt::format("{}: no store is there", folder_.string()));
  }
}

bool RealDisk::exists(const std::string& name) const {
  return fs::exists(fs::symlink_status(path(name)));
}

std::vector<std::string> RealDisk::list() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    std::string name = entry.path().lexically_relative(folder_).string();
    if (name != kLock) names.push_back(std::move(name));
  }
  return names;
}

std::unique_ptr<DiskFile> RealDisk::create(const std::string& name, std::uint64_t bytes) {
  const fs::path file = path(name);
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) throw_errno(Place::file(file), "cannot create");
  auto created = std::make_unique<RealFile>(fd, file, false, requests_);
  if (bytes > 0) created->allocate(bytes);
  return created;
}

std::unique_ptr<DiskFile> RealDisk::open(const std::string& name, Access access, bool direct) {
  const fs::path file = path(name);
  const int flags = (access == Access::write ? O_RDWR : O_RDONLY) | O_CLOEXEC;
  int fd = ::open(file.c_str(), flags | (direct ? O_DIRECT : 0));
  // Some file systems have no O_DIRECT; what is synced is as durable there.
  if (fd < 0 && direct && errno == EINVAL) fd = ::open(file.c_str(), flags);
  if (fd < 0 && errno == ENOENT) {
    throw bad_input(Place::file(file), "no such file", "a file of the store", "was it deleted?");
  }
  if (fd < 0) throw_errno(Place::file(file), "cannot open");
  return std::make_unique<RealFile>(fd, file, direct, requests_);
}

void RealDisk::make_folder(const std::string& name) {
  if (::mkdir(path(name).c_str(), 0777) != 0) {
    throw_errno(Place::file(path(name)), "cannot create the folder");
  }
}

void RealDisk::rename(const std::string& from, const std::string& to) {
  if (::rename(path(from).c_str(), path(to).c_str()) != 0) {
    throw_errno(Place::file(path(to)), "cannot rename to it");
  }
}

void RealDisk::remove(const std::string& name) {
  if (std::remove(path(name).c_str()) != 0) throw_errno(Place::file(path(name)), "cannot remove");
}

void RealDisk::sync_folder(const std::string& name) { outcore::sync_folder(path(name)); }

std::unique_ptr<DiskLock> RealDisk::lock() {
  const fs::path file = path(kLock);
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) throw_errno(Place::file(file), "cannot lock the store");
  auto held = std::make_unique<FileLock>(fd);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    std::string holder;
    std::ifstream(file) >> holder;
    throw usage_error(fmt::format("{}: process {} writes to this store; one may at a time",
                                  folder_.string(), holder.empty() ? "?" : holder));
  }
  const std::string holder = fmt::format("{}\n", ::getpid());
  if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, holder.data(), holder.size(), 0) < 0) {
    throw_errno(Place::file(file), "cannot write");
  }
  return held;
}

}  // namespace outcore::evolving
