// SPDX-License-Identifier: Apache-2.0
// The state machine of Fig. 4 for single vertices, two bits each. These are the vertices whose
// lists are in the index: they need no block, and as blocks of many vertices they would not come
// one at a time.
//
// Threads: all may call at once. begin() acquires what was written before activate(), and
// activate() acquires what was written before finish().
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "common/ids.h"

namespace outcore {

class VertexStates {
 public:
  enum class Before : std::uint8_t { inactive, queued, processing };

  explicit VertexStates(VertexId id_space) : states_((id_space + 3) / 4) {}

  // The caller queues a vertex that was inactive. One that was queued already may be queued anew,
  // if it is sooner now; one that is being processed goes into a queue after that.
  Before activate(VertexId v) {
    return named(change(v, [](unsigned state) {
      return state == kInactive ? kQueued : state == kProcessing ? kReactivated : state;
    }));
  }
  // True if the vertex was inactive: it is the caller's to process, once.
  bool begin_if_inactive(VertexId v) {
    return change(v, [](unsigned state) {
             return state == kInactive ? kProcessing : state == kProcessing ? kReactivated : state;
           }) == kInactive;
  }
  // The vertex is the caller's to process, wherever it waited, unless it is being processed.
  Before begin_now(VertexId v) {
    return named(change(v, [](unsigned state) {
      return state == kInactive || state == kQueued ? kProcessing : kReactivated;
    }));
  }
  // It was taken from a queue. False if it was taken before: it has been queued more than once.
  bool begin(VertexId v) {
    return change(v, [](unsigned state) { return state == kQueued ? kProcessing : state; }) ==
           kQueued;
  }
  // True if it was activated meanwhile: the caller queues it again.
  bool finish(VertexId v) {
    return change(v, [](unsigned state) { return state == kReactivated ? kQueued : kInactive; }) ==
           kReactivated;
  }
  [[nodiscard]] std::uint64_t memory_bytes() const { return states_.size(); }

 private:
  static constexpr unsigned kInactive = 0;
  static constexpr unsigned kQueued = 1;
  static constexpr unsigned kProcessing = 2;
  static constexpr unsigned kReactivated = 3;

  static Before named(unsigned state) {
    return state == kInactive ? Before::inactive
           : state == kQueued ? Before::queued
                              : Before::processing;
  }
  // Returns the state before.
  template <typename F>
  unsigned change(VertexId v, F&& next) {
    const std::atomic_ref states(states_[v / 4]);
    const unsigned shift = v % 4 * 2;
    std::uint8_t before = states.load(std::memory_order_relaxed);
    while (true) {
      const unsigned state = before >> shift & 3;
      const auto after =
          static_cast<std::uint8_t>((before & ~(3U << shift)) | next(state) << shift);
      // Written even if the state does not change: a thread that activates a vertex that is already
      // queued must synchronise with the thread that begins it.
      if (states.compare_exchange_weak(before, after, std::memory_order_acq_rel,
                                       std::memory_order_relaxed)) {
        return state;
      }
    }
  }

  std::vector<std::uint8_t> states_;
};

}  // namespace outcore
