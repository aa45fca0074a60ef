// SPDX-License-Identifier: Apache-2.0
// The half of a store that survives: the edge log, the runs and the manifest. docs/store.md has the
// format and the argument for the order of writes.
//
// A store is a sequence of numbered updates, from 1. It is opened as exactly the first P of them:
// at least those that were acknowledged, at most those that were handed over. The log keeps an
// update until a run has it.
//
//   append    numbers updates and puts them into the group that fills
//   commit    makes the group durable, and by that acknowledges it
//   flush     writes a run of the updates that no run has, and lets their log pages be written over
//   merge     makes one run of several neighbours
//
// Errors: after DiskFull the store goes on as if nothing had been asked. After any other Error of a
// write or a sync nothing is acknowledged any more, and every call says so: what the disk has is
// unknown until the store is opened again.
//
// Threads: one feeds (append, close_group), one commits (write_group), one flushes and merges. Only
// a store that is opened to write has them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "storage/evolving/durable/durable_log.h"
#include "storage/evolving/durable/store_manifest.h"

namespace outcore::evolving {

struct StoreOptions {
  VertexId limit = 0;           // ids must be below
  std::uint64_t log_pages = 0;  // at least 2
  unsigned id_bytes = 4;        // in the log and in newer runs; 3 for limits up to 2^24
  std::string codec = "raw";    // of runs: of a layout (storage/layout/codec.h)
};

struct DurableCounters {
  std::uint64_t commits = 0;
  std::uint64_t log_bytes = 0;
  std::uint64_t flushes = 0;
  std::uint64_t run_bytes = 0;  // of flushes
  std::uint64_t merges = 0;
  std::uint64_t merge_bytes = 0;
};

class DurableStore {
 public:
  struct Opening {
    Access access = Access::read;
    // Open up to the last good page of a damaged log. lost() says what is behind it.
    bool salvage = false;
  };

  // An empty store, durable when this returns. What a creation that was cut off left is replaced.
  // Throws a usage Error where there is a store, or for options that cannot be.
  static void create(Disk& disk, const StoreOptions& options);

  // Opens what is there and hands the updates that no run has to `replay`, in order. To read, it
  // writes nothing. Throws bad_input for damage, with file and offset.
  DurableStore(Disk& disk, Opening opening, const ReplayFn& replay);

  // The number of the last update that is sure to be there: that of opening, then of commits.
  // Acquire: who sees the number may rely on everything that was done for it.
  [[nodiscard]] std::uint64_t acknowledged() const {
    return acknowledged_.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::uint64_t appended() const { return log_->added(); }
  [[nodiscard]] std::uint64_t flushed() const;
  [[nodiscard]] VertexId limit() const { return options_.limit; }
  // Ids of the updates that runs hold are below.
  [[nodiscard]] VertexId vertices() const;
  // What a damaged log has lost, for people; empty if nothing.
  [[nodiscard]] const std::string& lost() const { return lost_; }
  [[nodiscard]] std::vector<Run> runs() const;
  [[nodiscard]] std::uint64_t removals_missed() const;
  [[nodiscard]] DurableCounters counters() const;

  // Returns how many were taken. Fewer if the group is full, which commit() mends, or the log is,
  // which flush() does. Throws a usage Error for an id over the limit, before it takes any.
  std::size_t append(std::span<const Update> updates);
  [[nodiscard]] bool log_full() const { return log_->full(); }
  [[nodiscard]] std::uint64_t log_pages() const { return options_.log_pages; }
  [[nodiscard]] std::uint64_t updates_of_page() const {
    return LogPage::updates_of(options_.id_bytes);
  }
  [[nodiscard]] unsigned id_bytes() const { return options_.id_bytes; }
  [[nodiscard]] const std::string& codec() const { return options_.codec; }
  [[nodiscard]] std::uint64_t log_pages_used() const { return log_->used(); }
  // Returns the number of the last update that is acknowledged.
  std::uint64_t commit();
  // The two halves of it. While one group is written the next may fill, but groups are written one
  // after the other.
  LogGroup close_group() { return log_->close(); }
  std::uint64_t write_group(LogGroup& group);

  // Writes a run of the updates (flushed(), last], whose ids are below `vertices`; `out` and `in`
  // are what they do. It is durable when this returns. REQUIRES: last is acknowledged.
  void flush(std::uint64_t last, VertexId vertices, ChangeSource& out, ChangeSource& in);
  // Merges the newest `factor` runs if they were merged equally often. Did it?
  bool merge_tier(unsigned factor);
  // Makes one run of all, in the store's codec.
  void compact();

  // By any thread: a run that is being written is given up, and so is every later one. The flush or
  // merge that writes it throws Error (interrupted), and the store is what it was before.
  // Relaxed: nothing but the flag itself is read by the thread that sees it.
  void stop_runs() { stopped_.store(true, std::memory_order_relaxed); }

  // The runs, the oldest first, from the list of `first` on. They may be read when a writer has
  // removed them. Throws bad_input for damage.
  using Sources = std::vector<std::unique_ptr<ChangeSource>>;
  [[nodiscard]] Sources open_runs(Direction direction, VertexId first = 0) const;
  // What all runs together do: for each list how often each neighbour stands in it.
  [[nodiscard]] std::unique_ptr<StandingCopies> read(Direction direction) const;

  // A clean end: afterwards damage to the end of the log is told from a torn tail.
  void close();

 private:
  void refuse_after_failure() const;
  void fail(const Error& error);
  // Writes a run, and makes the manifest durable into which `change(manifest, run)` puts it. If the
  // disk is full nothing is left of it.
  template <typename Change>
  WrittenRun add_run(const Run& run, VertexId vertices, BothDirections changes, Change&& change);
  [[nodiscard]] Run next_run(UpdateRange updates, unsigned tier) const;
  void merge(std::size_t first, std::size_t count);
  // Makes the manifest durable that `change` makes of the current one, and then the current one.
  template <typename Change>
  void replace_manifest(Change&& change);
  void begin_writing();
  void sweep();

  Disk& disk_;
  std::unique_ptr<DiskLock> lock_;
  StoreManifest manifest_;
  StoreOptions options_;  // of the manifest, which does not change them: for the one who feeds
  std::unique_ptr<DurableLog> log_;
  std::string lost_;
  // Release, by the committer, after the sync has returned.
  std::atomic<std::uint64_t> acknowledged_{0};
  std::atomic<bool> stopped_{false};
  mutable std::mutex mutex_;  // for manifest_, counters_ and failure_
  DurableCounters counters_;
  std::string failure_;
};

}  // namespace outcore::evolving
