// SPDX-License-Identifier: Apache-2.0
#include "engines/note_found.h"

#include <bit>

#include "storage/events/event_recorder.h"

namespace outcore {

namespace {

// Priorities as numbers from 0, in the same order.
std::uint32_t lateness(Priority priority) {
  return std::bit_cast<std::uint32_t>(priority) ^ 0x8000'0000U;
}

}  // namespace

void note_found(EventRecorder& events, std::span<const Activations::Entry> entries) {
  for (const Activations::Entry& entry : entries) {
    if (!events.tells_of(entry.v)) continue;
    events.note(EventKind::found, entry.v, 0, lateness(entry.priority));
  }
}

}  // namespace outcore
