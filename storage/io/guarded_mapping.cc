// SPDX-License-Identifier: Apache-2.0
#include "storage/io/guarded_mapping.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>

#include "common/error.h"
#include "storage/io/kernel_counters.h"

namespace outcore {

// A signal handler may take no lock, so the mappings are in a table of atomics.
struct MappedSlot {
  std::atomic<std::uintptr_t> begin{0};  // 0: free
  std::atomic<std::uintptr_t> end{0};
  std::atomic<std::uintptr_t> lost{0};  // the lowest page that could not be read; 0: none
};

namespace {

constexpr std::uintptr_t kPage = 4096;
constexpr std::uintptr_t kReserved = 1;  // the slot's mapping is being made
std::array<MappedSlot, 256> slots;
struct sigaction handled_before = {};

MappedSlot* slot_of(std::uintptr_t address) {
  for (MappedSlot& slot : slots) {
    // Acquire: `end` is stored before `begin`. A thread that faults has seen its mapping's entry.
    const std::uintptr_t begin = slot.begin.load(std::memory_order_acquire);
    if (begin <= kReserved || address < begin) continue;
    if (address < slot.end.load(std::memory_order_relaxed)) return &slot;
  }
  return nullptr;
}

// Uses only calls that are allowed in a handler. mmap is called by number, because sanitizers wrap
// the function.
void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int errno_before = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const std::uintptr_t page = address - address % kPage;
  MappedSlot* slot = slot_of(address);
  if (slot != nullptr && ::syscall(SYS_mmap, page, kPage, PROT_READ,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) >= 0) {
    // Relaxed: read by threads that touched the page themselves, or that synchronised with one
    // since.
    std::uintptr_t lowest = slot->lost.load(std::memory_order_relaxed);
    while ((lowest == 0 || page < lowest) &&
           !slot->lost.compare_exchange_weak(lowest, page, std::memory_order_relaxed)) {
    }
    errno = errno_before;
    return;
  }
  if ((handled_before.sa_flags & SA_SIGINFO) != 0) {
    handled_before.sa_sigaction(signal, info, context);
  } else {
    ::sigaction(SIGBUS, &handled_before, nullptr);  // the access is repeated and is theirs then
  }
}

MappedSlot* reserve_slot(const std::filesystem::path& path) {
  static std::once_flag installed;
  std::call_once(installed, [] {
    struct sigaction action = {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
    ::sigaction(SIGBUS, &action, &handled_before);
  });
  for (MappedSlot& slot : slots) {
    std::uintptr_t free = 0;
    if (slot.begin.compare_exchange_strong(free, kReserved)) return &slot;
  }
  throw Error(ExitCode::io, fmt::format("{}: {} files are mapped already, which is the limit",
                                        path.string(), slots.size()));
}

// Only advice: without it reads are slower or larger, never wrong.
void advise_mapping(void* begin, std::uint64_t bytes, MapAdvice advice) {
  switch (advice) {
    case MapAdvice::normal:
      ::madvise(begin, bytes, MADV_NORMAL);
      return;
    case MapAdvice::sequential:
      ::madvise(begin, bytes, MADV_SEQUENTIAL);
      return;
    case MapAdvice::windows:
      ::madvise(begin, bytes, MADV_HUGEPAGE);
      [[fallthrough]];  // else each would read one more window ahead
    case MapAdvice::random:
      ::madvise(begin, bytes, MADV_RANDOM);
  }
}

int advice_to_descriptor(MapAdvice advice) {
  if (advice == MapAdvice::normal) return POSIX_FADV_NORMAL;
  return advice == MapAdvice::sequential ? POSIX_FADV_SEQUENTIAL : POSIX_FADV_RANDOM;
}

}  // namespace

GuardedMapping::GuardedMapping(const std::filesystem::path& path, MapAdvice faults, MapAdvice reads)
    : file_(File::open_read(path)), bytes_(file_.size()) {
  if (bytes_ == 0) return;  // an empty file needs no mapping
  slot_ = reserve_slot(path);
  void* mapped = ::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, file_.fd(), 0);
  if (mapped == MAP_FAILED) {
    const int reason = errno;
    slot_->begin.store(0);
    throw io_error(Place::file(path), fmt::format("cannot map {} bytes", bytes_), reason);
  }
  data_ = static_cast<std::byte*>(mapped);
  const auto begin = reinterpret_cast<std::uintptr_t>(data_);
  slot_->lost.store(0, std::memory_order_relaxed);
  slot_->end.store(begin + (bytes_ + kPage - 1) / kPage * kPage, std::memory_order_relaxed);
  slot_->begin.store(begin, std::memory_order_release);
  advise_mapping(mapped, bytes_, faults);
  ::posix_fadvise(file_.fd(), 0, 0, advice_to_descriptor(reads));
}

GuardedMapping::~GuardedMapping() {
  if (data_ == nullptr) return;
  ::munmap(data_, bytes_);
  slot_->begin.store(0);
}

void GuardedMapping::check(std::uint64_t offset, std::uint64_t bytes) const {
  const std::uint64_t end = std::min(file_.size(), bytes_);
  if (offset + bytes > end) {
    const std::uint64_t from = std::max(offset, end);
    throw io_error(Place::offset(file_.path(), from),
                   fmt::format("the file ends {} bytes early (was it cut?)", offset + bytes - from),
                   0);
  }
  const std::uintptr_t lost = slot_ == nullptr ? 0 : slot_->lost.load(std::memory_order_relaxed);
  if (lost == 0) return;
  throw io_error(Place::offset(file_.path(), lost - reinterpret_cast<std::uintptr_t>(data_)),
                 "a mapped page cannot be read (a bad sector, or the file was cut meanwhile)", EIO);
}

std::span<std::byte> GuardedMapping::pages(std::uint64_t offset, std::uint64_t bytes) const {
  const std::uint64_t mapped = (bytes_ + kPage - 1) / kPage * kPage;
  const std::uint64_t begin = std::min((offset + kPage - 1) / kPage * kPage, mapped);
  const std::uint64_t end = offset + bytes >= bytes_ ? mapped : (offset + bytes) / kPage * kPage;
  return {data_ + begin, std::max(begin, end) - begin};
}

void GuardedMapping::advise(std::uint64_t offset, std::uint64_t bytes, MapAdvice faults) const {
  const std::span<std::byte> range = pages(offset, bytes);
  if (range.empty()) return;
  advise_mapping(range.data(), range.size(), faults);
}

// Not done with MADV_PAGEOUT, which silently does nothing for files that the caller neither owns
// nor may write. The page cache keeps mapped pages, so they are unmapped first.
std::uint64_t GuardedMapping::release(std::uint64_t offset, std::uint64_t bytes) const {
  const std::span<std::byte> range = pages(offset, bytes);
  if (range.empty()) return 0;
  const auto begin = static_cast<std::uint64_t>(range.data() - data_);
  const std::uint64_t before = resident_bytes(file_, begin, range.size());
  ::madvise(range.data(), range.size(), MADV_DONTNEED);
  ::posix_fadvise(file_.fd(), static_cast<off_t>(begin), static_cast<off_t>(range.size()),
                  POSIX_FADV_DONTNEED);
  return before - std::min(before, resident_bytes(file_, begin, range.size()));
}

void GuardedMapping::unmap(std::uint64_t offset, std::uint64_t bytes) const {
  const std::span<std::byte> range = pages(offset, bytes);
  if (!range.empty()) ::madvise(range.data(), range.size(), MADV_DONTNEED);
}

std::uint64_t GuardedMapping::resident(std::uint64_t offset, std::uint64_t bytes) const {
  const std::span<std::byte> range = pages(offset, bytes);
  if (range.empty()) return 0;
  return resident_bytes(file_, static_cast<std::uint64_t>(range.data() - data_), range.size());
}

}  // namespace outcore
