// SPDX-License-Identifier: Apache-2.0
#include "engines/chunk_mmap/chunk_buffer.h"

#include <algorithm>
#include <atomic>

namespace outcore {

namespace {

// Chunks that are asked to leave before the one that comes is let go after its use instead: those
// in use are few.
constexpr int kAsked = 16;
// One in so many of the chunks goes before hotness is looked at again.
constexpr std::size_t kShareAtOnce = 64;

// Hotness is added to by workers meanwhile. Relaxed: it only decides which chunk goes.
std::uint32_t read_hotness(const std::uint32_t* hotness, ChunkId chunk) {
  return std::atomic_ref(const_cast<std::uint32_t&>(hotness[chunk]))
      .load(std::memory_order_relaxed);
}

}  // namespace

const std::vector<std::string>& eviction_names() {
  static const std::vector<std::string> kNames = {"prefix", "known",        "fifo",   "random",
                                                  "colder", "colder-decay", "coldest"};
  return kNames;
}

Eviction eviction_named(const std::string& name) {
  const auto& names = eviction_names();
  return static_cast<Eviction>(std::find(names.begin(), names.end(), name) - names.begin());
}

bool ChunkBuffer::replace(ChunkId chunk, bool dense, const Leave& leave,
                          std::vector<ChunkId>& left) {
  if (eviction_ == Eviction::known) {
    while (const std::optional<std::size_t> slot = unwanted()) {
      if (!leave(slots_[*slot])) continue;
      left.push_back(slots_[*slot]);
      slots_[*slot] = chunk;
      return true;
    }
  }
  if (slots_.empty() || ((eviction_ == Eviction::prefix || eviction_ == Eviction::known) && dense))
    return false;
  for (int asked = 0; asked < kAsked; ++asked) {
    ChunkId& slot = slots_[victim()];
    if (!leave(slot)) continue;
    left.push_back(slot);
    slot = chunk;
    return true;
  }
  return false;
}

std::size_t ChunkBuffer::victim() {
  switch (eviction_) {
    case Eviction::prefix:
    case Eviction::known:
    case Eviction::fifo:
      break;
    case Eviction::random:
      return random_() % slots_.size();
    case Eviction::colder:
      return in_turn_up_to(mean_hotness(), /*decays=*/false);
    case Eviction::colder_decay:
      return in_turn_up_to(2 * mean_hotness(), /*decays=*/true);
    case Eviction::coldest:
      return coldest();
  }
  return next_in_turn();
}

std::size_t ChunkBuffer::next_in_turn() { return turn_++ % slots_.size(); }

std::optional<std::size_t> ChunkBuffer::unwanted() {
  if (all_wanted_ || wanted_ == nullptr) return std::nullopt;
  for (std::size_t passed = 0; passed < slots_.size(); ++passed) {
    const std::size_t slot = next_in_turn();
    if (!wanted_->get(slots_[slot])) return slot;
  }
  all_wanted_ = true;
  return std::nullopt;
}

std::uint64_t ChunkBuffer::mean_hotness() {
  if (mean_holds_for_ == 0) {
    std::uint64_t sum = 0;
    for (const ChunkId chunk : slots_) sum += read_hotness(hotness_, chunk);
    mean_ = sum / slots_.size();
    mean_holds_for_ = slots_.size() / kShareAtOnce + 1;
  }
  --mean_holds_for_;
  return mean_;
}

std::size_t ChunkBuffer::in_turn_up_to(std::uint64_t hotness, bool decays) {
  for (std::size_t passed = 0; passed < slots_.size(); ++passed) {
    const std::size_t slot = next_in_turn();
    const std::uint32_t found = read_hotness(hotness_, slots_[slot]);
    if (found <= hotness) return slot;
    if (decays) {
      std::atomic_ref(hotness_[slots_[slot]]).store(found / 2, std::memory_order_relaxed);
    }
  }
  return next_in_turn();
}

std::size_t ChunkBuffer::coldest() {
  if (coldest_.empty()) {
    std::vector<std::pair<std::uint32_t, std::size_t>> slots;
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      slots.emplace_back(read_hotness(hotness_, slots_[slot]), slot);
    }
    const auto end = slots.begin() + static_cast<std::ptrdiff_t>(slots_.size() / kShareAtOnce + 1);
    std::partial_sort(slots.begin(), end, slots.end());
    for (auto slot = end; slot != slots.begin();) coldest_.push_back((--slot)->second);
  }
  const std::size_t slot = coldest_.back();
  coldest_.pop_back();
  return slot;
}

}  // namespace outcore
