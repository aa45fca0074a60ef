// SPDX-License-Identifier: Apache-2.0
// Peeling, which kcore and coreness share: vertices with fewer than k remaining neighbours leave.
// Each tells its neighbours once; these count down, and leave too when they fall below k.
//
// A count falls past k exactly once, so each vertex is activated at most once, even if it hears
// several leave at a time.
#pragma once

#include "engines/vertex_program.h"
#include "workloads/workload.h"

namespace outcore {

struct Peel : VertexProgram<Peel, std::int32_t> {
  State<std::int32_t> remaining;  // remaining neighbours
  std::int32_t k;

  Peel(Engine& engine, std::int32_t core)
      : remaining(out_degrees<std::int32_t>(engine, "remaining")), k(core) {}

  static constexpr Saying kSaying = Saying::common;

  Message emit(Source) { return 1; }
  Message combine(Message a, Message b) { return a + b; }
  const void* state(VertexId v) const { return &remaining[v]; }
  template <Access A>
  Priority accept(VertexId v, Message left) {
    const std::int32_t before = increase<A>(remaining[v], -left);
    return before >= k && before - left < k ? Priority{0} : kQuiet;
  }
  bool listens(VertexId v) override { return peek(remaining[v]) >= k; }
};

}  // namespace outcore
