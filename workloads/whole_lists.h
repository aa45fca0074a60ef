// SPDX-License-Identifier: Apache-2.0
// Reads the lists of a range of vertices, each as a whole, whatever pieces the engine reads them in
// (Engine::drive). At most kChains lists are under way at a time, so memory is that of so many.
#pragma once

#include <algorithm>
#include <vector>

#include "engines/engine.h"

namespace outcore {

class WholeLists : public TaskProgram {
 public:
  // Calls take() once for each vertex of the range, those without edges too.
  void read(Engine& engine, VertexRange range) {
    end_ = range.end;
    under_way_.resize(std::min<std::size_t>(kChains, range.end - range.begin));
    std::vector<Task> tasks;
    for (std::uint32_t chain = 0; chain < under_way_.size(); ++chain) {
      tasks.push_back({.v = range.begin + chain, .state = chain});
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
    const std::size_t following = task.v + under_way_.size();
    if (following >= end_) return;
    next.push_back({.v = static_cast<VertexId>(following), .state = task.state});
  }

 private:
  static constexpr std::size_t kChains = 1024;

  // On any thread, for different vertices at the same time. May change the list.
  virtual void take(VertexId v, std::vector<VertexId>& list) = 0;

  VertexId end_ = 0;
  std::vector<std::vector<VertexId>> under_way_;  // by chain
};

}  // namespace outcore
