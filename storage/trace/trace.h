// SPDX-License-Identifier: Apache-2.0
// Access traces: which 4 KB units of the block files an engine asked its cache for, in that order.
// They are taken *before* the cache, so that any cache can be replayed over them.
//
// Writing. There is one TraceWriter per run. All workers may call note() at once, each with its own
// index: it takes a ticket from a global counter and appends to the worker's own buffer. One thread
// calls begin_round() and close() while no worker is in note() (after the executor's run() has
// returned); these merge the buffers by ticket and write them. So rounds are separated exactly.
// Within a round the trace is the interleaving that happened, up to the instant between asking and
// taking the ticket. A worker's buffer holds kNotesInMemory notes (1 MiB); further notes go to an
// unnamed scratch file beside the trace, so memory is bounded even without rounds. close() puts the
// file at its path, replacing what was there. Before that it has a pending name, which the
// destructor removes.
//
// Reading. A TraceReader streams a file once, from front to back, with buffers of fixed size. One
// thread uses it. Anything unexpected is bad_input with the offset up to which the file was read.
//
// File format, version 1:
//
//   one line of JSON ending in '\n', keys in any order: {"outcore_trace": 1, "graph", "layout",
//     "engine", "workload", "unit_bytes", "layout_bytes", "raw_bytes", "workers",
//     "file_units": [units of each file]}
//   then one zstd frame with content checksum, to the end of the file, of records. Numbers are
//   LEB128 varints. A record begins with a number whose two low bits are its kind and whose other
//   bits are x:
//     0  access to one unit: unit = previous + unzigzag(x), where `previous` is the unit after the
//        last one accessed (0 at first)
//     1  access to a run of units: the first as above, then a number: how many (2 or more)
//     2  round x begins; x ascends. Accesses before the first such record belong to round 0.
//     3  end, x = 0; then two numbers: all units accessed, records of kind 2. Nothing follows.
//
// A unit's id is its number within its file plus the number of units in the files before it. Ids
// fit 32 bits.
#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/files.h"

namespace outcore {

inline constexpr int kTraceVersion = 1;

struct TraceHeader {
  std::string graph;
  std::string layout;
  std::string engine;
  std::string workload;
  std::uint32_t unit_bytes = 4096;
  std::uint64_t layout_bytes = 0;  // of the block files
  std::uint64_t raw_bytes = 0;     // 4 bytes per edge: what cache sizes in % refer to
  unsigned workers = 1;
  std::vector<std::uint64_t> file_units;  // units of each block file, by file number

  [[nodiscard]] std::uint64_t units() const;  // of all files: ids are below this
  [[nodiscard]] nlohmann::json json() const;
};

struct TraceTotals {
  std::uint64_t accesses = 0;  // units
  std::uint64_t rounds = 0;    // begun by begin_round()
  friend bool operator==(const TraceTotals&, const TraceTotals&) = default;
};

class TraceWriter {
 public:
  static constexpr std::size_t kNotesInMemory = 65536;  // per worker

  // Throws a usage Error if the files hold more units than there are ids (16 TiB of 4 KB units).
  TraceWriter(const std::filesystem::path& path, TraceHeader header);
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  // `worker` asks for `units` neighbouring units of `file`, beginning with `first_unit`. Throws
  // only if the scratch file cannot be written.
  void note(unsigned worker, std::uint32_t file, std::uint64_t first_unit, std::uint32_t units) {
    assert(file < first_of_file_.size() && first_unit + units <= header_.file_units[file] &&
           "a unit outside of the file");
    if (units == 0) return;
    Lane& lane = lanes_[worker];
    // Relaxed: only the counter's own modification order matters. The note itself is read after the
    // workers have been waited for, which orders it.
    const std::uint64_t ticket = ticket_.fetch_add(1, std::memory_order_relaxed);
    lane.notes.push_back(
        {ticket, static_cast<std::uint32_t>(first_of_file_[file] + first_unit), units});
    if (lane.notes.size() == kNotesInMemory) spill(lane);
  }

  // The following notes belong to round `round`; rounds ascend.
  void begin_round(std::uint64_t round);

  // Writes the rest and gives the file its name. Nothing may be called afterwards.
  TraceTotals close();

 private:
  struct Note {
    std::uint64_t ticket;
    std::uint32_t first;
    std::uint32_t units;
  };
  // What one worker writes, on a cache line of its own.
  struct alignas(128) Lane {
    std::vector<Note> notes;
    File scratch;
    std::uint64_t spilled = 0;  // notes in `scratch`, older than those in memory
  };
  class LaneCursor;
  class Encoder;

  void spill(Lane& lane);
  void merge();

  PendingFile pending_;
  TraceHeader header_;
  std::vector<std::uint64_t> first_of_file_;
  std::vector<Lane> lanes_;
  alignas(128) std::atomic<std::uint64_t> ticket_{0};
  alignas(128) std::unique_ptr<Encoder> encoder_;
};

// An access to `units` neighbouring units, beginning with id `first`, in round `round`.
struct TraceRun {
  std::uint64_t round = 0;
  std::uint32_t first = 0;
  std::uint32_t units = 0;
  friend bool operator==(const TraceRun&, const TraceRun&) = default;
};

struct TraceEvent {
  enum class Kind : std::uint8_t { run, round } kind = Kind::run;
  TraceRun run;  // for kind round only its number
};

// The events of a run, from front to back.
class TraceEvents {
 public:
  TraceEvents() = default;
  virtual ~TraceEvents() = default;
  TraceEvents(const TraceEvents&) = delete;
  TraceEvents& operator=(const TraceEvents&) = delete;
  // The next access or beginning of a round; false at the end.
  virtual bool next(TraceEvent& event) = 0;
  // The next events, as many as there is room for, which avoids a call for each; 0 at the end.
  virtual std::size_t take(std::span<TraceEvent> events);
};

class TraceReader final : public TraceEvents {
 public:
  using Event = TraceEvent;
  explicit TraceReader(std::filesystem::path path);
  ~TraceReader() override;
  TraceReader(const TraceReader&) = delete;
  TraceReader& operator=(const TraceReader&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const TraceHeader& header() const { return header_; }

  // When it returns false, the file has been verified.
  bool next(Event& event) override;
  std::size_t take(std::span<Event> events) override;

 private:
  class Decoder;
  void read_header();
  [[nodiscard]] std::uint64_t number();
  std::size_t take_runs(std::span<Event> events);
  void read_run(std::uint64_t record, bool single, TraceRun& run);
  void verify_end(std::uint64_t record);
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const;

  std::filesystem::path path_;
  TraceHeader header_;
  std::unique_ptr<Decoder> decoder_;
  std::uint64_t limit_ = 0;     // ids are below this
  std::uint64_t previous_ = 0;  // the unit after the last one accessed
  std::uint64_t round_ = 0;
  TraceTotals totals_;
  bool ended_ = false;
};

}  // namespace outcore
