// SPDX-License-Identifier: Apache-2.0
// The one door through which every byte of adjacency, and of the values beside it, is read and
// written.
//
// The Door owns the block files and the backend, verifies block checksums, and counts: bytes
// *requested* from the device, requests, their sizes and their times. Engines report two more
// numbers, which only they know: bytes *touched*, that is, of lists that were used; and bytes of
// *holes*, blocks that were read only because their neighbours were wanted. Writes and syncs are
// counted in the same way as far as it applies. KernelCounters takes what the *kernel* says was
// read and written. Engines use DoorChannels, or DoorViews if the backend maps: one per worker, not
// shared.
//
// The time of a request is from its submission until it is reaped, so it includes what the worker
// did with other blocks in between. A request that the backend answers in submit() took only that
// call.
//
// A DoorChannel reads and writes runs of whole blocks of one file, in one buffer, in order. When a
// run is reaped, each block that was read is verified against its checksum, before the engine sees
// it: a mismatch throws Error (io) with file, offset, found and expected checksum. Files without
// checksums are not verified, nor are backends without contents (`null`).
//
// A file is written only if it is `writable`. If it has checksums, a write sets those of its blocks
// when it is submitted, so later reads are verified against what was written. A caller that needs
// the checksums after the Door is gone takes them from file().sums. backend.h says what a sync
// covers and what is left after an error.
//
// A file may be *striped* over several (striping.h). A run that crosses from one stripe to another
// is cut into a request for each piece, and is there when all pieces are; it is the requests that
// are counted. Writes and views are for files that are not striped.
//
// A DoorView shows blocks where they are mapped. Populated blocks are counted and verified as if
// they had been read. Blocks that an engine touches without populating them are counted only by the
// kernel, as faults.
//
// Threads: a Door is shared. A DoorChannel belongs to the thread that first uses it, which must
// also destroy it while anything is in flight. Different threads may write different blocks of a
// file at once. Lifetime: a DoorChannel must not outlive its Door. After an Error a channel may
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

#include "common/error.h"
#include "common/ids.h"
#include "storage/events/event.h"
#include "storage/io/backend.h"
#include "storage/io/kernel_counters.h"  // the third count, taken beside the door
#include "storage/io/latency_histogram.h"
#include "storage/io/striping.h"

namespace outcore {

// The advice when files of a layout are damaged.
inline constexpr const char* kBuildAgain = "build the layout again";

// A file of equal blocks, and the checksum32 of each block.
struct BlockFile {
  std::filesystem::path path;
  std::uint32_t block_bytes = 4096;
  std::vector<std::uint32_t> sums = {};  // empty: not verified
  bool writable = false;                 // opened for writing too
  std::uint64_t unchecked = 0;           // number of blocks of a file without checksums
  const char* advice = kBuildAgain;      // to the user, if its blocks are damaged
  // The files that its blocks are striped over, which are only read; empty: `path` has them all.
  std::vector<std::filesystem::path> stripes = {};
  std::uint32_t stripe_blocks = 0;  // behind one another in each
  [[nodiscard]] std::uint64_t blocks() const { return sums.empty() ? unchecked : sums.size(); }
  [[nodiscard]] Striping striping() const {
    return {static_cast<std::uint32_t>(stripes.size()), stripe_blocks};
  }
  // Where a block lies: the file and the offset in it.
  [[nodiscard]] Place place_of(BlockId block) const;
};

struct IoCounters {
  std::uint64_t requests = 0;  // reads only; writes and syncs are counted separately
  std::vector<std::uint64_t> stripe_requests;  // of them, by stripe; empty: no file has any
  std::uint64_t requested_bytes = 0;
  std::uint64_t touched_bytes = 0;
  std::uint64_t hole_bytes = 0;                    // part of the requested bytes
  std::array<std::uint64_t, 16> size_histogram{};  // of reads, by log2(bytes / 4096)
  LatencyHistogram latency;                        // of reads
  std::uint64_t write_requests = 0;
  std::uint64_t written_bytes = 0;
  LatencyHistogram write_latency;
  std::uint64_t syncs = 0;
  std::uint64_t evicted_bytes = 0;  // dropped from memory when views released them
  void add_request(std::uint64_t bytes);
  void add_stripe_request(std::uint32_t stripe, std::uint64_t bytes);
  void add(const IoCounters& other);
  [[nodiscard]] nlohmann::json json() const;
};

// Neighbouring blocks of one file.
struct DoorRun {
  std::uint32_t file = 0;
  BlockId first = 0;
  std::uint32_t blocks = 0;
  bool window = false;  // for a DoorView: see MappedRange
};

class Door;

class DoorChannel {
 public:
  // `buffers` is the memory of all runs, one span that a backend may register.
  DoorChannel(Door& door, std::span<std::byte> buffers);
  ~DoorChannel();
  DoorChannel(const DoorChannel&) = delete;
  DoorChannel& operator=(const DoorChannel&) = delete;

  // Reads `blocks` neighbouring blocks of `file`, beginning with `first`, into `into`. False if the
  // channel is full: reap first.
  bool read(std::uint32_t file, BlockId first, std::uint32_t blocks, std::byte* into,
            std::uint64_t tag);
  // Writes in the same way from `from`, which must not change until the run has been reaped. Throws
  // a usage Error unless the file is writable.
  bool write(std::uint32_t file, BlockId first, std::uint32_t blocks, const std::byte* from,
             std::uint64_t tag);
  // fdatasync: once reaped, it has kept the writes to `file` that were reaped before this call.
  bool sync(std::uint32_t file, std::uint64_t tag);
  void flush();
  // Returns the tags of finished requests, with what was read verified; waits as Channel::reap
  // does.
  std::size_t reap(std::span<std::uint64_t> tags, std::size_t at_least);
  [[nodiscard]] std::size_t in_flight() const;
  void touched(std::uint64_t bytes) { counters_.touched_bytes += bytes; }
  void holes(std::uint64_t bytes) { counters_.hole_bytes += bytes; }
  // The counters of this channel so far. REQUIRES: its thread is idle.
  [[nodiscard]] const IoCounters& counters() const { return counters_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Run {
    DoorRun run;
    Op op = Op::read;
    const std::byte* bytes = nullptr;
    std::uint64_t tag = 0;
    Clock::time_point asked;
    std::uint32_t pieces = 0;  // that are still to come
  };
  // Submits the request under a slot of its own; false if the channel is full.
  bool submit(const DoorRun& run, const Request& request);
  // The same for a run of a striped file, in pieces.
  bool submit_pieces(const DoorRun& run, std::byte* into, std::uint64_t tag);
  // Submits waiting pieces, as many as the channel takes.
  void pass_on();
  // A piece of the run has come: was it the last?
  bool end_piece(std::uint32_t slot) { return --runs_[slot].pieces == 0; }
  // Adds the tags of runs that were answered in submit(), as many as there is room for.
  std::size_t take_completed(std::span<std::uint64_t> tags);
  void count_latency(const Run& run, Clock::time_point now);
  std::uint64_t take_checked(std::uint32_t slot);  // frees the slot and returns the run's tag
  void show();                                     // updates BackendOptions::gauge for a watcher
  void note(EventKind kind, const DoorRun& run) const;

  Door& door_;
  std::unique_ptr<Channel> channel_;
  std::vector<Run> runs_;  // by slot, of the requests in flight
  std::vector<std::uint32_t> free_runs_;
  std::vector<std::uint32_t> completed_;  // answered in submit(), waiting for reap()
  std::deque<Request> waiting_;           // pieces that the channel had no room for
  std::vector<Completion> arrivals_;      // scratch memory of reap()
  std::int64_t shown_in_flight_ = 0;
  std::uint64_t shown_requests_ = 0;
  std::uint64_t shown_writes_ = 0;
  IoCounters counters_;
};

class DoorView {
 public:
  // Throws a usage Error if the door's backend does not map.
  explicit DoorView(Door& door);
  ~DoorView();
  DoorView(const DoorView&) = delete;
  DoorView& operator=(const DoorView&) = delete;

  // Starts to bring the runs into memory, all at once.
  void start(std::span<const DoorRun> runs);
  // Returns when the runs of the oldest unfinished start() are in memory and verified. REQUIRES:
  // there is one.
  void finish();
  // Verifies blocks that were not populated, which brings them into memory.
  void check(const DoorRun& run) const;
  // MappedView's functions for blocks. Counts what was dropped from memory.
  void advise(const DoorRun& run, MapAdvice advice);
  void release(std::span<const DoorRun> runs);
  [[nodiscard]] std::uint64_t resident_bytes(const DoorRun& run) const;
  // The run's bytes, populated or not, valid as long as the Door.
  [[nodiscard]] std::span<const std::byte> bytes(const DoorRun& run) const;
  // The whole file's bytes, in one of its two mappings (MappedRange).
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
  void note(EventKind kind, std::span<const DoorRun> runs) const;

  std::deque<Started> started_;
  std::uint64_t in_flight_ = 0;      // runs, if events are noted
  std::vector<MappedRange> ranges_;  // scratch memory of start() and release()
  IoCounters counters_;
};

class Door {
 public:
  // Refuses files that are shorter than their blocks (bad_input with the offset of their end),
  // block sizes that are not a multiple of kAlignment, and writable files for a backend that does
  // not write (usage).
  Door(std::vector<BlockFile> files, const std::string& backend, const BackendOptions& options);
  ~Door();

  [[nodiscard]] const BlockFile& file(std::uint32_t number) const { return files_[number]; }
  [[nodiscard]] const BackendOptions& options() const { return options_; }
  // The file's first block as events number it. REQUIRES: options().events.
  [[nodiscard]] std::uint32_t first_event_block(std::uint32_t file) const {
    return first_event_blocks_[file];
  }
  [[nodiscard]] const Backend& backend() const { return *backend_; }
  // The sum over all channels and views, closed and open. REQUIRES: the threads of open ones are
  // idle.
  [[nodiscard]] IoCounters counters() const;

 private:
  friend class DoorChannel;
  friend class DoorView;
  // The run's bytes. Refuses a run that is not within its file.
  [[nodiscard]] MappedRange range_of(const DoorRun& run) const;
  // The backend's number of the file, or of its first stripe.
  [[nodiscard]] std::uint32_t number_of(std::uint32_t file) const { return numbers_[file]; }
  // Opens the file at `path`, which has so many of the file's blocks.
  void add(const BlockFile& file, const std::filesystem::path& path, std::uint64_t blocks);
  void check_writable(std::uint32_t file) const;
  // If the file has checksums, stores those of blocks that are about to be written.
  void set_sums(const DoorRun& run, const std::byte* bytes);
  // Throws unless each block of the run has its checksum.
  void check_sums(const DoorRun& run, const std::byte* bytes) const;
  // Registers and unregisters the counters of a channel or view.
  void open(const IoCounters& counters);
  void close(const IoCounters& counters);

  std::vector<BlockFile> files_;
  std::vector<std::uint32_t> numbers_;  // by file
  void tell_files(EventRecorder& events);

  std::vector<std::uint32_t> first_event_blocks_;  // by file; empty: no events are noted
  BackendOptions options_;
  std::unique_ptr<Backend> backend_;
  bool has_contents_;  // false: there is nothing to verify
  mutable std::mutex mutex_;
  std::vector<const IoCounters*> open_;
  IoCounters closed_;
};

}  // namespace outcore
