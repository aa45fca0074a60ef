// SPDX-License-Identifier: Apache-2.0
#include "storage/events/event_recorder.h"

#include <fmt/format.h>
#include <zstd.h>

#include <atomic>
#include <limits>

#include "common/error.h"
#include "storage/events/event_coding.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kWritesEvery(100);
constexpr int kEventsCompression = 1;  // the run shares its processors with it

std::atomic<std::uint64_t> recorders{0};

File open_events(const fs::path& path) {
  if (path.empty()) return {};
  if (path.has_parent_path()) fs::create_directories(path.parent_path());
  return File::create(file_to_write(path));
}

}  // namespace

// Notes what an executor's workers do. A worker's slot is written by its thread in began() and
// ended(), and read in met() by the thread that called run(): the executor's mutex orders them.
class EventRecorder::Watch final : public ExecutorWatch {
 public:
  explicit Watch(EventRecorder& recorder) : recorder_(recorder) {}
  void open(unsigned workers) override { slots_ = std::vector<Slot>(workers); }
  void began(unsigned worker) override {
    slots_[worker].lane = &recorder_.mine();
    slots_[worker].time = slots_[worker].lane->now();
  }
  void ended(unsigned worker) override {
    Slot& slot = slots_[worker];
    slot.lane->note_since(EventKind::worked, slot.time);
    slot.time = slot.lane->now();
  }
  void met() override {
    for (const Slot& slot : slots_) slot.lane->note_since(EventKind::stalled, slot.time);
  }

 private:
  struct alignas(64) Slot {
    EventLane* lane = nullptr;
    std::uint64_t time = 0;
  };
  EventRecorder& recorder_;
  std::vector<Slot> slots_;
};

EventRecorder::EventRecorder(const fs::path& path, const nlohmann::json& header, std::uint64_t kept,
                             EventListener* listener)
    : id_(recorders.fetch_add(1, std::memory_order_relaxed) + 1),
      sampling_(kept, 0),
      listener_(listener),
      file_(open_events(path)) {
  nlohmann::json line = {{"outcore_events", kEventsVersion},
                         {"tick_ns", kTickNanoseconds},
                         {"kinds", kEventNames},
                         {"kept", kept}};
  if (header.is_object()) line.update(header);
  const std::string text = line.dump() + "\n";
  if (has_file()) file_.write(std::as_bytes(std::span(text)));
  thread_ = std::thread([this] { write_until_told(); });
}

EventRecorder::~EventRecorder() {
  {
    const std::lock_guard lock(told_mutex_);
    told_ = true;
  }
  tell_.notify_all();
  if (thread_.joinable()) thread_.join();
}

EventLane& EventRecorder::mine() {
  thread_local std::uint64_t recorder = 0;
  thread_local EventLane* lane = nullptr;
  if (recorder != id_) {
    lane = &add_lane();
    recorder = id_;
  }
  return *lane;
}

EventLane& EventRecorder::add_lane() {
  const std::lock_guard lock(lanes_mutex_);
  lanes_.push_back(
      std::make_unique<EventLane>(static_cast<std::uint32_t>(lanes_.size()), start_, sampling_));
  return *lanes_.back();
}

std::uint32_t EventRecorder::add_files(std::span<const EventFile> files) {
  std::uint64_t first = 0;
  nlohmann::json named = nlohmann::json::array();
  {
    const std::lock_guard lock(lanes_mutex_);
    first = blocks_;
    for (const EventFile& file : files) {
      named.push_back({{"name", file.name},
                       {"first", blocks_},
                       {"blocks", file.blocks},
                       {"block_bytes", file.block_bytes}});
      blocks_ += file.blocks;
    }
    if (blocks_ > std::numeric_limits<std::uint32_t>::max()) {
      throw usage_error(fmt::format(
          "--events: events name at most 2^32 - 1 blocks, and the files have {}", blocks_));
    }
    if (first == 0) sampling_.set_blocks(blocks_);
  }
  write_json({{"files", named}});
  return static_cast<std::uint32_t>(first);
}

std::unique_ptr<ExecutorWatch> EventRecorder::watch() { return std::make_unique<Watch>(*this); }

void EventRecorder::close(const nlohmann::json& end) {
  {
    const std::lock_guard lock(told_mutex_);
    told_ = true;
  }
  tell_.notify_all();
  thread_.join();
  write_json({{"end", end}});
  if (failure_) std::rethrow_exception(failure_);
}

void EventRecorder::write_until_told() {
  for (bool last = false; !last;) {
    {
      std::unique_lock lock(told_mutex_);
      last = tell_.wait_for(lock, kWritesEvery, [this] { return told_; });
    }
    write_segments(last);
  }
}

// The last segment of a lane tells its sums even where every event since was left out.
void EventRecorder::write_segments(bool last) {
  std::vector<EventLane*> lanes;
  {
    const std::lock_guard lock(lanes_mutex_);
    for (const auto& lane : lanes_) lanes.push_back(lane.get());
  }
  for (EventLane* lane : lanes) {
    taken_.clear();
    lane->take(taken_);
    if (listener_ != nullptr) listener_->hear(taken_);
    if (has_file() && (last || !taken_.empty())) write_segment(*lane, taken_);
  }
}

void EventRecorder::write_segment(const EventLane& lane, std::span<const Event> events) {
  write_record(kSegmentRecord, encode_segment({lane.number(), lane.totals(), events}));
}

void EventRecorder::write_json(const nlohmann::json& json) {
  if (has_file()) write_record(kJsonRecord, json.dump());
}

// Goes on without a file that cannot be written: the run shall not end half done for it. close()
// throws the error.
void EventRecorder::write_record(char type, const std::string& plain) {
  const std::lock_guard lock(file_mutex_);
  if (failure_) return;
  try {
    std::string stored(ZSTD_compressBound(plain.size()), '\0');
    const std::size_t bytes =
        ZSTD_compress(stored.data(), stored.size(), plain.data(), plain.size(), kEventsCompression);
    if (ZSTD_isError(bytes)) {
      throw Error(ExitCode::internal,
                  fmt::format("{}: zstd: {}", file_.path().string(), ZSTD_getErrorName(bytes)));
    }
    stored.resize(bytes);
    const std::string record = record_of(type, plain.size(), stored);
    file_.write(std::as_bytes(std::span(record)));
  } catch (...) {
    failure_ = std::current_exception();
  }
}

}  // namespace outcore
