// SPDX-License-Identifier: Apache-2.0
// Reads the lists of a range of vertices, each as a whole, whatever pieces the engine reads them in
// (Engine::drive). At most kChains lists are under way at a time, so memory is that of so many. A
// chain goes from each vertex to the next one, whose list is mostly in the same block.
#pragma once

#include <algorithm>
#include <vector>

#include "engines/engine.h"

namespace outcore {

class WholeLists : public TaskProgram {
 public:
  // Calls take() once for each vertex of the range, those without edges too.
  void read(Engine& engine, VertexRange range) {
    range_ = range;
    under_way_.resize(std::min<std::size_t>(kChains, range.end - range.begin));
    std::vector<Task> tasks;
    for (std::uint32_t chain = 0; chain < under_way_.size(); ++chain) {
      tasks.push_back({.v = begin_of(chain), .state = chain});
    }
    engine.drive(*this, tasks, Direction::out);
  }

  ListRange wants(const Task& /*task*/, std::uint32_t degree) final { return {0, degree}; }
  void step(const Task& task, const Piece& piece, TaskStack& next) final {
    std::vector<VertexId>& list = under_way_[task.state];
    list.insert(list.end(), piece.ids, piece.ids + piece.count);
    if (piece.first + piece.count < piece.degree) return;
    take(task.v, list);
    list.clear();
    if (task.v + 1 == begin_of(task.state + 1)) return;
    next.push_back({.v = task.v + 1, .state = task.state});
  }

 private:
  static constexpr std::size_t kChains = 1024;

  // On any thread, for different vertices at the same time. May change the list.
  virtual void take(VertexId v, std::vector<VertexId>& list) = 0;

  [[nodiscard]] VertexId begin_of(std::uint64_t chain) const {
    const std::uint64_t vertices = range_.end - range_.begin;
    return static_cast<VertexId>(range_.begin + vertices * chain / under_way_.size());
  }

  VertexRange range_;
  std::vector<std::vector<VertexId>> under_way_;  // by chain
};

}  // namespace outcore
