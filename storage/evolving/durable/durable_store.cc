// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/durable_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "storage/evolving/durable/disk_stream.h"
#include "storage/layout/parts.h"

namespace outcore::evolving {

namespace {

// Removes the file if a creation that was cut off left it.
void remove_remains(Disk& disk, const std::string& name) {
  if (disk.exists(name)) disk.remove(name);
}

DurableStore::Sources open_all(Disk& disk, std::span<const Run> runs, Direction direction,
                               VertexId first) {
  DurableStore::Sources sources;
  for (const Run& run : runs) sources.push_back(read_run(disk, run, direction, first));
  return sources;
}

}  // namespace

void DurableStore::create(Disk& disk, const StoreOptions& options) {
  if (options.log_pages < 2) {
    throw usage_error("the log of a store needs two pages, of 4 KB each, at least");
  }
  if (options.id_bytes == 3 ? options.limit > kNarrowIds : options.id_bytes != 4) {
    throw usage_error(
        fmt::format("ids of {} bytes below {}: expected ids of 3 bytes below {} at most, or of 4",
                    options.id_bytes, options.limit, kNarrowIds));
  }
  const std::unique_ptr<DiskLock> lock = disk.lock();
  if (disk.exists(StoreManifest::kName)) {
    throw usage_error(fmt::format("{}: a store is there already",
                                  disk.path(StoreManifest::kName).parent_path().string()));
  }
  remove_remains(disk, StoreManifest::kLog);
  disk.create(StoreManifest::kLog, options.log_pages * sizeof(LogPage))->sync();
  StoreManifest manifest;
  manifest.limit = options.limit;
  manifest.log_pages = options.log_pages;
  manifest.id_bytes = options.id_bytes;
  manifest.codec = codec_part(options.codec).name;
  publish(disk, manifest);
}

DurableStore::DurableStore(Disk& disk, Opening opening, const ReplayFn& replay) : disk_(disk) {
  if (opening.access == Access::write) lock_ = disk.lock();
  manifest_ = read_store_manifest(disk);
  options_ = {.limit = manifest_.limit,
              .log_pages = manifest_.log_pages,
              .id_bytes = manifest_.id_bytes,
              .codec = manifest_.codec};
  for (const Run& run : manifest_.runs) check_run(disk, run);
  std::unique_ptr<DiskFile> file = disk.open(StoreManifest::kLog, opening.access, true);
  const std::filesystem::path path = disk.path(StoreManifest::kLog);
  if (file->size() != manifest_.log_pages * sizeof(LogPage)) {
    throw bad_input(Place::file(path), fmt::format("{} bytes", file->size()),
                    fmt::format("{} bytes", manifest_.log_pages * sizeof(LogPage)),
                    "the log was cut or changed");
  }
  const Replayed replayed =
      replay_log(*file, path, manifest_.id_bytes, manifest_.flushed, manifest_.epoch, replay);
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
  log_ = std::make_unique<DurableLog>(std::move(file), manifest_.id_bytes, manifest_.epoch,
                                      replayed.end, replayed.firsts);
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

VertexId DurableStore::vertices() const {
  const std::lock_guard lock(mutex_);
  return manifest_.vertices;
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
    if (std::max(update.source, update.target) < options_.limit) continue;
    throw usage_error(fmt::format("edge {} {}: the store has room for ids below {}", update.source,
                                  update.target, options_.limit));
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
  {
    const std::lock_guard lock(mutex_);
    ++counters_.commits;
    counters_.log_bytes += group.pages.size() * sizeof(LogPage);
  }
  // Last: who sees it finds its commit counted.
  acknowledged_.store(group.last(), std::memory_order_release);
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

Run DurableStore::next_run(UpdateRange updates, unsigned tier) const {
  // The index of a layout has 2 bytes a vertex if it is raw, and 8 if it is coded. Of what a flush
  // writes these would be more than the codec saves.
  const bool is_first_flush = updates.after == 0 && tier == 0;
  return {.name = fmt::format("run-{:06}", manifest_.next_run),
          .updates = updates,
          .tier = tier,
          .id_bytes = manifest_.id_bytes,
          .codec = is_first_flush ? "raw" : manifest_.codec,
          .seal = {}};
}

template <typename Change>
WrittenRun DurableStore::add_run(const Run& run, VertexId vertices, BothDirections changes,
                                 Change&& change) {
  refuse_after_failure();
  try {
    WrittenRun written = write_run(disk_, run, vertices, changes, stopped_);
    replace_manifest([&](StoreManifest& manifest) {
      change(manifest, written.run);
      manifest.vertices = vertices;
      ++manifest.next_run;
      manifest.removals_missed += written.removals_missed;
    });
    return written;
  } catch (const Error& error) {
    // Where the disk is full, a run that is merged is damaged, or all this was interrupted, the
    // manifest is the old one.
    const bool is_old = dynamic_cast<const DiskFull*>(&error) != nullptr ||
                        error.code() == ExitCode::bad_input ||
                        error.code() == ExitCode::interrupted;
    if (!is_old) fail(error);
    if (is_old && disk_.exists(run.name)) remove_folder(disk_, run.name);
    throw;
  }
}

void DurableStore::flush(std::uint64_t last, VertexId vertices, ChangeSource& out,
                         ChangeSource& in) {
  const LogPosition before = manifest_.flushed;
  if (last == before.update) return;
  const bool is_all = last == acknowledged();
  const std::uint64_t page = is_all ? log_->page_of(last) + 1 : log_->page_of(last + 1);
  const WrittenRun written =
      add_run(next_run({before.update, last}, 0), std::max(vertices, manifest_.vertices), {out, in},
              [&](StoreManifest& manifest, const Run& run) {
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
  const std::vector<Run>& runs = manifest_.runs;
  if (runs.empty() || (runs.size() == 1 && runs.front().codec == manifest_.codec)) return;
  merge(0, runs.size());
}

void DurableStore::merge(std::size_t first, std::size_t count) {
  const auto begin = manifest_.runs.begin() + static_cast<std::ptrdiff_t>(first);
  const std::vector<Run> merged(begin, begin + static_cast<std::ptrdiff_t>(count));
  unsigned tier = 0;
  for (const Run& run : merged) tier = std::max(tier, run.tier + 1);
  MergedChanges out(open_all(disk_, merged, Direction::out, 0));
  MergedChanges in(open_all(disk_, merged, Direction::in, 0));
  const WrittenRun written =
      add_run(next_run({merged.front().updates.after, merged.back().updates.last}, tier),
              manifest_.vertices, {out, in}, [&](StoreManifest& manifest, const Run& run) {
                const auto at = manifest.runs.begin() + static_cast<std::ptrdiff_t>(first);
                *at = run;
                manifest.runs.erase(at + 1, at + static_cast<std::ptrdiff_t>(count));
              });
  for (const Run& run : merged) remove_folder(disk_, run.name);
  const std::lock_guard lock(mutex_);
  ++counters_.merges;
  counters_.merge_bytes += written.bytes;
}

DurableStore::Sources DurableStore::open_runs(Direction direction, VertexId first) const {
  return open_all(disk_, runs(), direction, first);
}

std::unique_ptr<StandingCopies> DurableStore::read(Direction direction) const {
  return std::make_unique<StandingCopies>(open_runs(direction));
}

void DurableStore::close() {
  refuse_after_failure();
  replace_manifest([](StoreManifest&) {});
}

}  // namespace outcore::evolving
