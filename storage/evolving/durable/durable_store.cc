// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/durable_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "storage/evolving/durable/disk_stream.h"

namespace outcore::evolving {

namespace {

// Removes the file if a creation that was cut off left it.
void remove_remains(Disk& disk, const std::string& name) {
  if (disk.exists(name)) disk.remove(name);
}

// How often each neighbour stands, from what all runs do. Removals that are left removed nothing.
class StandingCopies final : public ChangeSource {
 public:
  explicit StandingCopies(std::vector<std::unique_ptr<ChangeSource>> runs)
      : merged_(std::move(runs)) {}
  bool next(VertexId& vertex, std::vector<PairChange>& changes) override {
    while (merged_.next(vertex, changes)) {
      std::erase_if(changes, [](const PairChange& change) { return change.adds == 0; });
      for (PairChange& change : changes) change.removes = 0;
      if (!changes.empty()) return true;
    }
    return false;
  }

 private:
  MergedChanges merged_;
};

}  // namespace

void DurableStore::create(Disk& disk, const StoreOptions& options) {
  if (options.log_pages < 2) {
    throw usage_error("the log of a store needs two pages, of 4 KB each, at least");
  }
  const std::unique_ptr<DiskLock> lock = disk.lock();
  if (disk.exists(StoreManifest::kName)) {
    throw usage_error(fmt::format("{}: a store is there already",
                                  disk.path(StoreManifest::kName).parent_path().string()));
  }
  remove_remains(disk, StoreManifest::kLog);
  disk.create(StoreManifest::kLog, options.log_pages * sizeof(LogPage))->sync();
  StoreManifest manifest;
  manifest.vertices = options.vertices;
  manifest.log_pages = options.log_pages;
  publish(disk, manifest);
}

DurableStore::DurableStore(Disk& disk, Opening opening, const ReplayFn& replay) : disk_(disk) {
  if (opening.access == Access::write) lock_ = disk.lock();
  manifest_ = read_store_manifest(disk);
  for (const Run& run : manifest_.runs) check_run(disk, run);
  std::unique_ptr<DiskFile> file = disk.open(StoreManifest::kLog, opening.access, true);
  const std::filesystem::path path = disk.path(StoreManifest::kLog);
  if (file->size() != manifest_.log_pages * sizeof(LogPage)) {
    throw bad_input(Place::file(path), fmt::format("{} bytes", file->size()),
                    fmt::format("{} bytes", manifest_.log_pages * sizeof(LogPage)),
                    "the log was cut or changed");
  }
  const Replayed replayed = replay_log(*file, path, manifest_.flushed, manifest_.epoch, replay);
  const std::uint64_t last = replayed.end.update;
  if (replayed.damaged || last < manifest_.acknowledged) {
    const std::uint64_t page = replayed.damaged.value_or(replayed.end.page);
    const Place place = Place::offset(path, page % manifest_.log_pages * sizeof(LogPage));
    lost_ = fmt::format("updates from {} on", last + 1);
    if (!opening.salvage) {
      throw bad_input(place, "a damaged log page", fmt::format("the page of {}", lost_),
                      "--salvage opens the store up to there");
    }
  }
  if (opening.access == Access::write) {
    if (!lost_.empty()) clear_log(*file, manifest_.flushed.page, replayed.end.page);
    // What was replayed may be in a cache only, if the process before was killed. It counts from
    // now on, so it must stay.
    file->sync();
  }
  acknowledged_.store(last, std::memory_order_release);
  if (opening.access == Access::write) begin_writing();
  log_ =
      std::make_unique<DurableLog>(std::move(file), manifest_.epoch, replayed.end, replayed.firsts);
}

void DurableStore::begin_writing() {
  replace_manifest([](StoreManifest& manifest) { ++manifest.epoch; });
  // Only now: until then the manifest on the disk may have been an older one, with other runs.
  sweep();
}

void DurableStore::sweep() {
  const auto is_known = [&](const std::string& name) {
    return std::any_of(manifest_.runs.begin(), manifest_.runs.end(),
                       [&](const Run& run) { return run.name == name; });
  };
  for (const std::string& name : disk_.list()) {
    const bool is_folder_of_run = name.starts_with("run-") && name.find('/') == std::string::npos;
    if (is_folder_of_run && !is_known(name)) remove_folder(disk_, name);
  }
}

std::uint64_t DurableStore::flushed() const {
  const std::lock_guard lock(mutex_);
  return manifest_.flushed.update;
}

std::vector<Run> DurableStore::runs() const {
  const std::lock_guard lock(mutex_);
  return manifest_.runs;
}

std::uint64_t DurableStore::removals_missed() const {
  const std::lock_guard lock(mutex_);
  return manifest_.removals_missed;
}

DurableCounters DurableStore::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

void DurableStore::refuse_after_failure() const {
  const std::lock_guard lock(mutex_);
  if (failure_.empty()) return;
  throw Error(ExitCode::io,
              fmt::format("nothing is acknowledged since a write failed ({}); open the store again",
                          failure_));
}

void DurableStore::fail(const Error& error) {
  const std::lock_guard lock(mutex_);
  failure_ = error.what();
}

std::size_t DurableStore::append(std::span<const Update> updates) {
  refuse_after_failure();
  for (const Update& update : updates) {
    if (std::max(update.source, update.target) < manifest_.vertices) continue;
    throw usage_error(fmt::format("edge {} {}: the store has room for ids below {}", update.source,
                                  update.target, manifest_.vertices));
  }
  return log_->add(updates);
}

std::uint64_t DurableStore::commit() {
  LogGroup group = close_group();
  return write_group(group);
}

std::uint64_t DurableStore::write_group(LogGroup& group) {
  refuse_after_failure();
  if (group.empty()) return acknowledged();
  try {
    log_->write(group);
  } catch (const Error& error) {
    fail(error);
    throw;
  }
  acknowledged_.store(group.last(), std::memory_order_release);
  const std::lock_guard lock(mutex_);
  ++counters_.commits;
  counters_.log_bytes += group.pages.size() * sizeof(LogPage);
  return group.last();
}

template <typename Change>
void DurableStore::replace_manifest(Change&& change) {
  StoreManifest next = manifest_;
  next.acknowledged = acknowledged();
  change(next);
  publish(disk_, next);
  const std::lock_guard lock(mutex_);
  manifest_ = std::move(next);
}

template <typename Change>
WrittenRun DurableStore::add_run(UpdateRange updates, unsigned tier, ChangeSource& out,
                                 ChangeSource& in, Change&& change) {
  refuse_after_failure();
  const Run run{.name = fmt::format("run-{:06}", manifest_.next_run),
                .updates = updates,
                .tier = tier,
                .seal = {}};
  try {
    WrittenRun written = write_run(disk_, run, manifest_.vertices, out, in);
    replace_manifest([&](StoreManifest& manifest) {
      change(manifest, written.run);
      ++manifest.next_run;
      manifest.removals_missed += written.removals_missed;
    });
    return written;
  } catch (const Error& error) {
    // Where the disk is full or a run that is merged is damaged, the manifest is the old one.
    const bool is_old =
        dynamic_cast<const DiskFull*>(&error) != nullptr || error.code() == ExitCode::bad_input;
    if (!is_old) fail(error);
    if (is_old && disk_.exists(run.name)) remove_folder(disk_, run.name);
    throw;
  }
}

void DurableStore::flush(std::uint64_t last, ChangeSource& out, ChangeSource& in) {
  const LogPosition before = manifest_.flushed;
  if (last == before.update) return;
  const bool is_all = last == acknowledged();
  const std::uint64_t page = is_all ? log_->page_of(last) + 1 : log_->page_of(last + 1);
  const WrittenRun written =
      add_run({before.update, last}, 0, out, in, [&](StoreManifest& manifest, const Run& run) {
        manifest.runs.push_back(run);
        manifest.flushed = {page, last};
      });
  // The manifest no longer needs them.
  log_->release(page);
  const std::lock_guard lock(mutex_);
  ++counters_.flushes;
  counters_.run_bytes += written.bytes;
}

bool DurableStore::merge_tier(unsigned factor) {
  const std::vector<Run>& runs = manifest_.runs;
  if (runs.size() < factor) return false;
  const auto equal = [&](const Run& run) { return run.tier == runs.back().tier; };
  if (!std::all_of(runs.end() - factor, runs.end(), equal)) return false;
  merge(runs.size() - factor, factor);
  return true;
}

void DurableStore::compact() {
  if (manifest_.runs.size() > 1) merge(0, manifest_.runs.size());
}

void DurableStore::merge(std::size_t first, std::size_t count) {
  const auto begin = manifest_.runs.begin() + static_cast<std::ptrdiff_t>(first);
  const std::vector<Run> merged(begin, begin + static_cast<std::ptrdiff_t>(count));
  unsigned tier = 0;
  for (const Run& run : merged) tier = std::max(tier, run.tier + 1);
  MergedChanges out(open_runs(merged, Direction::out));
  MergedChanges in(open_runs(merged, Direction::in));
  const WrittenRun written =
      add_run({merged.front().updates.after, merged.back().updates.last}, tier, out, in,
              [&](StoreManifest& manifest, const Run& run) {
                const auto at = manifest.runs.begin() + static_cast<std::ptrdiff_t>(first);
                *at = run;
                manifest.runs.erase(at + 1, at + static_cast<std::ptrdiff_t>(count));
              });
  for (const Run& run : merged) remove_folder(disk_, run.name);
  const std::lock_guard lock(mutex_);
  ++counters_.merges;
  counters_.merge_bytes += written.bytes;
}

std::vector<std::unique_ptr<ChangeSource>> DurableStore::open_runs(std::span<const Run> runs,
                                                                   Direction direction) {
  std::vector<std::unique_ptr<ChangeSource>> sources;
  for (const Run& run : runs) sources.push_back(read_run(disk_, run, direction));
  return sources;
}

std::unique_ptr<ChangeSource> DurableStore::read(Direction direction) {
  return std::make_unique<StandingCopies>(open_runs(runs(), direction));
}

void DurableStore::close() {
  refuse_after_failure();
  replace_manifest([](StoreManifest&) {});
}

}  // namespace outcore::evolving
