// SPDX-License-Identifier: Apache-2.0
// How many vertices give their messages before the first of these is told.
//
// Many at once spare calls. But where they are neighbours and a better message may follow, what
// they say is old before it is heard, and they must speak again: labels would go along a path of n
// vertices, 64 at a time, in 64 n steps. Where that was seen of three batches nearly in a row,
// order matters: one vertex comes at a time, and with it those that are as soon. After many that
// went well so it is tried with many again, for nothing tells whether they would have.
//
// Not thread-safe.
#pragma once

#include <cstddef>

namespace outcore {

class BatchSize {
 public:
  explicit BatchSize(std::size_t most) : most_(most) {}
  // For batches that are told one by one where order matters, but that say nevertheless how many of
  // them would have been activated again: begins so, and needs no trial.
  static BatchSize in_turn(std::size_t most) {
    BatchSize size(most);
    size.bad_ = kBad;
    size.patience_ = kPatience;
    return size;
  }

  [[nodiscard]] std::size_t now() const { return order_matters() ? 1 : most_; }
  [[nodiscard]] bool order_matters() const { return bad_ == kBad; }
  // Of a batch of `taken`, so many were activated again meanwhile.
  void note(std::size_t taken, std::size_t again) {
    constexpr std::size_t kMany = 32;  // one in so many
    if (kMany * again > taken) {
      well_ = 0;
      if (bad_ < kBad) ++bad_;
    } else if (++well_ == (order_matters() ? patience_ : kPatience)) {
      well_ = 0;
      bad_ = 0;
    }
  }

 private:
  static constexpr unsigned kBad = 3;
  static constexpr unsigned kPatience = 8;
  std::size_t most_;
  unsigned patience_ = 1024;
  unsigned bad_ = 0;   // batches
  unsigned well_ = 0;  // batches, one after another
};

}  // namespace outcore
