// SPDX-License-Identifier: Apache-2.0
#include "storage/io/kernel_counters.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <span>

#include "common/error.h"
#include "storage/io/door.h"
#include "storage/io/patterned_file.h"

namespace outcore {
namespace {

constexpr std::uint64_t kBytes = 1 << 20;

// Pages of a file system in memory cannot be dropped, and no device counts its reads.
bool on_a_device(const std::filesystem::path& path) {
  struct statfs status {};
  return statfs(path.c_str(), &status) == 0 && status.f_type != TMPFS_MAGIC;
}

TEST(PageResidency, FollowsReadingAndEviction) {
  const PatternedFile file(kBytes);
  EXPECT_EQ(page_residency({file.path()}), 1.0) << "just written";
  if (!on_a_device(file.path())) GTEST_SKIP();
  evict_pages({file.path()});
  EXPECT_EQ(page_residency({file.path()}), 0.0);
  std::vector<std::byte> all(kBytes);
  File::open_read(file.path()).read(all, 0);
  EXPECT_EQ(page_residency({file.path()}), 1.0);
}

TEST(PageResidency, IsTheShareOverAllFilesAndZeroOfNothing) {
  const PatternedFile cold(kBytes);
  if (!on_a_device(cold.path())) GTEST_SKIP();
  evict_pages({cold.path()});
  const PatternedFile warm(3 * kBytes);
  const PatternedFile empty(0);
  EXPECT_EQ(page_residency({cold.path(), warm.path(), empty.path()}), 0.75);
  EXPECT_EQ(page_residency({}), 0.0);
}

TEST(PageResidency, CanBeAskedOfARange) {
  const PatternedFile pages(64 * 4096);
  if (!on_a_device(pages.path())) GTEST_SKIP();
  evict_pages({pages.path()});
  const File file = File::open_read(pages.path());
  ::posix_fadvise(file.fd(), 0, 0, POSIX_FADV_RANDOM);
  std::vector<std::byte> read(3 * 4096);
  file.read(read, 5 * 4096);
  EXPECT_EQ(resident_bytes(file, 0, 64 * 4096), 3U * 4096);
  EXPECT_EQ(resident_bytes(file, 0, 5 * 4096), 0U);
  EXPECT_EQ(resident_bytes(file, 6 * 4096, 20 * 4096), 2U * 4096);
}

TEST(PageResidency, AMissingFileIsNamed) {
  EXPECT_THROW(page_residency({"/nowhere/out.blocks"}), Error);
  EXPECT_THROW(evict_pages({"/nowhere/out.blocks"}), Error);
}

TEST(KernelCounters, AgreeWithTheDoorForDirectReads) {
  const PatternedFile file(kBytes);
  evict_pages({file.path()});
  if (!on_a_device(file.path()) || !KernelCounters().since_start().available) GTEST_SKIP();
  Door door({file.block_file(4096)}, "uring", {});
  AlignedBuffer buffer(kBytes);
  const KernelCounters kernel;
  {
    DoorChannel channel(door, buffer.all());
    std::array<std::uint64_t, 1> tag{};
    ASSERT_TRUE(channel.read(0, 0, kBytes / 4096, buffer.at(0), 0));
    channel.reap(tag, 1);
  }
  // The file system may read a few blocks of its own metadata.
  EXPECT_GE(kernel.since_start().read_bytes, door.counters().requested_bytes);
  EXPECT_LE(kernel.since_start().read_bytes, door.counters().requested_bytes + 64 * 4096);
}

TEST(KernelCounters, AgreeWithTheDoorForDirectWrites) {
  const PatternedFile file(kBytes);
  evict_pages({file.path()});
  if (!on_a_device(file.path()) || !KernelCounters().since_start().available) GTEST_SKIP();
  BlockFile blocks = file.block_file(4096);
  blocks.writable = true;
  Door door({blocks}, "uring", {});
  AlignedBuffer buffer(kBytes);
  const KernelCounters kernel;
  {
    DoorChannel channel(door, buffer.all());
    std::array<std::uint64_t, 1> tag{};
    ASSERT_TRUE(channel.write(0, 0, kBytes / 4096, buffer.at(0), 0));
    channel.reap(tag, 1);
  }
  EXPECT_GE(kernel.since_start().written_bytes, door.counters().written_bytes);
  EXPECT_LE(kernel.since_start().written_bytes, door.counters().written_bytes + 64 * 4096);
}

// Mapped here, because the allocator might return memory that an earlier test used; and in small
// pages, because each of them faults.
TEST(KernelCounters, CountTheFaultsOfFreshMemory) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  constexpr std::size_t kPages = 1000;
  void* mapped =
      ::mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  ::madvise(mapped, kPages * page, MADV_NOHUGEPAGE);  // refused if there are no huge pages
  const std::span<volatile char> fresh(static_cast<volatile char*>(mapped), kPages * page);
  const KernelCounters kernel;
  for (std::size_t k = 0; k < kPages; ++k) fresh[k * page] = 1;
  EXPECT_GE(kernel.since_start().minor_faults, kPages);
  ::munmap(mapped, kPages * page);
}

}  // namespace
}  // namespace outcore
