// SPDX-License-Identifier: Apache-2.0
// The stacks of Engine::drive, shared by its workers (CAVE, section 4.7 and Algorithm 6).
//
// The tasks of a stack are stepped one after another, the last added first. A stack longer than a
// threshold hands over its older half, if fewer than `most` stacks are alive. The paper's algorithm
// tries until it may split; here a stack that may not be split continues, and tries again after its
// next task. Thread-safe; a stack that was taken belongs to the worker that took it.
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
  // Distributes `tasks` to as many stacks as may be alive.
  TaskStacks(std::span<const Task> tasks, std::size_t most, std::size_t threshold);

  // A free stack. If there is none and `wait` is set, waits for one until no stack is alive or
  // stop() was called.
  std::optional<TaskStack> take(bool wait);
  // After a task: hands over half of the stack if it is too long.
  void share(TaskStack& stack);
  // A stack that was taken is finished.
  void retire();
  // No more tasks are needed, or a worker cannot continue: take() returns nothing from now on.
  void stop();
  // Relaxed: only a hint to stop soon; waiting threads are woken under the lock.
  [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t splits() const { return splits_; }  // not while workers use it

 private:
  std::size_t most_;
  std::size_t threshold_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<TaskStack> waiting_;
  // Changed under the lock; read outside as a hint whether sharing is worth taking the lock.
  std::atomic<std::size_t> alive_;
  std::atomic<bool> stopped_{false};
  std::uint64_t splits_ = 0;
};

// The part of `piece` that is within `wanted`; empty if there is none.
Piece clip(const Piece& piece, ListRange wanted);

}  // namespace outcore
