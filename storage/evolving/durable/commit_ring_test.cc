// SPDX-License-Identifier: Apache-2.0
// Groups of the log through io_uring, and without it.
#include "storage/evolving/durable/commit_ring.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "common/refused_calls_for_tests.h"
#include "storage/evolving/durable/log_page.h"
#include "storage/evolving/durable/real_disk.h"

namespace outcore::evolving {
namespace {

namespace fs = std::filesystem;

class CommitRings : public ::testing::Test {
 protected:
  CommitRings() : folder_(fs::path(::testing::TempDir()) / "commit_ring_test") {
    fs::remove_all(folder_);
    RealDisk::make(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::vector<LogPage> written() const {
    std::vector<LogPage> pages(fs::file_size(folder_ / "log") / sizeof(LogPage));
    RealDisk(folder_)
        .open("log", Access::read, false)
        ->read(std::as_writable_bytes(std::span(pages)), 0);
    return pages;
  }

  fs::path folder_;
};

std::vector<LogPage> numbered_pages(std::uint64_t count) {
  std::vector<LogPage> pages(count);
  for (std::uint64_t i = 0; i < count; ++i) pages[i].number = i + 1;
  return pages;
}

std::span<const std::byte> bytes_of(std::span<const LogPage> pages) { return std::as_bytes(pages); }

// The end of the log, and its beginning.
std::vector<DiskPiece> round_the_end(std::span<const LogPage> pages) {
  return {{bytes_of(pages.first(1)), 3 * sizeof(LogPage)}, {bytes_of(pages.subspan(1)), 0}};
}

TEST_F(CommitRings, WriteAllPiecesAndSync) {
  const int fd = ::open((folder_ / "log").c_str(), O_RDWR | O_CREAT | O_DIRECT, 0666);
  if (fd < 0 && errno == EINVAL) GTEST_SKIP() << "no O_DIRECT here";
  const auto ring = CommitRing::open();
  if (ring == nullptr) GTEST_SKIP() << "no io_uring here";
  const std::vector<LogPage> pages = numbered_pages(3);
  for (int turn = 0; turn < 100; ++turn) {
    const CommitRing::Outcome outcome = ring->write_and_sync(fd, round_the_end(pages));
    EXPECT_EQ(outcome.writes, (std::vector<int>{4096, 2 * 4096}));
    EXPECT_EQ(outcome.sync, 0);
  }
  ::close(fd);
  const std::vector<LogPage> found = written();
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[3].number, 1U);
  EXPECT_EQ(found[0].number, 2U);
  EXPECT_EQ(found[1].number, 3U);
}

TEST_F(CommitRings, CancelTheSyncWhenAWriteFails) {
  { std::ofstream(folder_ / "log"); }
  const int fd = ::open((folder_ / "log").c_str(), O_RDONLY);
  const auto ring = CommitRing::open();
  if (ring == nullptr) GTEST_SKIP() << "no io_uring here";
  const std::vector<LogPage> pages = numbered_pages(2);
  const CommitRing::Outcome outcome = ring->write_and_sync(fd, round_the_end(pages));
  EXPECT_EQ(outcome.writes, (std::vector<int>{-EBADF, -ECANCELED}));
  EXPECT_EQ(outcome.sync, -ECANCELED);
  ::close(fd);
}

// The disk's file is the same with it and without.
TEST_F(CommitRings, AreNotNeeded) {
  for (const bool refused : {false, true}) {
    fs::remove(folder_ / "log");
    bool is_refused = true;
    std::jthread([&] {
      if (refused) is_refused = refuse(__NR_io_uring_setup, ENOSYS);
      RealDisk disk(folder_);
      disk.create("log", 4 * sizeof(LogPage))->sync();
      const std::vector<LogPage> pages = numbered_pages(3);
      const auto file = disk.open("log", Access::write, true);
      file->write_and_sync(round_the_end(pages));
    }).join();
    if (!is_refused) GTEST_SKIP() << "no seccomp here";
    const std::vector<LogPage> found = written();
    EXPECT_EQ(found[3].number, 1U);
    EXPECT_EQ(found[1].number, 3U);
    EXPECT_EQ(found[2].number, 0U);
  }
}

// A file may only become so large: the first of two pages fits. The rest is asked for again, and
// the answer to that is what counts.
TEST_F(CommitRings, GoOnWhereAWriteWasCutShort) {
  RealDisk disk(folder_);
  disk.create("log", 0);
  const auto file = disk.open("log", Access::write, true);
  const std::vector<LogPage> pages = numbered_pages(2);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit little{.rlim_cur = sizeof(LogPage), .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &little);
  const std::array<DiskPiece, 1> piece = {DiskPiece{bytes_of(pages), 0}};
  EXPECT_THROW(file->write_and_sync(piece), DiskFull);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(written().size(), 1U);
  file->write_and_sync(piece);
  EXPECT_EQ(written().size(), 2U);
}

}  // namespace
}  // namespace outcore::evolving
