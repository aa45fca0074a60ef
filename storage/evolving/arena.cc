// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/arena.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/error.h"
#include "common/sizes.h"

namespace outcore::evolving {

Arena::Arena(std::uint64_t reserved_bytes, std::uint64_t bulk_bytes)
    : reserved_(reserved_bytes), bulk_(bulk_bytes) {
  // Not accessible, so that it counts against no limit until it is made usable.
  void* memory =
      mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(ExitCode::memory, fmt::format("cannot reserve {} of addresses: {}",
                                              human_size(reserved_), std::strerror(errno)));
  }
  base_ = static_cast<std::byte*>(memory);
}

Arena::~Arena() { munmap(base_, reserved_); }

std::byte* Arena::take(std::uint64_t bytes) {
  const std::uint64_t wanted = (bytes + bulk_ - 1) / bulk_ * bulk_;
  const std::lock_guard lock(mutex_);
  if (wanted > reserved_ - taken_) {
    throw Error(ExitCode::memory, fmt::format("the store's lists have outgrown {} of addresses",
                                              human_size(reserved_)));
  }
  std::byte* const first = base_ + taken_;
  if (taken_ + wanted > usable_) {
    const std::uint64_t more = taken_ + wanted - usable_;
    if (mprotect(base_ + usable_, more, PROT_READ | PROT_WRITE) != 0) {
      throw Error(ExitCode::memory,
                  fmt::format("cannot allocate {}: {}", human_size(more), std::strerror(errno)));
    }
    // Only advice: if the kernel refuses it, pages are small.
    madvise(base_ + usable_, more, MADV_HUGEPAGE);
    usable_ += more;
  }
  taken_ += wanted;
  return first;
}

void Arena::release_all() {
  const std::lock_guard lock(mutex_);
  taken_ = 0;
}

std::uint64_t Arena::taken_bytes() const {
  const std::lock_guard lock(mutex_);
  return taken_;
}

std::uint64_t Arena::most_taken_bytes() const {
  const std::lock_guard lock(mutex_);
  return usable_;
}

}  // namespace outcore::evolving
