// SPDX-License-Identifier: Apache-2.0
// Records the events of a run into a file (event.h says what they are, docs/events.md how the file
// looks).
//
// Each thread notes into a lane of its own, without locks; a thread's first event takes one lock.
// A thread of the recorder writes what was noted every tenth of a second, each lane's part as a
// segment that can be read alone. So a run that is killed leaves a file that can be read up to
// there, and memory does not grow with the run. A lane keeps kKept events whole; after that it
// keeps one in two, then one in four and so on (EventSampling).
//
// Without a path it writes no file, and only tells its listener.
//
// Threads: mine(), add_files() and watch() from any. close() once, when no thread notes any more.
// The destructor of a recorder that was not closed leaves the file without an end.
#pragma once

#include <condition_variable>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "common/executor.h"
#include "common/files.h"
#include "storage/events/event_lane.h"

namespace outcore {

// What add_files() is told of a file.
struct EventFile {
  std::string name;
  std::uint64_t blocks = 0;
  std::uint32_t block_bytes = 4096;
};

// Hears what is recorded, as it is recorded: for a picture of a run that goes on.
class EventListener {
 public:
  EventListener() = default;
  virtual ~EventListener() = default;
  EventListener(const EventListener&) = delete;
  EventListener& operator=(const EventListener&) = delete;
  // What a lane noted since the last call for it, in the order of time. The recorder's thread calls
  // it, every tenth of a second. Must not throw.
  virtual void hear(std::span<const Event> events) = 0;
};

class EventRecorder {
 public:
  static constexpr std::uint64_t kKept = 200'000;  // events of a lane that are not sampled

  // `header` describes the run, for readers who have no other file. An empty path: no file. The
  // listener must outlive the recorder.
  EventRecorder(const std::filesystem::path& path, const nlohmann::json& header,
                std::uint64_t kept = kKept, EventListener* listener = nullptr);
  ~EventRecorder();
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  // The calling thread's lane.
  EventLane& mine();
  void note(EventKind kind, std::uint64_t block, std::uint64_t count, std::uint64_t value) {
    mine().note(kind, static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(count), value);
  }
  // Of which vertices found() tells (EventSampling). REQUIRES: no engine runs yet.
  void set_vertices(std::uint64_t vertices) { sampling_.set_vertices(vertices); }
  [[nodiscard]] bool tells_of(std::uint32_t vertex) const { return sampling_.tells_of(vertex); }
  // Numbers the blocks of a door's files; returns the number of the first.
  std::uint32_t add_files(std::span<const EventFile> files);
  // For an executor, whose workers' bodies and barriers are noted from then on. The recorder must
  // outlive it.
  [[nodiscard]] std::unique_ptr<ExecutorWatch> watch();

  // Writes the rest, and `end`: how the run went. Throws what writing the file threw.
  void close(const nlohmann::json& end);

 private:
  class Watch;

  [[nodiscard]] bool has_file() const { return file_.fd() >= 0; }
  EventLane& add_lane();
  void write_until_told();
  void write_segments(bool last);
  void write_segment(const EventLane& lane, std::span<const Event> events);
  void write_json(const nlohmann::json& json);
  void write_record(char type, const std::string& plain);

  const std::uint64_t id_;  // of all recorders of the process, so that threads know theirs
  const EventLane::Clock::time_point start_ = EventLane::Clock::now();
  EventSampling sampling_;
  EventListener* const listener_;
  File file_;               // none without a path
  std::mutex lanes_mutex_;  // guards lanes_ and blocks_
  std::vector<std::unique_ptr<EventLane>> lanes_;
  std::uint64_t blocks_ = 0;  // of all files so far
  std::mutex file_mutex_;     // guards file_ and failure_
  std::exception_ptr failure_;
  std::vector<Event> taken_;  // scratch memory of write_segments()
  std::mutex told_mutex_;     // guards told_
  std::condition_variable tell_;
  bool told_ = false;
  std::thread thread_;
};

// Notes, where there is a recorder, how long its scope took: a wait that the door does not see.
class WaitNote {
 public:
  explicit WaitNote(EventRecorder* events, EventKind kind = EventKind::waited)
      : lane_(events != nullptr ? &events->mine() : nullptr),
        kind_(kind),
        begin_(lane_ != nullptr ? lane_->now() : 0) {}
  ~WaitNote() {
    if (lane_ != nullptr) lane_->note_since(kind_, begin_);
  }
  WaitNote(const WaitNote&) = delete;
  WaitNote& operator=(const WaitNote&) = delete;

 private:
  EventLane* lane_;
  EventKind kind_;
  std::uint64_t begin_;
};

}  // namespace outcore
