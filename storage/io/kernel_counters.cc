// SPDX-License-Identifier: Apache-2.0
#include "storage/io/kernel_counters.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
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

PageCount count_pages(const std::filesystem::path& path) {
  const File file = File::open_read(path);
  const std::uint64_t bytes = file.size();
  if (bytes == 0) return {};
  void* mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.fd(), 0);
  if (mapped == MAP_FAILED) throw io_error(Place::file(path), "cannot map", errno);
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((bytes + page - 1) / page);
  const int result = ::mincore(mapped, bytes, pages.data());
  const int reason = errno;
  ::munmap(mapped, bytes);
  if (result != 0) throw io_error(Place::file(path), "cannot ask for resident pages", reason);
  const auto resident = std::count_if(pages.begin(), pages.end(),
                                      [](unsigned char state) { return (state & 1U) != 0; });
  return {static_cast<std::uint64_t>(resident), pages.size()};
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
