// SPDX-License-Identifier: Apache-2.0
// Collects updates in the room of a sink (stream.h), so that they are handed on many at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "storage/evolving/stream.h"

namespace outcore::evolving {

class Feed {
 public:
  Feed(UpdateSink& sink, std::uint64_t at_once) : sink_(sink), at_once_(at_once) {}
  void add(std::span<const LogEdge> edges) {
    while (!edges.empty()) {
      make_room();
      const std::size_t count = std::min(edges.size(), room_.size() - filled_);
      std::copy_n(edges.begin(), count, room_.begin() + filled_);
      filled_ += count;
      edges = edges.subspan(count);
    }
  }
  void add(const LogEdge& edge) {
    make_room();
    room_[filled_++] = edge;
  }
  void hand_on() {
    if (filled_ > 0) sink_.append(filled_);
    filled_ = 0;
    room_ = {};
  }

 private:
  void make_room() {
    if (filled_ == room_.size()) hand_on();
    if (room_.empty()) room_ = sink_.room(at_once_);
  }

  UpdateSink& sink_;
  std::uint64_t at_once_;
  std::span<LogEdge> room_;
  std::size_t filled_ = 0;
};

}  // namespace outcore::evolving
