// SPDX-License-Identifier: Apache-2.0
// The one door through which every byte of adjacency, and of values that lie beside it, is read and
// written.
//
// The Door owns the block files and the backend, checks what comes in (block checksums) and counts
// on the way: bytes *requested* from the device, requests, their sizes, how long they took, and
// (told by engines, who alone know) bytes *touched*, the lists that were used, and those of
// *holes*, blocks that were read only because their neighbours were wanted; of writes and syncs the
// same as far as it applies. What the *kernel* says was read and written is taken by
// KernelCounters. Engines use DoorChannels, or DoorViews where the backend maps: one per worker,
// not shared.
//
// A request's time is from submitting it to reaping it, so it includes what the worker did with
// other blocks before it asked again; one that the backend answers in submit() took that long.
//
// A DoorChannel reads and writes runs of whole blocks of one file, in one buffer, in order. Each
// block that was read is checked against its checksum when the run is reaped, before the engine
// sees it: a mismatch throws Error (io) with file, offset, found and expected sums. A file without
// sums is not checked, nor is a backend that has no contents (`null`).
//
// A file is written only if it is `writable`. If it has sums, a write sets those of its blocks when
// it is submitted, so that later reads are checked against what was written; the caller that wants
// them after the Door takes them from file().sums. What a sync covers, and what is left after an
// error, is said in backend.h.
//
// A DoorView shows blocks where they are mapped. What is populated is counted and checked as if it
// had been read; blocks that an engine touches without are counted by the kernel alone, as faults.
//
// Threads: a Door is shared; a DoorChannel belongs to the thread that first uses it, which also
// destroys it while anything is in flight. Different blocks of a file may be written by different
// threads at once. Lifetime: a DoorChannel must not outlive its Door. After an Error a channel may
// only be destroyed, which waits for what is in flight.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "common/ids.h"
#include "storage/io/backend.h"
#include "storage/io/kernel_counters.h"  // the third count, taken beside the door
#include "storage/io/latency_histogram.h"

namespace outcore {

// What helps where files of a layout are damaged.
inline constexpr const char* kBuildAgain = "build the layout again";

// A file of equal blocks and the checksum32 of each.
struct BlockFile {
  std::filesystem::path path;
  std::uint32_t block_bytes = 4096;
  std::vector<std::uint32_t> sums;  // empty: not checked
  bool writable = false;            // opened for writing too
  std::uint64_t unchecked = 0;      // blocks of a file without sums
  [[nodiscard]] std::uint64_t blocks() const { return sums.empty() ? unchecked : sums.size(); }
};

struct IoCounters {
  std::uint64_t requests = 0;  // reads; writes and syncs are counted apart
  std::uint64_t requested_bytes = 0;
  std::uint64_t touched_bytes = 0;
  std::uint64_t hole_bytes = 0;                    // of requested
  std::array<std::uint64_t, 16> size_histogram{};  // of reads, by log2(bytes / 4096)
  LatencyHistogram latency;                        // of reads
  std::uint64_t write_requests = 0;
  std::uint64_t written_bytes = 0;
  LatencyHistogram write_latency;
  std::uint64_t syncs = 0;
  std::uint64_t evicted_bytes = 0;  // that left memory when views released them
  void add_request(std::uint64_t bytes);
  void add(const IoCounters& other);
  [[nodiscard]] nlohmann::json json() const;
};

// Neighbouring blocks of one file.
struct DoorRun {
  std::uint32_t file = 0;
  BlockId first = 0;
  std::uint32_t blocks = 0;
  bool window = false;  // by a DoorView: see MappedRange
};

class Door;

class DoorChannel {
 public:
  // `buffers` is where all runs will go, one span that a backend may register.
  DoorChannel(Door& door, std::span<std::byte> buffers);
  ~DoorChannel();
  DoorChannel(const DoorChannel&) = delete;
  DoorChannel& operator=(const DoorChannel&) = delete;

  // `blocks` neighbouring blocks of `file` from `first`, into `into`. False when the channel is
  // full: reap first.
  bool read(std::uint32_t file, BlockId first, std::uint32_t blocks, std::byte* into,
            std::uint64_t tag);
  // The same, from `from`, which must not change before the run was reaped. A usage Error unless
  // the file is writable.
  bool write(std::uint32_t file, BlockId first, std::uint32_t blocks, const std::byte* from,
             std::uint64_t tag);
  // fdatasync: reaped, it keeps the writes to `file` that were reaped before it was asked for.
  bool sync(std::uint32_t file, std::uint64_t tag);
  void flush();
  // Tags of finished requests, what was read checked; waits as Channel::reap does.
  std::size_t reap(std::span<std::uint64_t> tags, std::size_t at_least);
  [[nodiscard]] std::size_t in_flight() const;
  void touched(std::uint64_t bytes) { counters_.touched_bytes += bytes; }
  void holes(std::uint64_t bytes) { counters_.hole_bytes += bytes; }
  // Of this channel so far; not while its thread is at work.
  [[nodiscard]] const IoCounters& counters() const { return counters_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Run {
    DoorRun run;
    Op op = Op::read;
    const std::byte* bytes = nullptr;
    std::uint64_t tag = 0;
    Clock::time_point asked;
  };
  // Submits, tagged with a slot of its own; false when the channel is full.
  bool submit(const DoorRun& run, const Request& request);
  void count_latency(const Run& run, Clock::time_point now);
  std::uint64_t take_checked(std::uint32_t slot);  // frees the slot, returns the run's tag
  void show();                                     // to whoever watches BackendOptions::gauge

  Door& door_;
  std::unique_ptr<Channel> channel_;
  std::vector<Run> runs_;  // slots of requests in flight
  std::vector<std::uint32_t> free_runs_;
  std::vector<std::uint32_t> completed_;  // answered by submit itself, waiting for reap
  std::vector<Completion> arrivals_;      // scratch of reap
  std::int64_t shown_in_flight_ = 0;
  std::uint64_t shown_requests_ = 0;
  std::uint64_t shown_writes_ = 0;
  IoCounters counters_;
};

class DoorView {
 public:
  // Throws a usage Error when the door's backend does not map.
  explicit DoorView(Door& door);
  ~DoorView();
  DoorView(const DoorView&) = delete;
  DoorView& operator=(const DoorView&) = delete;

  // Begins to bring the runs into memory, all under way at once.
  void start(std::span<const DoorRun> runs);
  // Returns when the runs of the oldest start() are there, every block checked. REQUIRES: one that
  // is not finished.
  void finish();
  // Checks blocks that were not populated, which brings them into memory.
  void check(const DoorRun& run) const;
  // MappedView's, of blocks. What left memory is counted.
  void advise(const DoorRun& run, MapAdvice advice);
  void release(std::span<const DoorRun> runs);
  [[nodiscard]] std::uint64_t resident_bytes(const DoorRun& run) const;
  // The run's bytes, populated or not, for as long as the Door lives.
  [[nodiscard]] std::span<const std::byte> bytes(const DoorRun& run) const;
  // The whole file's, in one of its two mappings (MappedRange).
  [[nodiscard]] std::span<const std::byte> bytes_of(std::uint32_t file, bool window) const {
    return view_->bytes(file, window);
  }
  void touched(std::uint64_t bytes) { counters_.touched_bytes += bytes; }
  void holes(std::uint64_t bytes) { counters_.hole_bytes += bytes; }
  [[nodiscard]] const IoCounters& counters() const { return counters_; }

 private:
  Door& door_;
  std::unique_ptr<MappedView> view_;
  struct Started {
    std::chrono::steady_clock::time_point asked;
    std::vector<DoorRun> runs;
  };
  std::deque<Started> started_;
  std::vector<MappedRange> ranges_;  // scratch of start and release
  IoCounters counters_;
};

class Door {
 public:
  // Refuses files that are shorter than their blocks (bad_input with the offset where they end),
  // block sizes that are no multiple of kAlignment, and writable files of a backend that writes
  // none (usage).
  Door(std::vector<BlockFile> files, const std::string& backend, const BackendOptions& options);
  ~Door();

  [[nodiscard]] const BlockFile& file(std::uint32_t number) const { return files_[number]; }
  [[nodiscard]] const BackendOptions& options() const { return options_; }
  [[nodiscard]] const Backend& backend() const { return *backend_; }
  // Sum over all channels and views, closed and open. REQUIRES: the threads of open ones are idle.
  [[nodiscard]] IoCounters counters() const;

 private:
  friend class DoorChannel;
  friend class DoorView;
  // Refuses a run that is none of the file's; its bytes otherwise.
  [[nodiscard]] MappedRange range_of(const DoorRun& run) const;
  void check_writable(std::uint32_t file) const;
  // Notes the sums of blocks that are to be written, of a file that has sums.
  void set_sums(const DoorRun& run, const std::byte* bytes);
  // Throws unless each block of the run has its sum.
  void check_sums(const DoorRun& run, const std::byte* bytes) const;
  // Of a channel or view, from when it begins to when it ends.
  void open(const IoCounters& counters);
  void close(const IoCounters& counters);

  std::vector<BlockFile> files_;
  BackendOptions options_;
  std::unique_ptr<Backend> backend_;
  bool has_contents_;  // else there is nothing to sum
  mutable std::mutex mutex_;
  std::vector<const IoCounters*> open_;
  IoCounters closed_;
};

}  // namespace outcore
