// SPDX-License-Identifier: Apache-2.0
// What is specific to `mmap`: what each way of populating reads, and views.
#include "storage/io/mmap_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <thread>

#include "common/error.h"
#include "storage/io/kernel_counters.h"
#include "storage/io/patterned_file.h"
#include "storage/io/populate.h"

namespace outcore {
namespace {

using ::testing::IsEmpty;

constexpr std::uint64_t kPages = 4096;

// For each page of the file, whether it is in memory.
std::vector<bool> resident_pages(const std::filesystem::path& path) {
  const File file = File::open_read(path);
  const std::uint64_t bytes = file.size();
  void* mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.fd(), 0);
  std::vector<unsigned char> states((bytes + 4095) / 4096);
  EXPECT_EQ(::mincore(mapped, bytes, states.data()), 0);
  ::munmap(mapped, bytes);
  std::vector<bool> resident;
  for (const unsigned char state : states) resident.push_back((state & 1U) != 0);
  return resident;
}

class WaysToPopulate : public testing::TestWithParam<std::string> {
 protected:
  // True if the file system drops pages when it is told to, so that reads can be observed.
  static bool evicted(const std::filesystem::path& path) {
    evict_pages({path});
    return page_residency({path}) == 0;
  }
  const PatternedFile file_{kPages * kAlignment};
};

TEST_P(WaysToPopulate, BringWhatIsAskedForAndNothingElse) {
  if (!evicted(file_.path())) GTEST_SKIP() << "pages cannot be dropped here";
  const auto backend =
      make_backend("mmap:populate=" + GetParam() + ",faults=random,reads=random", {});
  backend->add_file(file_.path());
  const auto view = backend->open_view();
  const std::vector<MappedRange> ranges = {{0, 3 * kAlignment, kAlignment},
                                           {0, 512 * kAlignment, 600 * kAlignment},
                                           {0, (kPages - 2) * kAlignment, 2 * kAlignment}};
  view->start(ranges);
  view->finish();
  std::vector<bool> expected(kPages, false);
  for (const MappedRange& range : ranges) {
    if (GetParam() == "none") break;
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(range.offset / kAlignment),
                range.bytes / kAlignment, true);
  }
  EXPECT_EQ(resident_pages(file_.path()), expected);
  for (const MappedRange& range : ranges) {
    EXPECT_TRUE(
        PatternedFile::right(view->bytes(0).subspan(range.offset, range.bytes), range.offset));
    view->check(range);
  }
  EXPECT_THAT(backend->notes(), IsEmpty());
}

TEST_P(WaysToPopulate, FindACutFileOnlyWhenItIsTouched) {
  const auto backend = make_backend("mmap:populate=" + GetParam(), {});
  backend->add_file(file_.path());
  const auto view = backend->open_view();
  file_.cut(8 * kAlignment);
  const MappedRange range = {0, 4 * kAlignment, 8 * kAlignment};
  view->start({&range, 1});
  view->finish();
  EXPECT_THROW(view->check(range), Error);
  view->check({0, 4 * kAlignment, 4 * kAlignment});
}

INSTANTIATE_TEST_SUITE_P(All, WaysToPopulate, testing::ValuesIn(ways_to_populate()),
                         [](const auto& way) {
                           std::string name = way.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// A view of a file with no page in memory; no view if pages cannot be dropped.
class MappedPages : public testing::Test {
 protected:
  void SetUp() override {
    evict_pages({file_.path()});
    if (page_residency({file_.path()}) > 0) GTEST_SKIP() << "pages cannot be dropped here";
    backend_ = make_backend("mmap", {});
    backend_->add_file(file_.path());
    view_ = backend_->open_view();
  }
  static MappedRange pages(std::uint64_t first, std::uint64_t count) {
    return {0, first * kAlignment, count * kAlignment};
  }
  std::byte touch(std::uint64_t page) const {
    return *static_cast<const volatile std::byte*>(view_->bytes(0).data() + page * kAlignment);
  }
  // Number of the file's pages in memory, as the kernel tells a process that maps it.
  std::int64_t resident_in_all() const {
    const std::vector<bool> states = resident_pages(file_.path());
    return std::count(states.begin(), states.end(), true);
  }
  const PatternedFile file_{kPages * kAlignment};
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<MappedView> view_;
};

TEST_F(MappedPages, LeaveMemoryWhenTheyAreReleasedAndComeBackWhenTouched) {
  const MappedRange all = pages(0, kPages);
  EXPECT_EQ(view_->resident(all), 0U);
  const std::vector<MappedRange> ranges = {pages(10, 64), pages(600, 64)};
  view_->start(ranges);
  view_->finish();
  EXPECT_EQ(view_->resident(all), 128 * kAlignment);
  EXPECT_EQ(view_->resident(pages(70, 100)), 4 * kAlignment);
  EXPECT_EQ(resident_in_all(), 128);
  const MappedRange half = pages(10, 32);
  EXPECT_EQ(view_->release({&half, 1}), 32 * kAlignment);
  EXPECT_EQ(view_->resident(pages(10, 64)), 32 * kAlignment);
  EXPECT_EQ(resident_in_all(), 96) << "the others stay";
  EXPECT_EQ(view_->release({&half, 1}), 0U) << "nothing is left of it";
  EXPECT_EQ(view_->release(ranges), 96 * kAlignment);
  EXPECT_EQ(resident_in_all(), 0);
  EXPECT_TRUE(PatternedFile::right(view_->bytes(0).subspan(half.offset, half.bytes), half.offset));
  view_->check(half);
  EXPECT_EQ(view_->resident(half), half.bytes);
}

TEST_F(MappedPages, LeaveMemoryThoughAnotherViewUsedThem) {
  const auto other = backend_->open_view();
  const MappedRange range = pages(3, 5);
  other->start({&range, 1});
  other->finish();
  EXPECT_TRUE(
      PatternedFile::right(other->bytes(0).subspan(range.offset, range.bytes), range.offset));
  EXPECT_EQ(view_->release({&range, 1}), range.bytes);
  EXPECT_EQ(other->resident(range), 0U);
}

TEST_F(MappedPages, AreReadAheadOnlyWhereTheKernelIsToldSo) {
  view_->advise(pages(2048, 1024), MapAdvice::sequential);
  touch(100);
  EXPECT_EQ(resident_in_all(), 1) << "random is the backend's default";
  view_->advise(pages(3072, 1024), MapAdvice::sequential);
  view_->advise(pages(3072, 1024), MapAdvice::random);
  touch(3500);
  EXPECT_EQ(resident_in_all(), 2) << "the last advice counts";
  touch(2048);
  EXPECT_GT(resident_in_all(), 2) << "sequential brings what follows";
}

TEST_F(MappedPages, OfARangeBehindTheEndAreNone) {
  EXPECT_EQ(view_->resident(pages(kPages, 4)), 0U);
  const MappedRange behind = pages(kPages + 3, 4);
  EXPECT_EQ(view_->release({&behind, 1}), 0U);
  view_->advise(behind, MapAdvice::sequential);
  const MappedRange last = pages(kPages - 1, 4);
  view_->start({&last, 1});
  view_->finish();
  EXPECT_EQ(view_->resident(last), kAlignment);
  EXPECT_EQ(view_->release({&last, 1}), kAlignment);
}

TEST(Mmap, ViewsSeeSeveralFilesFromSeveralThreads) {
  const PatternedFile first(64 * kAlignment);
  const PatternedFile second(8 * kAlignment);
  const auto backend = make_backend("mmap", {});
  backend->add_file(first.path());
  backend->add_file(second.path());
  const auto see_all = [&] {
    const auto view = backend->open_view();
    const std::vector<MappedRange> all = {{0, 0, first.bytes()}, {1, 0, second.bytes()}};
    view->start(all);
    view->finish();
    EXPECT_TRUE(PatternedFile::right(view->bytes(0), 0));
    EXPECT_TRUE(PatternedFile::right(view->bytes(1), 0));
  };
  const std::jthread other(see_all);
  see_all();
}

TEST(Mmap, OnlyBackendsThatMapHaveViews) {
  for (const BackendEntry& entry : backends()) {
    const auto backend = make_backend(entry.name, {});
    EXPECT_EQ(backend->open_view() != nullptr, backend->traits().maps) << entry.name;
  }
}

}  // namespace
}  // namespace outcore
