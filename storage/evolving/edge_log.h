// SPDX-License-Identifier: Apache-2.0
// The circular edge log (section III-B, Fig. 7). Updates are appended at `head`. Positions count
// the updates since the beginning of the stream:
//
//   flushing <= buffering <= marker <= head
//
// Updates before `buffering` are in vertex buffers, those before `flushing` in chains too, and
// those from `buffering` to `marker` are being buffered. What lies before the *floor* may be
// overwritten: the floor is `flushing`, or `buffering` where buffers need not survive a loss of
// power.
//
// One thread uses it at a time. It may lie in memory that its owner keeps, with updates in it.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "common/numa.h"
#include "storage/evolving/log_edge.h"

namespace outcore::evolving {

class EdgeLog {
 public:
  // REQUIRES: `capacity` is a power of two.
  EdgeLog(std::uint64_t capacity, bool reuse_buffered);
  // At `edges`, with the updates from `flushing` to `head`, none of which are buffered. They
  // stay there when this is gone.
  EdgeLog(LogEdge* edges, std::uint64_t capacity, std::uint64_t flushing, std::uint64_t head);

  // Where the next updates go: at most `most` places in one piece, fewer at the end of the circle
  // and where the log is full. appended() makes the first `count` of them part of the log.
  std::span<LogEdge> room(std::uint64_t most);
  void appended(std::uint64_t count) { head_ += count; }

  // The updates of these positions, in two pieces where they cross the end of the circle.
  // REQUIRES: they are in the log.
  [[nodiscard]] std::pair<std::span<const LogEdge>, std::span<const LogEdge>> edges(
      std::uint64_t begin, std::uint64_t end) const;

  void mark(std::uint64_t position) { marker_ = position; }
  void buffered() { buffering_ = marker_; }
  void flushed() { flushing_ = buffering_; }

  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  [[nodiscard]] std::uint64_t head() const { return head_; }
  [[nodiscard]] std::uint64_t marker() const { return marker_; }
  [[nodiscard]] std::uint64_t buffering() const { return buffering_; }
  [[nodiscard]] std::uint64_t flushing() const { return flushing_; }
  [[nodiscard]] std::uint64_t logged() const { return head_ - buffering_; }  // and not buffered
  [[nodiscard]] std::uint64_t free() const { return capacity_ - (head_ - floor()); }
  // The place of a position on a medium that begins with the log.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t position) const {
    return (position & (capacity_ - 1)) * sizeof(LogEdge);
  }

 private:
  [[nodiscard]] std::uint64_t floor() const { return reuse_buffered_ ? buffering_ : flushing_; }
  [[nodiscard]] LogEdge* at(std::uint64_t position) const {
    return edges_ + (position & (capacity_ - 1));
  }

  std::uint64_t capacity_;
  bool reuse_buffered_;
  numa::Memory memory_;  // null if the owner keeps it
  LogEdge* edges_;
  std::uint64_t head_ = 0;
  std::uint64_t marker_ = 0;
  std::uint64_t buffering_ = 0;
  std::uint64_t flushing_ = 0;
};

}  // namespace outcore::evolving
