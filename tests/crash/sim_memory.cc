// SPDX-License-Identifier: Apache-2.0
#include "tests/crash/sim_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>

#include "common/error.h"

namespace outcore::evolving {

void SimMemory::Free::operator()(std::byte* memory) const { ::munmap(memory, bytes); }

// By pages that come when they are written: a life writes few of them.
SimMemory::Bytes SimMemory::zeroed(std::uint64_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<std::byte*>(memory), Free{bytes}};
}

SimMemory::SimMemory(std::uint64_t bytes, std::uint64_t seed)
    : bytes_(bytes), random_(seed), seen_(zeroed(bytes)), kept_(zeroed(bytes)) {}

std::shared_ptr<SimMemory> SimMemory::copy() const {
  auto other = std::make_shared<SimMemory>(bytes_, 0);
  for (const auto& [offset, bytes] : rooms_) {
    for (const Bytes* const to : {&other->seen_, &other->kept_})
      std::memcpy(to->get() + offset, seen_.get() + offset, bytes);
  }
  other->rooms_ = rooms_;
  return other;
}

void SimMemory::step() {
  if (dead_) throw PowerCut();  // NOLINT(bugprone-std-exception-baseclass)
  if (++operations_ != fault_at_) return;
  if (fault_ == Fault::full) {
    full_ = true;
    return;
  }
  dead_ = true;
  throw PowerCut();  // NOLINT(bugprone-std-exception-baseclass)
}

void SimMemory::make_room(std::uint64_t offset, std::uint64_t bytes) {
  step();
  if (full_) throw io_error(Place::offset(path(), offset), "no room for more", ENOSPC);
  std::uint64_t& room = rooms_[offset];
  room = std::max(room, bytes);
}

void SimMemory::flush(const void* at, std::uint64_t bytes) {
  step();
  const auto begin = static_cast<std::uint64_t>(static_cast<const std::byte*>(at) - seen_.get());
  for (std::uint64_t line = begin / kLine; line * kLine < begin + bytes; ++line)
    flushed_[line] = line_of(seen_, line);
}

void SimMemory::fence() {
  step();
  for (const auto& [line, flushed] : flushed_) set_line(kept_, line, flushed);
  flushed_.clear();
}

SimMemory::Line SimMemory::line_of(const Bytes& bytes, std::uint64_t line) const {
  Line words;
  std::memcpy(words.data(), bytes.get() + line * kLine, kLine);
  return words;
}

void SimMemory::set_line(const Bytes& bytes, std::uint64_t line, const Line& to) {
  std::memcpy(bytes.get() + line * kLine, to.data(), kLine);
}

void SimMemory::after_power_cut() {
  for (const auto& [offset, bytes] : rooms_) {
    for (std::uint64_t line = offset / kLine; line * kLine < offset + bytes; ++line) lose(line);
  }
  flushed_.clear();
  dead_ = false;
  fault_at_ = 0;
}

void SimMemory::lose(std::uint64_t line) {
  const Line seen = line_of(seen_, line);
  const Line kept = line_of(kept_, line);
  const auto flushed = flushed_.find(line);
  if (seen == kept && flushed == flushed_.end()) return;
  const std::array<Line, 3> images = {kept, seen,
                                      flushed == flushed_.end() ? seen : flushed->second};
  Line after = images[random_() % images.size()];
  // One line of three is a mixture.
  const bool mixes = random_() % 3 == 0;
  for (std::size_t word = 0; mixes && word < after.size(); ++word)
    after[word] = images[random_() % images.size()][word];
  set_line(seen_, line, after);
  set_line(kept_, line, after);
}

}  // namespace outcore::evolving
