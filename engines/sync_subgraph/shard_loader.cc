// SPDX-License-Identifier: Apache-2.0
#include "engines/sync_subgraph/shard_loader.h"

#include <algorithm>
#include <utility>

#include "common/stopwatch.h"
#include "storage/events/event_recorder.h"

namespace outcore {

ShardLoader::ShardLoader(Door& door, std::size_t slot_bytes, std::size_t in_turn, std::size_t kept,
                         std::function<void(const ShardPart&)> asked)
    : door_(door),
      in_turn_(in_turn),
      arena_(in_turn + kept, slot_bytes, 0),
      kept_is_there_(kept),
      asked_(std::move(asked)),
      coming_(in_turn),
      tags_(door.options().depth),
      thread_([this] { work(); }) {}

ShardLoader::~ShardLoader() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    quitting_ = true;
  }
  to_loader_.notify_all();
}

void ShardLoader::start(std::vector<ShardPart> parts) {
  parts_ = std::move(parts);
  next_ = 0;
  turns_before_.clear();
  std::size_t turns = 0;
  for (const ShardPart& part : parts_) {
    turns_before_.push_back(turns);
    turns += part.kept == ShardPart::kNotKept ? 1 : 0;
  }
  turns_before_.push_back(turns);
  there_ = std::make_unique<std::atomic<bool>[]>(parts_.size());
  {
    const std::lock_guard lock(mutex_);
    released_ = 0;
    abandoned_ = false;
    loading_ = true;
  }
  to_loader_.notify_all();
}

const std::byte* ShardLoader::wait(std::size_t part) {
  // Acquire: what was read is seen by whoever sees that it is there.
  if (!there_[part].load(std::memory_order_acquire)) {
    const WaitNote waited(door_.options().events);
    std::unique_lock lock(mutex_);
    to_workers_.wait(lock, [&] {
      return there_[part].load(std::memory_order_acquire) || failure_ || !loading_;
    });
    if (failure_) std::rethrow_exception(failure_);
    if (!there_[part].load(std::memory_order_acquire)) return nullptr;
  }
  return slot(part);
}

void ShardLoader::release(std::size_t part) {
  {
    const std::lock_guard lock(mutex_);
    if (part <= released_) return;
    for (std::size_t past = released_; past < part; ++past) note_dropped(past);
    released_ = part;
  }
  to_loader_.notify_all();
}

void ShardLoader::note_dropped(std::size_t part) const {
  EventRecorder* const events = door_.options().events;
  if (events == nullptr || is_kept(part)) return;
  const auto& [file, run] = std::pair(parts_[part].file, parts_[part].run);
  events->note(EventKind::dropped, door_.first_event_block(file) + run.first, run.blocks, 0);
}

void ShardLoader::finish() {
  release(parts_.size());
  std::unique_lock lock(mutex_);
  to_workers_.wait(lock, [this] { return !loading_; });
  if (failure_) std::rethrow_exception(failure_);
}

void ShardLoader::abandon() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
  }
  to_loader_.notify_all();
}

std::byte* ShardLoader::slot(std::size_t part) const {
  const std::size_t number = is_kept(part) ? in_turn_ + parts_[part].kept : turn(part);
  return arena_.memory().data() + number * arena_.slot_bytes();
}

// The channel belongs to this thread. It is gone when a load fails, with what was under way.
void ShardLoader::work() {
  std::unique_ptr<DoorChannel> channel;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      to_loader_.wait(lock, [this] { return quitting_ || loading_; });
      if (quitting_) return;
    }
    try {
      if (!channel) channel = std::make_unique<DoorChannel>(door_, arena_.memory());
      load(*channel);
    } catch (...) {
      channel.reset();
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      loading_ = false;
    }
    to_workers_.notify_all();
  }
}

void ShardLoader::load(DoorChannel& channel) {
  Stopwatch reading;
  for (;;) {
    if (channel.in_flight() == 0) reading.lap();
    while (ask(channel)) {
    }
    if (channel.in_flight() > 0) {
      channel.flush();
      reap(channel);
      seconds_ += reading.lap();
      continue;
    }
    std::unique_lock lock(mutex_);
    if (next_ == parts_.size() || abandoned_) return;
    to_loader_.wait(lock, [this] {
      return abandoned_ || is_kept(next_) ||
             turns_before_[next_] < turns_before_[released_] + in_turn_;
    });
  }
}

bool ShardLoader::ask(DoorChannel& channel) {
  {
    const std::lock_guard lock(mutex_);
    if (next_ == parts_.size() || abandoned_) return false;
    if (!is_kept(next_) && turns_before_[next_] >= turns_before_[released_] + in_turn_) {
      return false;
    }
  }
  const ShardPart& part = parts_[next_];
  // A part that no worker needed may be released before it has come.
  if (!is_kept(next_) && coming_[turn(next_)]) return false;
  if (is_kept(next_) && kept_is_there_[part.kept]) {
    const std::uint64_t number = next_++;
    publish({&number, 1});
    return true;
  }
  if (!channel.read(part.file, part.run.first, part.run.blocks, slot(next_), next_)) return false;
  if (!is_kept(next_)) coming_[turn(next_)] = true;
  if (asked_) asked_(part);
  ++next_;
  return true;
}

void ShardLoader::reap(DoorChannel& channel) {
  const std::size_t count = channel.reap(tags_, 1);
  for (std::size_t i = 0; i < count; ++i) {
    const ShardPart& part = parts_[tags_[i]];
    if (part.kept == ShardPart::kNotKept) {
      coming_[turn(tags_[i])] = false;
      continue;
    }
    kept_is_there_[part.kept] = true;
    kept_.add(part.file, part.run, slot(tags_[i]), door_.file(part.file).block_bytes);
  }
  publish({tags_.data(), count});
}

void ShardLoader::publish(std::span<const std::uint64_t> parts) {
  {
    // Under the lock, that no worker looks before and waits after.
    const std::lock_guard lock(mutex_);
    for (const std::uint64_t part : parts) there_[part].store(true, std::memory_order_release);
  }
  to_workers_.notify_all();
}

}  // namespace outcore
