// SPDX-License-Identifier: Apache-2.0
// Levels of a breadth-first search: the program of bfs and bfs-do, and their verifier. In bfs the
// engine decides when to pull, in bfs-do the workload.
//
// A search starts with one byte per vertex and continues with two and then four bytes if levels get
// that high. Targets of edges lie at random places, so the fewer cache lines the levels occupy, the
// more of them are cached (Kronecker 23, async_block, raw: 0.81 of the time with four bytes; with
// two bytes 0.95).
#pragma once

#include <limits>
#include <variant>

#include "engines/vertex_program.h"
#include "workloads/workload.h"

namespace outcore {

template <typename Level>
struct Bfs : VertexProgram<Bfs<Level>, Level> {
  static constexpr Level kUnmet = std::numeric_limits<Level>::max();
  State<Level> level;

  Bfs(State<Level> unmet, VertexId source) : level(std::move(unmet)) { level[source] = 0; }
  // Continues a finished search with smaller numbers. REQUIRES: `unmet` has as many elements.
  template <typename Smaller>
  Bfs(State<Level> unmet, const State<Smaller>& small) : level(std::move(unmet)) {
    constexpr auto kUnmetThere = std::numeric_limits<Smaller>::max();
    std::transform(small.begin(), small.end(), level.begin(),
                   [](Smaller l) { return l == kUnmetThere ? kUnmet : Level{l}; });
  }

  static constexpr Hearing kHearing = Hearing::first;
  static constexpr bool kEchoes = false;

  Priority priority(VertexId v) override { return static_cast<Priority>(peek(level[v])); }
  Level emit(Source u) { return peek(level[u.v]); }
  // Vertices on the last level send kUnmet, which changes no vertex.
  Level along(Level m, VertexId, VertexId, float) { return static_cast<Level>(m + 1); }
  Level combine(Level a, Level b) { return std::min(a, b); }
  const void* state(VertexId v) const { return &level[v]; }
  template <Access A>
  Priority accept(VertexId v, Level m) {
    return lower<A>(level[v], m) ? static_cast<Priority>(m) : kQuiet;
  }
  bool listens(VertexId v) override { return peek(level[v]) == kUnmet; }

  // The vertices whose neighbours' levels would not fit into Level. Most searches have none, so
  // they are first counted by a loop that vectorises.
  [[nodiscard]] Frontier last() const {
    constexpr Level kLast = kUnmet - 1;
    if (std::count(level.begin(), level.end(), kLast) == 0) return Frontier(0);
    Bitmap bits(level.size());
    bits.set_where(0, level.size(), [&](std::size_t v) { return level[v] == kLast; });
    return Frontier::from_bits(std::move(bits));
  }
};

using Levels = std::variant<State<std::uint8_t>, State<std::uint16_t>, State<std::uint32_t>>;

// Runs search(Program&, Frontier&&), which goes on until no vertex is active, with wider levels as
// needed.
template <typename Level, typename Search>
Levels search_on(Engine& engine, Bfs<Level> bfs, Frontier&& frontier, Search&& search) {
  search(bfs, std::move(frontier));
  if constexpr (sizeof(Level) < sizeof(VertexId)) {
    using Wider = std::conditional_t<sizeof(Level) == 1, std::uint16_t, std::uint32_t>;
    if (Frontier last = bfs.last(); !last.empty()) {
      Bfs<Wider> wider(engine.state<Wider>("level"), std::exchange(bfs.level, {}));
      return search_on(engine, std::move(wider), std::move(last), search);
    }
  }
  return std::move(bfs.level);
}
template <typename Search>
Levels search_from(VertexId source, Engine& engine, Search&& search) {
  using First = Bfs<std::uint8_t>;
  return search_on(engine, First(engine.state("level", First::kUnmet), source),
                   Frontier::of(engine.graph().id_space, {&source, 1}), search);
}

Answer bfs_answer(const Graph& graph, VertexId source, const Levels& levels);
Verdict verify_bfs(const Canonical& canonical, const Answer& answer, const Parameters& parameters);

}  // namespace outcore
