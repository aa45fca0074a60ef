// SPDX-License-Identifier: Apache-2.0
// Levels of a breadth-first search: the program of bfs and bfs-do, which differ in who says when to
// pull, and their verifier.
#pragma once

#include "engines/vertex_program.h"
#include "workloads/workload.h"

namespace outcore {

struct Bfs : VertexProgram<Bfs, std::uint32_t> {
  std::vector<std::uint32_t> level;

  Bfs(VertexId id_space, VertexId source) : level(id_space, kNoLevel) { level[source] = 0; }

  Traits traits() const override {
    return {.message_bytes = sizeof(Message), .combines = true, .first_is_enough = true};
  }
  Priority priority(VertexId v) override { return static_cast<Priority>(peek(level[v])); }
  Message emit(Source u) { return peek(level[u.v]); }
  Message along(Message m, VertexId, VertexId, float) { return m + 1; }
  Message combine(Message a, Message b) { return std::min(a, b); }
  const void* state(VertexId v) const { return &level[v]; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    return lower<A>(level[v], m) ? static_cast<Priority>(m) : kQuiet;
  }
  bool listens(VertexId v) override { return peek(level[v]) == kNoLevel; }
};

Answer bfs_answer(const Graph& graph, VertexId source, std::vector<std::uint32_t>&& level);
Verdict verify_bfs(const Canonical& canonical, const Answer& answer, const Parameters& parameters);

}  // namespace outcore
