// SPDX-License-Identifier: Apache-2.0
// Keeps the updates of a stream that is read, for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "storage/evolving/log_edge.h"
#include "storage/evolving/stream.h"

namespace outcore::evolving {

class KeptUpdates : public UpdateSink {
 public:
  // With room for so many at a time.
  explicit KeptUpdates(std::uint64_t at_once) : at_once_(at_once) {}
  std::span<LogEdge> room(std::uint64_t most) override {
    room_.resize(std::min(most, at_once_));
    return room_;
  }
  void append(std::uint64_t count) override {
    for (std::uint64_t i = 0; i < count; ++i) updates.push_back(as_update(room_[i]));
  }
  std::vector<Update> updates;

 private:
  std::uint64_t at_once_;
  std::vector<LogEdge> room_;
};

}  // namespace outcore::evolving
