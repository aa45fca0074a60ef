// SPDX-License-Identifier: Apache-2.0
#include "storage/events/event_lane.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace outcore {

namespace {

constexpr unsigned kMostGroupShift = 6;  // groups of at most 64 blocks
constexpr std::uint64_t kGroups = 1024;  // if there are as many blocks
constexpr std::uint64_t kMoreKept = 4;   // after each quarter of `kept` more, half as many are kept
constexpr unsigned kMostShift = 40;

bool is_of_blocks(EventKind kind) {
  switch (kind) {
    case EventKind::asked:
    case EventKind::arrived:
    case EventKind::writing:
    case EventKind::written:
    case EventKind::processed:
    case EventKind::dropped:
    case EventKind::kept:
      return true;
    default:
      return false;
  }
}

// Is the value an amount since the lane's previous event of the kind?
bool is_amount(EventKind kind) {
  return kind == EventKind::processed || kind == EventKind::activated;
}

std::size_t number_of(EventKind kind) { return static_cast<std::size_t>(kind); }

// Relaxed, and no read-modify-write: one thread writes.
void add_alone(std::atomic<std::uint64_t>& sum, std::uint64_t amount) {
  sum.store(sum.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

}  // namespace

void EventSampling::set_blocks(std::uint64_t blocks) {
  const auto shift = static_cast<unsigned>(std::bit_width(blocks / kGroups));
  group_shift_.store(std::min(shift, kMostGroupShift), std::memory_order_relaxed);
}

void EventSampling::set_vertices(std::uint64_t vertices) {
  if (vertices <= kDrawnVertices) return;
  vertex_mask_ = std::bit_ceil((vertices + kToldVertices - 1) / kToldVertices) - 1;
}

bool EventSampling::in_sample(unsigned shift, EventKind kind, std::uint32_t block,
                              std::uint32_t count, std::uint64_t number) const {
  if (shift == 0) return true;
  const std::uint64_t mask = (std::uint64_t{1} << shift) - 1;
  // The hash's bits above those that chose the vertices to tell of.
  if (kind == EventKind::found) return (mix(block) / (vertex_mask_ + 1) & mask) == 0;
  if (!is_of_blocks(kind)) {
    const bool of_round = kind == EventKind::round_began || kind == EventKind::round_ended;
    return ((of_round ? block : number) & mask) == 0;
  }
  return count > kLongRun || (mix(block >> group_shift()) & mask) == 0;
}

void EventSampling::note_kept(std::uint64_t events) {
  if (events < kept_) return;
  const std::uint64_t step = std::max<std::uint64_t>(1, kept_ / kMoreKept);
  if ((events - kept_) % step != 0) return;
  const auto wanted =
      static_cast<unsigned>(std::min<std::uint64_t>(kMostShift, 1 + (events - kept_) / step));
  unsigned now = shift();
  while (now < wanted && !shift_.compare_exchange_weak(now, wanted, std::memory_order_relaxed)) {
  }
}

EventLane::EventLane(std::uint32_t number, Clock::time_point start, EventSampling& sampling)
    : number_(number),
      start_(start),
      sampling_(sampling),
      writing_(std::make_unique<Chunk>().release()),
      reading_(writing_) {}

EventLane::~EventLane() {
  for (Chunk* chunk = reading_; chunk != nullptr;) {
    const std::unique_ptr<Chunk> owned(chunk);
    chunk = owned->next.load(std::memory_order_relaxed);
  }
}

void EventLane::note(EventKind kind, std::uint32_t block, std::uint32_t count,
                     std::uint64_t value) {
  const std::uint64_t number = add_to_totals(kind, count, value);
  const unsigned shift = sampling_.shift();
  std::uint64_t& owed = owed_[number_of(kind)];
  if (is_amount(kind)) owed += value;
  if (!sampling_.in_sample(shift, kind, block, count, number)) return;
  const std::uint64_t time = now();
  if (shift != shift_) {
    shift_ = shift;
    append({.time = time, .value = shift, .kind = EventKind::sampled});
  }
  append({.time = time,
          .value = is_amount(kind) ? std::exchange(owed, 0) : value,
          .block = block,
          .count = count,
          .kind = kind});
  sampling_.note_kept(++kept_);
}

void EventLane::note_since(EventKind kind, std::uint64_t begin) { note(kind, 0, 0, now() - begin); }

std::uint64_t EventLane::add_to_totals(EventKind kind, std::uint32_t count, std::uint64_t value) {
  Total& total = totals_[number_of(kind)];
  const std::uint64_t before = total.events.load(std::memory_order_relaxed);
  total.events.store(before + 1, std::memory_order_relaxed);
  add_alone(total.count, count);
  add_alone(total.value, value);
  return before;
}

void EventLane::append(const Event& event) {
  // Relaxed: only the producer changes the size.
  std::uint32_t at = writing_->size.load(std::memory_order_relaxed);
  if (at == kEventsInChunk) {
    Chunk* const next = std::make_unique<Chunk>().release();
    writing_->next.store(next, std::memory_order_release);
    writing_ = next;
    at = 0;
  }
  writing_->events[at] = event;
  writing_->size.store(at + 1, std::memory_order_release);
}

void EventLane::take(std::vector<Event>& into) {
  for (;;) {
    const std::uint32_t size = reading_->size.load(std::memory_order_acquire);
    into.insert(into.end(), reading_->events.begin() + taken_, reading_->events.begin() + size);
    taken_ = size;
    if (size < kEventsInChunk) return;
    Chunk* const next = reading_->next.load(std::memory_order_acquire);
    if (next == nullptr) return;
    const std::unique_ptr<Chunk> used(std::exchange(reading_, next));
    taken_ = 0;
  }
}

EventTotals EventLane::totals() const {
  EventTotals totals;
  for (std::size_t kind = 0; kind < kEventKinds; ++kind) {
    totals[kind] = {totals_[kind].events.load(std::memory_order_relaxed),
                    totals_[kind].count.load(std::memory_order_relaxed),
                    totals_[kind].value.load(std::memory_order_relaxed)};
  }
  return totals;
}

}  // namespace outcore
