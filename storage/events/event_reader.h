// SPDX-License-Identifier: Apache-2.0
// Reads the events of a run (docs/events.md). Lanes are short (EventRecorder samples them), so all
// is in memory.
//
// A file without an end is a run that was killed: what was read is there, and `cut` says where it
// ends. Anything else that is unexpected is bad_input with the offset of the record.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "storage/events/event.h"

namespace outcore {

struct EventsOfLane {
  std::vector<Event> events;  // in the order of time
  EventTotals totals{};
};

struct EventsOfRun {
  nlohmann::json header;
  nlohmann::json files = nlohmann::json::array();  // {"name", "first", "blocks", "block_bytes"}
  std::vector<EventsOfLane> lanes;                 // by number
  nlohmann::json end;                              // null: the run was killed
  std::optional<std::uint64_t> cut;                // where the file ends, if it has no end

  // The sums over all lanes.
  [[nodiscard]] EventTotal total(EventKind kind) const;
  // The most events that one event stands for, as a power of 2: 0 if nothing was left out.
  [[nodiscard]] std::uint64_t sampled() const;
};

EventsOfRun read_events(const std::filesystem::path& path);

// Does the file begin like one of events? A file that cannot be read does not.
bool are_events(const std::filesystem::path& path);

}  // namespace outcore
