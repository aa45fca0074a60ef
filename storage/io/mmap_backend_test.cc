// SPDX-License-Identifier: Apache-2.0
// What is particular to `mmap`: what each way to populate reads, and views.
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

// Which pages of the file are in memory.
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
  // True where the file system keeps no pages that it was told to drop, so that reads can be seen.
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
  view->populate(ranges);
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
  view->populate({&range, 1});
  EXPECT_THROW(view->check(range), Error);
  view->check({0, 4 * kAlignment, 4 * kAlignment});
}

INSTANTIATE_TEST_SUITE_P(All, WaysToPopulate, testing::ValuesIn(ways_to_populate()),
                         [](const auto& way) {
                           std::string name = way.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Mmap, ViewsSeeSeveralFilesFromSeveralThreads) {
  const PatternedFile first(64 * kAlignment);
  const PatternedFile second(8 * kAlignment);
  const auto backend = make_backend("mmap", {});
  backend->add_file(first.path());
  backend->add_file(second.path());
  const auto see_all = [&] {
    const auto view = backend->open_view();
    const std::vector<MappedRange> all = {{0, 0, first.bytes()}, {1, 0, second.bytes()}};
    view->populate(all);
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
