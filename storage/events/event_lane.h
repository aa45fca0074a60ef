// SPDX-License-Identifier: Apache-2.0
// The events of one thread, on their way to the recorder's writer: a queue without locks, with one
// producer and one consumer.
//
// The producer is the lane's thread, or another thread while the lane's thread waits at a barrier
// (EventRecorder's watch): the executor's mutex then orders the two. The consumer is the recorder's
// writing thread.
//
// Memory orders. The producer fills an event, then publishes the chunk's size (release); the
// consumer reads the size (acquire) and then the events below it. A full chunk's successor is
// published in the same way. Totals are relaxed: each is written by the producer alone, and a
// segment may tell sums that are a few events newer than the events that it holds.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "common/hash.h"
#include "storage/events/event.h"

namespace outcore {

// Which events are left out, the same for all lanes of a recorder.
class EventSampling {
 public:
  static constexpr std::uint32_t kLongRun = 64;
  static constexpr std::uint64_t kDrawnVertices = 2000;  // of so few all are told of
  static constexpr std::uint64_t kToldVertices = 512;    // and of more than that so many at most

  // `kept`: events that a lane keeps before it asks for fewer; `blocks`: of all files.
  EventSampling(std::uint64_t kept, std::uint64_t blocks) : kept_(kept) { set_blocks(blocks); }
  // REQUIRES: nothing has been sampled yet.
  void set_blocks(std::uint64_t blocks);
  // So many vertices there are: all are told of, or one in a power of 2. REQUIRES: no engine runs
  // yet.
  void set_vertices(std::uint64_t vertices);
  [[nodiscard]] bool tells_of(std::uint32_t vertex) const {
    return (mix(vertex) & vertex_mask_) == 0;
  }

  // One in 2^shift() is kept. Relaxed: a lane may notice a new shift a few events late.
  [[nodiscard]] unsigned shift() const { return shift_.load(std::memory_order_relaxed); }
  // Blocks are sampled in groups of neighbours, so that of a group either all is known or nothing;
  // a run belongs to its first block's. Vertices and rounds are sampled by their numbers, other
  // events by theirs on the lane. Runs of more than kLongRun blocks are always kept.
  [[nodiscard]] bool in_sample(unsigned shift, EventKind kind, std::uint32_t block,
                               std::uint32_t count, std::uint64_t number) const;
  // A lane has kept so many events: is it time to keep fewer?
  void note_kept(std::uint64_t events);
  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  [[nodiscard]] unsigned group_shift() const {
    return group_shift_.load(std::memory_order_relaxed);
  }

 private:
  std::uint64_t kept_;
  std::atomic<unsigned> group_shift_{0};
  std::uint64_t vertex_mask_ = 0;
  std::atomic<unsigned> shift_{0};
};

class EventLane {
 public:
  using Clock = std::chrono::steady_clock;

  EventLane(std::uint32_t number, Clock::time_point start, EventSampling& sampling);
  ~EventLane();
  EventLane(const EventLane&) = delete;
  EventLane& operator=(const EventLane&) = delete;

  // --- The producer ---

  [[nodiscard]] std::uint64_t now() const {
    return static_cast<std::uint64_t>((Clock::now() - start_).count()) / kTickNanoseconds;
  }
  void note(EventKind kind, std::uint32_t block, std::uint32_t count, std::uint64_t value);
  // What lasted from `begin` until now.
  void note_since(EventKind kind, std::uint64_t begin);

  // --- The consumer ---

  [[nodiscard]] std::uint32_t number() const { return number_; }
  // Appends what was published since the last call.
  void take(std::vector<Event>& into);
  [[nodiscard]] EventTotals totals() const;

 private:
  static constexpr std::uint32_t kEventsInChunk = 4096;  // 128 KB
  struct Chunk {
    std::array<Event, kEventsInChunk> events;
    std::atomic<std::uint32_t> size{0};
    std::atomic<Chunk*> next{nullptr};
  };
  struct Total {
    std::atomic<std::uint64_t> events{0};
    std::atomic<std::uint64_t> count{0};
    std::atomic<std::uint64_t> value{0};
  };
  // Returns how many events of the kind there were before.
  std::uint64_t add_to_totals(EventKind kind, std::uint32_t count, std::uint64_t value);
  void append(const Event& event);

  const std::uint32_t number_;
  const Clock::time_point start_;
  EventSampling& sampling_;
  std::array<Total, kEventKinds> totals_;
  // The producer's.
  Chunk* writing_;
  std::uint64_t kept_ = 0;
  unsigned shift_ = 0;
  std::array<std::uint64_t, kEventKinds> owed_{};  // amounts of events that were left out
  // The consumer's, on a cache line of its own.
  alignas(64) Chunk* reading_;
  std::uint32_t taken_ = 0;  // of `reading_`
};

}  // namespace outcore
