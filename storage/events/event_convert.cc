// SPDX-License-Identifier: Apache-2.0
#include "storage/events/event_convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/files.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

// A stretch of a lane's time: what its thread did from `begin` to `end`, in ticks.
struct Slice {
  std::string name;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

bool lasts(EventKind kind) {
  return kind == EventKind::waited || kind == EventKind::worked || kind == EventKind::stalled ||
         kind == EventKind::idled;
}

// The lane's slices, each within those before it or behind them: outer ones first. A wait that was
// noted inside of another slice lies in it; what would cross a border is cut there.
std::vector<Slice> slices_of(const EventsOfLane& lane) {
  std::vector<Slice> slices;
  std::map<std::uint32_t, std::uint64_t> rounds;  // that have begun, by number
  for (const Event& event : lane.events) {
    const std::string name(kEventNames[static_cast<std::size_t>(event.kind)]);
    if (lasts(event.kind)) {
      slices.push_back({name, event.time - std::min(event.time, event.value), event.time});
    } else if (event.kind == EventKind::round_began) {
      rounds[event.block] = event.time;
    } else if (event.kind == EventKind::round_ended && rounds.contains(event.block)) {
      slices.push_back({fmt::format("round {}", event.block), rounds[event.block], event.time});
      rounds.erase(event.block);
    }
  }
  std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::vector<std::uint64_t> ends;  // of the slices that are open
  for (Slice& slice : slices) {
    while (!ends.empty() && ends.back() <= slice.begin) ends.pop_back();
    if (!ends.empty()) slice.end = std::min(slice.end, ends.back());
    ends.push_back(slice.end);
  }
  return slices;
}

double microseconds(std::uint64_t ticks) {
  return static_cast<double>(ticks * kTickNanoseconds) / 1000;
}

std::string title_of(const EventsOfRun& run) {
  const auto asked = run.header.value("asked", nlohmann::json::object());
  return fmt::format("{} on {}", asked.value("workload", "?"), asked.value("engine", "?"));
}

void write(const nlohmann::json& json, const fs::path& path) {
  write_text_atomically(path, json.dump() + "\n");
}

// The requests of a lane, from being asked for until they arrive, and the depth of all lanes.
class PerfettoRequests {
 public:
  explicit PerfettoRequests(nlohmann::json& events) : events_(events) {}

  void add(std::size_t lane, const Event& event) {
    const bool begins = event.kind == EventKind::asked || event.kind == EventKind::writing;
    const bool ends = event.kind == EventKind::arrived || event.kind == EventKind::written;
    if (!begins && !ends) return;
    const bool reads = event.kind == EventKind::asked || event.kind == EventKind::arrived;
    depth_[lane] = event.value;
    std::uint64_t depth = 0;
    for (const auto& [_, of_lane] : depth_) depth += of_lane;
    events_.push_back({{"name", "requests in flight"},
                       {"ph", "C"},
                       {"pid", 1},
                       {"ts", microseconds(event.time)},
                       {"args", {{"depth", depth}}}});
    events_.push_back({{"name", reads ? "read" : "write"},
                       {"cat", "requests"},
                       {"ph", begins ? "b" : "e"},
                       {"id", fmt::format("{}.{}", lane, event.block)},
                       {"pid", 1},
                       {"tid", lane + 1},
                       {"ts", microseconds(event.time)},
                       {"args", {{"block", event.block}, {"blocks", event.count}}}});
  }

 private:
  nlohmann::json& events_;
  std::map<std::size_t, std::uint64_t> depth_;  // by lane
};

}  // namespace

void write_perfetto(const EventsOfRun& run, const fs::path& path) {
  nlohmann::json events = nlohmann::json::array();
  events.push_back(
      {{"name", "process_name"}, {"ph", "M"}, {"pid", 1}, {"args", {{"name", title_of(run)}}}});
  std::vector<std::pair<std::size_t, Event>> by_time;
  for (std::size_t lane = 0; lane < run.lanes.size(); ++lane) {
    events.push_back({{"name", "thread_name"},
                      {"ph", "M"},
                      {"pid", 1},
                      {"tid", lane + 1},
                      {"args", {{"name", fmt::format("lane {}", lane)}}}});
    for (const Slice& slice : slices_of(run.lanes[lane])) {
      events.push_back({{"name", slice.name},
                        {"ph", "X"},
                        {"pid", 1},
                        {"tid", lane + 1},
                        {"ts", microseconds(slice.begin)},
                        {"dur", microseconds(slice.end - slice.begin)}});
    }
    for (const Event& event : run.lanes[lane].events) by_time.emplace_back(lane, event);
  }
  std::stable_sort(by_time.begin(), by_time.end(),
                   [](const auto& a, const auto& b) { return a.second.time < b.second.time; });
  PerfettoRequests requests(events);
  for (const auto& [lane, event] : by_time) requests.add(lane, event);
  write({{"displayTimeUnit", "ms"}, {"traceEvents", events}, {"otherData", run.header}}, path);
}

void write_speedscope(const EventsOfRun& run, const fs::path& path) {
  nlohmann::json frames = nlohmann::json::array();
  std::map<std::string, std::size_t> frame_of;
  const auto frame = [&](const std::string& name) {
    const auto [at, is_new] = frame_of.emplace(name, frames.size());
    if (is_new) frames.push_back({{"name", name}});
    return at->second;
  };
  nlohmann::json profiles = nlohmann::json::array();
  for (std::size_t lane = 0; lane < run.lanes.size(); ++lane) {
    nlohmann::json events = nlohmann::json::array();
    std::vector<Slice> open;
    const auto close_until = [&](std::uint64_t time) {
      for (; !open.empty() && open.back().end <= time; open.pop_back()) {
        events.push_back({{"type", "C"},
                          {"frame", frame(open.back().name)},
                          {"at", microseconds(open.back().end)}});
      }
    };
    std::uint64_t last = 0;
    for (const Slice& slice : slices_of(run.lanes[lane])) {
      close_until(slice.begin);
      events.push_back(
          {{"type", "O"}, {"frame", frame(slice.name)}, {"at", microseconds(slice.begin)}});
      open.push_back(slice);
      last = std::max(last, slice.end);
    }
    close_until(last);
    profiles.push_back({{"type", "evented"},
                        {"name", fmt::format("lane {}", lane)},
                        {"unit", "microseconds"},
                        {"startValue", 0},
                        {"endValue", microseconds(last)},
                        {"events", events}});
  }
  write({{"$schema", "https://www.speedscope.app/file-format-schema.json"},
         {"exporter", "outcore"},
         {"name", title_of(run)},
         {"activeProfileIndex", 0},
         {"shared", {{"frames", frames}}},
         {"profiles", profiles}},
        path);
}

}  // namespace outcore
