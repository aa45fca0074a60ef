// SPDX-License-Identifier: Apache-2.0
// Events of a run: what was asked for and arrived, which blocks were processed, where workers
// waited. A viewer replays a run from them (docs/events.md has the file format byte by byte).
//
// A *lane* holds the events of one thread, in the order of time. A *tick* is 100 ns; times count
// from the recorder's construction. A *block* is numbered over all files of all doors, in the order
// in which they were opened, so that the layout's files come first. The number of the kind is what
// the file holds: new kinds are added at the end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace outcore {

inline constexpr int kEventsVersion = 1;
inline constexpr std::uint64_t kTickNanoseconds = 100;

enum class EventKind : std::uint8_t {
  round_began,  // block: the round's number; count: 1 if it pulls; value: vertices in its frontier
  round_ended,  // block: the round's number; value: activations
  asked,        // `count` blocks from `block` are read; value: requests in flight of this channel
  arrived,      // ... have come; value: the same
  writing,      // ... are written
  written,      // ... have been written
  waited,       // for the device, during the last `value` ticks
  processed,    // lists of `count` blocks from `block` on are used from now on; value: edges that
                // programs were given on this lane since its previous event of this kind
  dropped,      // `count` blocks from `block` on are no longer in memory
  kept,         // `count` blocks from `block` on were wanted, and found in memory
  worked,       // a worker was busy with one body of its executor during the last `value` ticks
  stalled,      // it waited at the barrier behind that body during the last `value` ticks
  idled,        // it waited for something to do, without a barrier
  activated,    // value: vertices activated outside of rounds on this lane since its previous one
  sampled,      // from now on the lane holds one in 2^value of what would have been noted
  found,        // block: a vertex that was activated, if it is one of those that are told; value:
                // how late it is to be taken up: the greater its level or label, the greater
};
inline constexpr std::size_t kEventKinds = 16;
inline constexpr std::array<std::string_view, kEventKinds> kEventNames = {
    "round_began", "round_ended", "asked",   "arrived", "writing", "written",
    "waited",      "processed",   "dropped", "kept",    "worked",  "stalled",
    "idled",       "activated",   "sampled", "found"};

struct Event {
  std::uint64_t time = 0;
  std::uint64_t value = 0;
  std::uint32_t block = 0;
  std::uint32_t count = 0;
  EventKind kind = EventKind::sampled;
  friend bool operator==(const Event&, const Event&) = default;
};

// The exact sums over all events of one kind on one lane, including those left out by sampling.
struct EventTotal {
  std::uint64_t events = 0;
  std::uint64_t count = 0;
  std::uint64_t value = 0;
  friend bool operator==(const EventTotal&, const EventTotal&) = default;
};
using EventTotals = std::array<EventTotal, kEventKinds>;

}  // namespace outcore
