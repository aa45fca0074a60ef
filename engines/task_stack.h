// SPDX-License-Identifier: Apache-2.0
// Dependent lists (Engine::drive): tasks one after another, each chosen by the contents of the last
// one's list, and the stack that holds the waiting ones.
//
// A search's stack may hold most vertices of the graph, and its tasks have no state: they take 4
// bytes each; tasks with state take 12. Not thread-safe: a stack belongs to the worker that took
// it.
#pragma once

#include <cassert>
#include <span>
#include <vector>

#include "common/ids.h"

namespace outcore {

// A walker, or a vertex of a search.
struct Task {
  VertexId v = kNoVertex;
  std::uint64_t state = 0;
};

class TaskStack {
 public:
  [[nodiscard]] std::size_t size() const { return vertices_.size(); }
  [[nodiscard]] bool empty() const { return vertices_.empty(); }
  // Of the tasks, the one that was added first at the front.
  [[nodiscard]] std::span<const VertexId> vertices() const { return vertices_; }

  void push_back(const Task& task) {
    if (task.state != 0 && !has_states_) {
      states_.resize(size());
      has_states_ = true;
    }
    vertices_.push_back(task.v);
    if (has_states_) states_.push_back(task.state);
  }
  // Removes the task that was added last.
  Task pop_back() {
    assert(!empty());
    Task task{.v = vertices_.back()};
    vertices_.pop_back();
    if (!has_states_) return task;
    task.state = states_.back();
    states_.pop_back();
    return task;
  }
  // Removes the half that was added first.
  TaskStack split() {
    TaskStack older;
    older.has_states_ = has_states_;
    older.vertices_ = take_half(vertices_);
    older.states_ = take_half(states_);
    return older;
  }

 private:
  template <typename T>
  static std::vector<T> take_half(std::vector<T>& all) {
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::vector<T> half(all.begin(), middle);
    std::vector<T>(middle, all.end()).swap(all);  // frees the spare room
    return half;
  }

  std::vector<VertexId> vertices_;
  std::vector<std::uint64_t> states_;  // empty as long as all are 0
  bool has_states_ = false;
};

}  // namespace outcore
