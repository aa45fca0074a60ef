// SPDX-License-Identifier: Apache-2.0
// The slots in which a round keeps messages: in memory, or, where arrays of programs are in files,
// in one of those.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "common/unfilled.h"
#include "engines/state.h"

namespace outcore {

class MessageSlots {
 public:
  // `states`: null for slots in memory.
  explicit MessageSlots(std::shared_ptr<StateStore> states) : states_(std::move(states)) {}

  // At least so many bytes. What was there may be lost.
  void make_room(std::size_t bytes) {
    if (bytes <= size_) return;
    if (states_ && states_->has_files()) {
      in_store_ = {};
      bytes = std::max(bytes, 2 * size_);  // rounds of more and more messages are few then
      in_store_ = states_->zeros<std::byte>("messages", bytes, StateStore::Order::random);
    } else {
      in_memory_.resize(bytes);
    }
    size_ = bytes;
  }
  [[nodiscard]] std::byte* data() {
    return in_store_.empty() ? in_memory_.data() : in_store_.data();
  }
  // Those that the store does not account for.
  [[nodiscard]] std::size_t memory_bytes() const { return in_memory_.capacity(); }

 private:
  std::shared_ptr<StateStore> states_;
  Unfilled<std::byte> in_memory_;
  State<std::byte> in_store_;
  std::size_t size_ = 0;
};

}  // namespace outcore
