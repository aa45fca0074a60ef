// SPDX-License-Identifier: Apache-2.0
#include "storage/io/kernel_counters.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>
#include <string>

#include "common/error.h"
#include "common/files.h"

namespace outcore {

namespace {

KernelCounters::Reading read_now() {
  KernelCounters::Reading now;
  std::ifstream io("/proc/self/io");
  std::string key;
  for (std::uint64_t value = 0; io >> key >> value;) {
    if (key != "read_bytes:") continue;
    now.read_bytes = value;
    now.available = true;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  now.major_faults = static_cast<std::uint64_t>(usage.ru_majflt);
  now.minor_faults = static_cast<std::uint64_t>(usage.ru_minflt);
  return now;
}

struct PageCount {
  std::uint64_t resident = 0;
  std::uint64_t all = 0;
};

// From Linux 6.5 on. It looks at the pages that are there, where mincore asks for each page of the
// file (1 GB of which nothing is resident: 13 ms of every run).
std::optional<std::uint64_t> resident_by_cachestat(const File& file) {
  constexpr long kCachestat = 451;  // of all architectures; the C library has no name for it yet
  struct {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;  // to the end
  } range;
  struct {
    std::uint64_t cached = 0;
    std::uint64_t others[4] = {};  // dirty, being written, evicted, evicted not long ago
  } pages;
  if (::syscall(kCachestat, file.fd(), &range, &pages, 0) != 0) return {};
  return pages.cached;
}

std::uint64_t resident_by_mincore(const File& file, std::uint64_t bytes, std::uint64_t all) {
  void* mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.fd(), 0);
  if (mapped == MAP_FAILED) throw io_error(Place::file(file.path()), "cannot map", errno);
  std::vector<unsigned char> pages(all);
  const int result = ::mincore(mapped, bytes, pages.data());
  const int reason = errno;
  ::munmap(mapped, bytes);
  if (result != 0) {
    throw io_error(Place::file(file.path()), "cannot ask for resident pages", reason);
  }
  return static_cast<std::uint64_t>(std::count_if(
      pages.begin(), pages.end(), [](unsigned char state) { return (state & 1U) != 0; }));
}

PageCount count_pages(const std::filesystem::path& path) {
  const File file = File::open_read(path);
  const std::uint64_t bytes = file.size();
  if (bytes == 0) return {};
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t all = (bytes + page - 1) / page;
  const std::optional<std::uint64_t> resident = resident_by_cachestat(file);
  return {resident ? *resident : resident_by_mincore(file, bytes, all), all};
}

}  // namespace

KernelCounters::KernelCounters() : start_(read_now()) {}

KernelCounters::Reading KernelCounters::since_start() const {
  Reading now = read_now();
  now.available = now.available && start_.available;
  now.read_bytes -= start_.read_bytes;
  now.major_faults -= start_.major_faults;
  now.minor_faults -= start_.minor_faults;
  return now;
}

double page_residency(const std::vector<std::filesystem::path>& files) {
  PageCount sum;
  for (const auto& path : files) {
    const PageCount pages = count_pages(path);
    sum.resident += pages.resident;
    sum.all += pages.all;
  }
  return sum.all == 0 ? 0 : static_cast<double>(sum.resident) / static_cast<double>(sum.all);
}

void evict_pages(const std::vector<std::filesystem::path>& files) {
  for (const auto& path : files) {
    const File file = File::open_read(path);
    if (::fdatasync(file.fd()) != 0) throw io_error(Place::file(path), "cannot write out", errno);
    const int reason = ::posix_fadvise(file.fd(), 0, 0, POSIX_FADV_DONTNEED);
    if (reason != 0) throw io_error(Place::file(path), "cannot evict pages", reason);
  }
}

}  // namespace outcore
