// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/disk_ingest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/stopwatch.h"
#include "common/terminal.h"

namespace outcore::evolving {

namespace {

// Of the log in memory, with what sorting all of it takes.
constexpr std::uint64_t kBytesAnUpdate = 56;
constexpr std::uint64_t kLeastInMemory = 4096;

std::uint64_t updates_in_memory(const DurableStore& store, std::uint64_t memory,
                                std::uint64_t replayed) {
  const std::uint64_t on_disk = std::bit_ceil(store.log_pages() * store.updates_of_page());
  const std::uint64_t affordable =
      std::bit_floor(std::max(memory / kBytesAnUpdate, kLeastInMemory));
  // What was replayed is there already, and one more must have room.
  return std::max(std::min(on_disk, affordable), std::bit_ceil(replayed + 1));
}

}  // namespace

DiskIngest::DiskIngest(Disk& disk, const DiskIngestKnobs& knobs, GroupCommit::Told told)
    : factor_(knobs.factor) {
  open(disk, knobs.memory);
  commit_ = std::make_unique<GroupCommit>(*store_, knobs.group,
                                          [this, told = std::move(told)](std::uint64_t last) {
                                            if (told) told(last);
                                            const std::lock_guard lock(mutex_);
                                            changed_.notify_all();
                                          });
  flusher_ = std::jthread([this] { flush_and_merge(); });
}

DiskIngest::~DiskIngest() {
  store_->stop_runs();
  const std::lock_guard lock(mutex_);
  ends_ = true;
  changed_.notify_all();
}

void DiskIngest::open(Disk& disk, std::uint64_t memory) {
  const Stopwatch watch;
  std::vector<LogEdge> replayed;
  const auto keep = [&](std::span<const Update> updates) {
    for (const Update& update : updates) replayed.push_back(as_logged(update));
  };
  store_ = std::make_unique<DurableStore>(
      disk, DurableStore::Opening{.access = Access::write, .salvage = false}, keep);
  opened_at_ = store_->acknowledged();
  replayed_ = replayed.size();
  log_begin_ = store_->flushed();
  log_.emplace(updates_in_memory(*store_, memory, replayed.size()), false);
  const std::span<LogEdge> room = log_->room(replayed.size());
  std::copy_n(replayed.begin(), room.size(), room.begin());
  log_->appended(room.size());
  open_seconds_ = watch.seconds();
}

std::span<LogEdge> DiskIngest::room(std::uint64_t most) {
  Lock lock(mutex_);
  throw_failure(lock);
  stall(lock, [this] { return log_->free() > 0; });
  return log_->room(most);
}

void DiskIngest::append(std::uint64_t count) {
  const std::lock_guard feeding(feeding_);
  std::span<const LogEdge> edges;
  {
    const Lock lock(mutex_);
    throw_failure(lock);
    edges = log_->room(count);
  }
  hand_on(edges);
}

void DiskIngest::hand_on(std::span<const LogEdge> edges) {
  std::array<Update, 2048> updates;
  while (!edges.empty()) {
    const std::size_t count = std::min(edges.size(), updates.size());
    std::transform(edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(count),
                   updates.begin(), as_update);
    const std::size_t taken = commit_->append(std::span(updates).first(count));
    edges = edges.subspan(taken);
    Lock lock(mutex_);
    log_->appended(taken);
    throw_failure(lock);
    if (taken < count) stall(lock, [this] { return !store_->log_full(); });
  }
}

template <typename Condition>
void DiskIngest::stall(Lock& lock, Condition&& there_is_room) {
  if (there_is_room()) return;
  ++counted_.stalls;
  const Stopwatch watch;
  feeder_waits_ = true;
  changed_.notify_all();
  while (!there_is_room() && failure_ == nullptr && !interrupted_) {
    // A committer that failed notifies nobody, so the wait is bounded and asks it.
    changed_.wait_for(lock, std::chrono::milliseconds(100));
    commit_->check();
  }
  feeder_waits_ = false;
  counted_.stalled_seconds += watch.seconds();
  throw_failure(lock);
}

void DiskIngest::throw_failure(const Lock& /*lock*/) const {
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  if (interrupted_) throw Error(ExitCode::interrupted, "interrupted");
}

void DiskIngest::finish() {
  const std::lock_guard feeding(feeding_);
  commit_->finish();
  {
    Lock lock(mutex_);
    flushes_all_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] {
      return log_->flushing() == log_->head() || failure_ != nullptr || interrupted_;
    });
    ends_ = true;  // when runs are merged
    changed_.notify_all();
    throw_failure(lock);
  }
  flusher_.join();
  throw_failure(Lock(mutex_));
  close();
}

void DiskIngest::interrupt() {
  store_->stop_runs();
  {
    const Lock lock(mutex_);
    interrupted_ = true;
    changed_.notify_all();
  }
  const std::lock_guard feeding(feeding_);  // the feeder has let go
  if (is_closed_) return;
  commit_->finish();
  {
    const Lock lock(mutex_);
    ends_ = true;
    changed_.notify_all();
  }
  if (flusher_.joinable()) flusher_.join();
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  close();
}

void DiskIngest::close() {
  try {
    store_->close();
  } catch (const DiskFull& error) {
    // What is acknowledged is in the log. Only how the store ended is not written down.
    remark(error.what());
  }
  is_closed_ = true;
}

DiskIngestCounters DiskIngest::counters() const {
  const Lock lock(mutex_);
  DiskIngestCounters counters = counted_;
  static_cast<DurableCounters&>(counters) = store_->counters();
  counters.commit_latency = commit_->latency();
  return counters;
}

void DiskIngest::flush_and_merge() {
  try {
    Lock lock(mutex_);
    while (wait_for_flush(lock)) {
      flush(lock);
      merge(lock);
    }
  } catch (const Error& error) {
    const Lock lock(mutex_);
    if (error.code() != ExitCode::interrupted) failure_ = std::current_exception();
    changed_.notify_all();
  }
}

std::uint64_t DiskIngest::flushable() const {
  const std::uint64_t acknowledged = store_->acknowledged() - log_begin_;
  return std::min(acknowledged, log_->head()) - log_->flushing();
}

bool DiskIngest::is_flush_due() const {
  const std::uint64_t updates = flushable();
  if (updates == 0) return false;
  return feeder_waits_ || flushes_all_ || updates >= log_->capacity() / 2 ||
         store_->log_pages_used() >= store_->log_pages() / 2;
}

bool DiskIngest::wait_for_flush(Lock& lock) {
  changed_.wait(lock, [this] { return ends_ || interrupted_ || is_flush_due(); });
  return !ends_ && !interrupted_;
}

void DiskIngest::flush(Lock& lock) {
  const std::uint64_t begin = log_->flushing();
  const std::uint64_t end = begin + flushable();
  const Stretch stretch = log_->edges(begin, end);
  lock.unlock();
  const Stopwatch watch;
  bool is_full = false;
  try {
    const auto out = sorted_stretch(stretch, Direction::out);
    const auto in = sorted_stretch(stretch, Direction::in);
    store_->flush(log_begin_ + end, vertices_of(stretch), *out, *in);
  } catch (const DiskFull& error) {
    is_full = true;
    say_that_it_is_full(error);
  }
  lock.lock();
  counted_.flush_seconds += watch.seconds();
  if (is_full) {
    changed_.wait_for(lock, std::chrono::seconds(1), [this] { return ends_ || interrupted_; });
    return;
  }
  is_full_known_ = false;
  log_->mark(end);
  log_->buffered();
  log_->flushed();
  changed_.notify_all();
}

void DiskIngest::say_that_it_is_full(const DiskFull& error) {
  if (!std::exchange(is_full_known_, true)) {
    remark(
        fmt::format("{}; nothing is lost, and ingestion goes on when there is room", error.what()));
  }
}

// What there is no room for is merged after the next flush.
void DiskIngest::merge(Lock& lock) {
  bool merged = factor_ >= 2;
  while (merged && !interrupted_ && (flushes_all_ || !is_flush_due())) {
    lock.unlock();
    const Stopwatch watch;
    try {
      merged = store_->merge_tier(factor_);
    } catch (const DiskFull& error) {
      say_that_it_is_full(error);
      merged = false;
    }
    lock.lock();
    counted_.merge_seconds += watch.seconds();
  }
}

}  // namespace outcore::evolving
