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

Arena::Arena(std::uint64_t reserved_bytes, std::uint64_t bulk_bytes, const Placement& placement)
    : reserved_(reserved_bytes),
      bulk_(bulk_bytes),
      placement_(placement),
      part_bytes_(reserved_bytes / placement.nodes() / bulk_bytes * bulk_bytes),
      parts_(placement.nodes()) {
  // Not accessible, so that it counts against no limit until it is made usable.
  void* memory =
      mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(ExitCode::memory, fmt::format("cannot reserve {} of addresses: {}",
                                              human_size(reserved_), std::strerror(errno)));
  }
  base_ = static_cast<std::byte*>(memory);
  for (std::size_t node = 0; node < parts_.size(); ++node)
    parts_[node].first = base_ + node * part_bytes_;
}

Arena::~Arena() { munmap(base_, reserved_); }

std::byte* Arena::take(std::uint64_t bytes, unsigned node) {
  const std::uint64_t wanted = (bytes + bulk_ - 1) / bulk_ * bulk_;
  const std::lock_guard lock(mutex_);
  Part& part = parts_[node];
  if (wanted > part_bytes_ - part.taken) {
    throw Error(ExitCode::memory, fmt::format("the store's lists have outgrown {} of addresses",
                                              human_size(part_bytes_)));
  }
  std::byte* const first = part.first + part.taken;
  if (part.taken + wanted > part.usable) {
    std::byte* const unused = part.first + part.usable;
    const std::uint64_t more = part.taken + wanted - part.usable;
    if (mprotect(unused, more, PROT_READ | PROT_WRITE) != 0) {
      throw Error(ExitCode::memory,
                  fmt::format("cannot allocate {}: {}", human_size(more), std::strerror(errno)));
    }
    placement_.place(unused, more, node);
    // Only advice: if the kernel refuses it, pages are small.
    madvise(unused, more, MADV_HUGEPAGE);
    part.usable += more;
  }
  part.taken += wanted;
  return first;
}

void Arena::release_all() {
  const std::lock_guard lock(mutex_);
  for (Part& part : parts_) part.taken = 0;
}

std::uint64_t Arena::taken_bytes() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t bytes = 0;
  for (const Part& part : parts_) bytes += part.taken;
  return bytes;
}

std::uint64_t Arena::taken_bytes(unsigned node) const {
  const std::lock_guard lock(mutex_);
  return parts_[node].taken;
}

std::uint64_t Arena::most_taken_bytes() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t bytes = 0;
  for (const Part& part : parts_) bytes += part.usable;
  return bytes;
}

}  // namespace outcore::evolving
