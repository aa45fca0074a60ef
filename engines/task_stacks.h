// SPDX-License-Identifier: Apache-2.0
// The stacks of Engine::drive, which its workers share (CAVE, section 4.7 and Algorithm 6).
//
// The tasks of a stack are stepped one after another, those added last first. A stack that has
// grown beyond a threshold hands its older half over, while fewer than `most` are alive. The paper
// splits until it may; here a stack that may not be split goes on, and is asked again after its
// next task. Thread-safe; a stack that was taken belongs to its taker.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "engines/engine.h"

namespace outcore {

class TaskStacks {
 public:
  // `tasks` are dealt out to as many stacks as may be alive.
  TaskStacks(std::span<const Task> tasks, std::size_t most, std::size_t threshold);

  // A stack that nobody has. When there is none: waits for one if `wait`, until no stack is alive
  // or stop() was called.
  std::optional<TaskStack> take(bool wait);
  // After a task: hands over half of a stack that is too long.
  void share(TaskStack& stack);
  // A stack that was taken is finished.
  void retire();
  // No more tasks are needed, or a worker cannot go on: take() gives nothing more.
  void stop();
  // Relaxed: a hint to stop soon; whoever waits is woken under the lock.
  [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t splits() const { return splits_; }  // not while workers are at it

 private:
  std::size_t most_;
  std::size_t threshold_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<TaskStack> waiting_;
  // Changed under the lock; read outside as a hint whether sharing is worth the lock.
  std::atomic<std::size_t> alive_;
  std::atomic<bool> stopped_{false};
  std::uint64_t splits_ = 0;
};

// The part of `piece` that lies in `wanted`; of no edges when none does.
Piece clip(const Piece& piece, ListRange wanted);

}  // namespace outcore
