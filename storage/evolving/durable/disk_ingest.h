// SPDX-License-Identifier: Apache-2.0
// The way of a stream into a durable store: what `outcore ingest --store` does.
//
// The log lies on the disk, and the part of it that no run has lies in memory too (edge_log.h), in
// the stream's order. Three threads share the work:
//
//   the feeder    writes updates into the log in memory, and hands them to the group that fills
//   a committer   makes one group durable while the next one fills (group_commit.h)
//   a flusher     when the log is half full, sorts what is acknowledged and writes it as a run, so
//                 that its log pages may be written over; then merges runs by tiers
//
// If the log becomes full before that, the feeder stands still: a *stall*. If the disk is full, no
// run can be written. Then the log fills, nothing more is accepted, and everything that was
// acknowledged stays; the flusher tries again until there is room.
//
// Memory: 8 bytes an update of the log in memory, and 32 (48 if there are removals) while they are
// sorted.
//
// Threads: one feeds; any may call interrupt(). Lock order: feeding_, then mutex_.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "storage/evolving/durable/durable_store.h"
#include "storage/evolving/durable/group_commit.h"
#include "storage/evolving/durable/sorted_stretch.h"
#include "storage/evolving/edge_log.h"
#include "storage/evolving/stream.h"

namespace outcore::evolving {

struct DiskIngestKnobs {
  GroupCommit::Limits group;
  unsigned factor = 4;  // so many runs of a tier are merged into one; 0: none are
  std::uint64_t memory = std::uint64_t{1} << 30;
};

struct DiskIngestCounters : DurableCounters {
  LatencyHistogram commit_latency;
  std::uint64_t stalls = 0;  // of the feeder, because the log was full
  double stalled_seconds = 0;
  double flush_seconds = 0;
  double merge_seconds = 0;
};

class DiskIngest final : public UpdateSink {
 public:
  // Opens the store on the disk to write. `told` is told by a thread of this each time that more is
  // acknowledged. Throws as DurableStore does.
  DiskIngest(Disk& disk, const DiskIngestKnobs& knobs, GroupCommit::Told told);
  // What is not acknowledged may be lost: finish() or interrupt() first.
  ~DiskIngest() override;
  DiskIngest(const DiskIngest&) = delete;
  DiskIngest& operator=(const DiskIngest&) = delete;

  // Both throw what a thread met, and Error (interrupted) after interrupt().
  std::span<LogEdge> room(std::uint64_t most) override;
  void append(std::uint64_t count) override;

  // Everything is acknowledged and in runs, and the store is closed.
  void finish();
  // Everything that was taken is acknowledged, and the store is closed. A run that is being written
  // is given up.
  void interrupt();

  // The number of the last update that the store had when it was opened.
  [[nodiscard]] std::uint64_t opened_at() const { return opened_at_; }
  // How many of them only the log had, and what it took to have the store as it was before it was
  // closed or killed: its runs checked, the log replayed, and all of that durable.
  [[nodiscard]] std::uint64_t replayed() const { return replayed_; }
  [[nodiscard]] double open_seconds() const { return open_seconds_; }
  [[nodiscard]] const DurableStore& store() const { return *store_; }
  [[nodiscard]] DiskIngestCounters counters() const;
  void compact() { store_->compact(); }  // REQUIRES: finish() has returned

 private:
  using Lock = std::unique_lock<std::mutex>;

  void open(Disk& disk, std::uint64_t memory);
  void hand_on(std::span<const LogEdge> edges);
  // Waits until `there_is_room`, and counts the stall.
  template <typename Condition>
  void stall(Lock& lock, Condition&& there_is_room);
  // REQUIRES: mutex_.
  void throw_failure(const Lock& lock) const;
  void close();

  void flush_and_merge();
  // False when there will be nothing more to flush.
  bool wait_for_flush(Lock& lock);
  // How many updates are acknowledged, in memory, and in no run. REQUIRES: mutex_.
  [[nodiscard]] std::uint64_t flushable() const;
  [[nodiscard]] bool is_flush_due() const;
  void flush(Lock& lock);
  void merge(Lock& lock);
  void say_that_it_is_full(const DiskFull& error);

  std::unique_ptr<DurableStore> store_;
  const unsigned factor_;
  std::uint64_t opened_at_ = 0;
  std::uint64_t replayed_ = 0;
  double open_seconds_ = 0;
  std::mutex feeding_;        // held while updates are handed on
  mutable std::mutex mutex_;  // for all that follows
  std::condition_variable changed_;
  std::optional<EdgeLog> log_;
  std::uint64_t log_begin_ = 0;  // the number of the update before position 0 of log_
  bool feeder_waits_ = false;
  bool flushes_all_ = false;
  bool interrupted_ = false;
  bool ends_ = false;
  std::exception_ptr failure_;
  DiskIngestCounters counted_;
  bool is_closed_ = false;      // by feeding_
  bool is_full_known_ = false;  // by the flusher
  std::unique_ptr<GroupCommit> commit_;
  std::jthread flusher_;
};

}  // namespace outcore::evolving
