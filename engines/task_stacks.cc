// SPDX-License-Identifier: Apache-2.0
#include "engines/task_stacks.h"

namespace outcore {

TaskStacks::TaskStacks(std::span<const Task> tasks, std::size_t most, std::size_t threshold)
    : most_(most),
      threshold_(threshold),
      waiting_(std::min(most, tasks.size())),
      alive_(waiting_.size()) {
  for (std::size_t i = 0; i < tasks.size(); ++i) waiting_[i % waiting_.size()].push_back(tasks[i]);
}

std::optional<TaskStack> TaskStacks::take(bool wait) {
  std::unique_lock lock(mutex_);
  if (wait) changed_.wait(lock, [&] { return !waiting_.empty() || alive_ == 0 || stopped(); });
  if (waiting_.empty() || stopped()) return std::nullopt;
  TaskStack stack = std::move(waiting_.back());
  waiting_.pop_back();
  return stack;
}

void TaskStacks::share(TaskStack& stack) {
  if (stack.size() <= threshold_ || alive_.load(std::memory_order_relaxed) >= most_) return;
  const std::lock_guard lock(mutex_);
  if (alive_ >= most_) return;
  waiting_.push_back(stack.split());
  ++alive_;
  ++splits_;
  changed_.notify_one();
}

void TaskStacks::retire() {
  const std::lock_guard lock(mutex_);
  if (--alive_ == 0) changed_.notify_all();
}

void TaskStacks::stop() {
  const std::lock_guard lock(mutex_);
  stopped_.store(true, std::memory_order_relaxed);
  changed_.notify_all();
}

Piece clip(const Piece& piece, ListRange wanted) {
  const std::uint32_t begin = std::max(piece.first, wanted.begin);
  const std::uint32_t end = std::min(piece.first + piece.count, wanted.end);
  Piece part = piece;
  part.first = begin;
  part.count = begin < end ? end - begin : 0;
  if (part.count == 0) return part;
  part.ids = piece.ids + (begin - piece.first);
  if (piece.weights != nullptr) part.weights = piece.weights + (begin - piece.first);
  return part;
}

}  // namespace outcore
