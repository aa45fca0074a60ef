// SPDX-License-Identifier: Apache-2.0
// An executor's frames, with a hand that goes round them. Neighbouring frames are taken together,
// so that one request can bring neighbouring blocks. A frame keeps its block after use until the
// hand needs it. Blocks that were read together are released together, so free frames stay
// neighbours.
//
// Not thread-safe, and on cache lines of its own, because the executors' rings are neighbours in
// memory. Refers to memory that it does not own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace outcore {

class alignas(64) FrameRing {
 public:
  struct Run {
    std::uint32_t first = 0;
    std::uint32_t frames = 0;
  };

  FrameRing(std::span<std::byte> memory, std::size_t frame_bytes)
      : memory_(memory), frame_bytes_(frame_bytes), holds_(memory.size() / frame_bytes, kFree) {}

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(holds_.size()); }
  [[nodiscard]] std::byte* frame(std::uint32_t number) const {
    return memory_.data() + number * frame_bytes_;
  }

  // Takes up to `most` neighbouring frames, the next ones that are available, to read into; none if
  // all are needed. `lets_go(block, frame)`: may the frame with this block be taken?
  template <typename LetsGo>
  Run take(std::uint32_t most, LetsGo&& lets_go) {
    const auto available = [&](std::uint32_t f) {
      return holds_[f] == kFree || (holds_[f] != kTaken && lets_go(holds_[f], frame(f)));
    };
    for (std::uint32_t looked = 0; looked < size();) {
      if (hand_ == size()) hand_ = 0;
      Run run = {.first = hand_, .frames = 0};
      while (run.frames < most && hand_ < size() && available(hand_)) {
        holds_[hand_++] = kTaken;
        ++run.frames;
      }
      if (run.frames > 0) return run;
      ++hand_;
      ++looked;
    }
    return {};
  }
  void holds(std::uint32_t frame, std::uint32_t block) { holds_[frame] = block; }
  void give(std::uint32_t frame) { holds_[frame] = kFree; }
  // All of them; nothing is being read.
  template <typename Forget>
  void give_all(Forget&& forget) {
    for (std::uint32_t f = 0; f < size(); ++f) {
      if (holds_[f] != kFree) forget(holds_[f], frame(f));
      give(f);
    }
  }

 private:
  static constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kTaken = kFree - 1;

  std::span<std::byte> memory_;
  std::size_t frame_bytes_;
  std::vector<std::uint32_t> holds_;  // a block, or one of these two
  std::uint32_t hand_ = 0;
};

}  // namespace outcore
