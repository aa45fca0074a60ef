// SPDX-License-Identifier: Apache-2.0
#include "storage/events/event_reader.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "common/error.h"
#include "common/files.h"
#include "storage/events/event_coding.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLongestHeader = std::size_t{1} << 20;
constexpr std::size_t kLongestPlain = std::size_t{1} << 30;
constexpr const char* kRecordAgain = "record the run again: outcore run ... --events FILE";

std::string bytes_of(const fs::path& path, std::size_t most) {
  const File file = File::open_read(path);
  std::string bytes(std::min<std::uint64_t>(file.size(), most), '\0');
  file.read(std::as_writable_bytes(std::span(bytes)), 0);
  return bytes;
}

class Reader {
 public:
  explicit Reader(fs::path path)
      : path_(std::move(path)), bytes_(bytes_of(path_, ~std::size_t{0})) {}

  EventsOfRun read() {
    read_header();
    while (run_.end.is_null() && read_record()) {
    }
    if (run_.end.is_null()) run_.cut = at_;
    if (!run_.end.is_null() && at_ != bytes_.size()) {
      refuse(fmt::format("{} bytes behind the end", bytes_.size() - at_), "nothing");
    }
    return std::move(run_);
  }

 private:
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
    throw bad_input(Place::offset(path_, at_), found, expected, kRecordAgain);
  }

  void read_header() {
    const std::size_t length = bytes_.find('\n');
    if (!bytes_.starts_with('{') || length == std::string::npos) {
      refuse("no line of JSON", "the header of a file of events");
    }
    run_.header = nlohmann::json::parse(bytes_.substr(0, length), nullptr, false);
    if (!run_.header.is_object() || !run_.header.contains("outcore_events")) {
      refuse("a line without \"outcore_events\"", "the header of a file of events");
    }
    if (const nlohmann::json& version = run_.header["outcore_events"]; version != kEventsVersion) {
      refuse(fmt::format("events of version {}", version.dump()),
             fmt::format("version {}, which this program reads", kEventsVersion));
    }
    at_ = length + 1;
  }

  // False where the file was cut: within a record, or behind one.
  bool read_record() {
    const std::string_view rest = std::string_view(bytes_).substr(at_);
    if (rest.size() < kRecordHeadBytes) return false;
    const RecordHead head = head_of(rest);
    if (head.type != kJsonRecord && head.type != kSegmentRecord) {
      refuse(fmt::format("a record of type {}", static_cast<int>(head.type)), "'J' or 'S'");
    }
    if (rest.size() - kRecordHeadBytes < head.stored) return false;
    const std::string_view stored = rest.substr(kRecordHeadBytes, head.stored);
    const std::uint32_t found = crc32_of(stored);
    if (found != head.checksum) {
      refuse(fmt::format("a record with checksum {:08x}", found),
             fmt::format("{:08x}", head.checksum));
    }
    take(head.type, unpacked(stored, head.plain));
    at_ += kRecordHeadBytes + head.stored;
    return true;
  }

  [[nodiscard]] std::string unpacked(std::string_view stored, std::size_t plain) const {
    if (plain > kLongestPlain) refuse(fmt::format("a record of {} bytes", plain), "at most 1 GiB");
    std::string bytes(plain, '\0');
    const std::size_t got =
        ZSTD_decompress(bytes.data(), bytes.size(), stored.data(), stored.size());
    if (ZSTD_isError(got) || got != plain) {
      refuse("a broken zstd frame", fmt::format("one of {} bytes", plain));
    }
    return bytes;
  }

  void take(char type, const std::string& plain) {
    if (type == kSegmentRecord) return take_segment(plain);
    const nlohmann::json json = nlohmann::json::parse(plain, nullptr, false);
    if (!json.is_object()) refuse("a record that is no JSON object", "one");
    if (const auto files = json.find("files"); files != json.end()) {
      run_.files.insert(run_.files.end(), files->begin(), files->end());
    }
    if (const auto end = json.find("end"); end != json.end()) run_.end = *end;
  }

  void take_segment(const std::string& plain) {
    constexpr std::uint32_t kMostLanes = 1 << 16;
    DecodedSegment segment;
    if (!decode_segment(plain, segment) || segment.lane >= kMostLanes) {
      refuse("a segment that does not decode", "the columns of docs/events.md");
    }
    if (run_.lanes.size() <= segment.lane) run_.lanes.resize(segment.lane + 1);
    EventsOfLane& lane = run_.lanes[segment.lane];
    lane.totals = segment.totals;
    lane.events.insert(lane.events.end(), segment.events.begin(), segment.events.end());
  }

  const fs::path path_;
  const std::string bytes_;
  std::size_t at_ = 0;
  EventsOfRun run_;
};

}  // namespace

EventTotal EventsOfRun::total(EventKind kind) const {
  EventTotal sum;
  for (const EventsOfLane& lane : lanes) {
    const EventTotal& of = lane.totals[static_cast<std::size_t>(kind)];
    sum.events += of.events;
    sum.count += of.count;
    sum.value += of.value;
  }
  return sum;
}

std::uint64_t EventsOfRun::sampled() const {
  std::uint64_t most = 0;
  for (const EventsOfLane& lane : lanes) {
    for (const Event& event : lane.events) {
      if (event.kind == EventKind::sampled) most = std::max(most, event.value);
    }
  }
  return most;
}

EventsOfRun read_events(const fs::path& path) { return Reader(path).read(); }

bool are_events(const fs::path& path) {
  try {
    const std::string head = bytes_of(path, kLongestHeader);
    const auto header = nlohmann::json::parse(head.substr(0, head.find('\n')), nullptr, false);
    return header.is_object() && header.contains("outcore_events");
  } catch (const Error&) {
    return false;
  }
}

}  // namespace outcore
