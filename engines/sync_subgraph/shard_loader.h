// SPDX-License-Identifier: Apache-2.0
// Loads shards while workers construct and update what has come (LOSC, section 3.3: the I/O thread
// goes on, and workers look how far it is).
//
// Shards are cut into parts, a request each. They are read in order, as many at once as the device
// is given and there is room for: into slots that are used in turn, each free again once no worker
// needs its part any more; or into a slot of its own, for a part that is kept from one load to the
// next, which is read once only.
//
// Threads: a thread of its own has the channel to the device. One thread starts and finishes loads;
// between these, workers wait for parts and release them. An error of the device comes out of
// wait() and of finish(); after one the loader is of no further use.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "storage/cache/frame_pool.h"
#include "storage/io/door.h"
#include "storage/io/merge.h"
#include "storage/source/kept_blocks.h"

namespace outcore {

// Some blocks of a shard, in one slot.
struct ShardPart {
  static constexpr std::size_t kNotKept = ~std::size_t{0};
  std::uint32_t file = 0;
  BlockRun run;
  std::size_t kept = kNotKept;  // the number of its own slot
};

class ShardLoader {
 public:
  // `in_turn` slots that are used in turn and `kept` others, of `slot_bytes` each. `asked` is told
  // of each request, by the loader's thread, in the order of asking.
  ShardLoader(Door& door, std::size_t slot_bytes, std::size_t in_turn, std::size_t kept,
              std::function<void(const ShardPart&)> asked);
  ~ShardLoader();
  ShardLoader(const ShardLoader&) = delete;
  ShardLoader& operator=(const ShardLoader&) = delete;

  // REQUIRES: nothing is loaded now.
  void start(std::vector<ShardPart> parts);
  // The blocks of the part of this number, once they are there; null if the load was abandoned
  // before. Throws what the loader threw.
  const std::byte* wait(std::size_t part);
  // No worker needs the parts before this one any more.
  void release(std::size_t part);
  // Waits until everything has been read. Throws what the loader threw.
  void finish();
  // For a worker that fails: nothing more is asked for, and the others need not wait.
  void abandon();

  // Seconds in which something was being read.
  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] std::size_t slot_bytes() const { return arena_.slot_bytes(); }
  [[nodiscard]] std::size_t bytes() const { return arena_.memory().size(); }
  // Of kept parts, those that are there. Not while a load goes on.
  [[nodiscard]] const KeptBlocks& kept() const { return kept_; }

 private:
  void work();
  void load(DoorChannel& channel);
  bool ask(DoorChannel& channel);  // for the next part, if there is room
  void reap(DoorChannel& channel);
  void publish(std::span<const std::uint64_t> parts);
  void note_dropped(std::size_t part) const;
  // The number of the slot that a part which is not kept has.
  [[nodiscard]] std::size_t turn(std::size_t part) const { return turns_before_[part] % in_turn_; }
  [[nodiscard]] std::byte* slot(std::size_t part) const;
  [[nodiscard]] bool is_kept(std::size_t part) const {
    return parts_[part].kept != ShardPart::kNotKept;
  }

  Door& door_;
  std::size_t in_turn_;
  FrameArena arena_;  // slots that are used in turn, then those of kept parts
  std::vector<bool> kept_is_there_;
  std::function<void(const ShardPart&)> asked_;
  std::vector<bool> coming_;  // by slot that is used in turn: a part is on the way to it
  std::vector<ShardPart> parts_;
  std::vector<std::size_t> turns_before_;       // parts before each one that use slots in turn
  std::unique_ptr<std::atomic<bool>[]> there_;  // by part
  std::size_t next_ = 0;                        // is asked for next
  std::vector<std::uint64_t> tags_;
  double seconds_ = 0;
  KeptBlocks kept_;

  std::mutex mutex_;  // over all that follows
  std::condition_variable to_loader_;
  std::condition_variable to_workers_;
  bool loading_ = false;
  bool abandoned_ = false;
  bool quitting_ = false;
  std::size_t released_ = 0;
  std::exception_ptr failure_;
  std::jthread thread_;
};

}  // namespace outcore
