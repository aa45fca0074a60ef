// SPDX-License-Identifier: Apache-2.0
/*
Kernel: direction-optimising breadth-first search (bfs-do)
Returns: the level of each vertex, kNoLevel for vertices without a path from the source

As bfs, but the workload decides when to change direction. It pushes until the frontier's edges are
more than 1/alpha of the edges that have not been followed yet. Then the vertices without a level
pull, until the frontier has fewer than 1/beta of the vertices. In a pull round a vertex stops
listening after it heard one neighbour, and engines need not read the rest of its list, nor any of
it where a neighbour that the layout holds in memory (--heads) is one. On engines that cannot pull,
it is bfs in rounds.

Edges are what a round costs in memory. What it costs on a device is blocks, and a few lists of each
may want all of them. So where an engine tells how many bytes either direction would ask for, a
round pulls only if that takes fewer (turn=bytes; turn=edges is the rule of [1] alone).

It counts rounds, so it is exact only under visibility `round`: then every level is right when it is
first heard. (bfs, by convergence, needs no such promise.) A search that goes on and on in narrow
rounds, as through a grid, never turns; an engine that converges without rounds does the rest so.

[1] S. Beamer, K. Asanovic, D. Patterson. Direction-Optimizing Breadth-First Search. SC 2012:
alpha = 15, beta = 18.
*/
#include "common/error.h"
#include "workloads/bfs_program.h"
#include "workloads/registry.h"
#include "workloads/sources.h"

namespace outcore {

namespace {

// Decides the direction of each round, and whether there are to be more.
class Turns {
 public:
  Turns(Engine& engine, const Parameters& parameters)
      : engine_(engine),
        leaves_rounds_(engine.traits().converge == Visibility::immediate),
        pull_(engine.traits().pull),
        vertices_(engine.graph().vertices),
        unfollowed_(engine.graph().edges),
        alpha_(parameters.real("alpha")),
        beta_(parameters.real("beta")),
        by_bytes_(parameters.text("turn") == "bytes") {}

  // After so many narrow rounds in turn what is left needs none.
  [[nodiscard]] bool end_rounds() const {
    constexpr unsigned kMany = 32;
    return leaves_rounds_ && narrow_ >= kMany;
  }
  Mode of(Program& bfs, const Frontier& frontier) {
    if (!pull_) return Mode::push;
    turn_by_edges(frontier);
    return mode_ == Mode::pull && pull_spares_nothing(bfs, frontier) ? Mode::push : mode_;
  }

 private:
  void turn_by_edges(const Frontier& frontier) {
    const std::uint64_t edges = engine_.edges_of(frontier);
    constexpr std::uint64_t kNarrow = 64;  // of all edges, one in so many
    narrow_ = edges < engine_.graph().edges / kNarrow ? narrow_ + 1 : 0;
    const bool growing = frontier.size() >= before_;
    const auto size = static_cast<double>(frontier.size());
    if (mode_ == Mode::push) {
      if (static_cast<double>(edges) > static_cast<double>(unfollowed_) / alpha_)
        mode_ = Mode::pull;
    } else if (!growing && size < static_cast<double>(vertices_) / beta_) {
      mode_ = Mode::push;
    }
    unfollowed_ -= std::min(unfollowed_, edges);
    before_ = frontier.size();
  }
  bool pull_spares_nothing(Program& bfs, const Frontier& frontier) {
    if (!by_bytes_) return false;
    const auto pushed = engine_.bytes_of(bfs, frontier, Mode::push);
    if (!pushed) return false;
    // Nothing is spared, and a pull looks at every vertex.
    if (*pushed == 0) return true;
    return *engine_.bytes_of(bfs, frontier, Mode::pull) > *pushed;
  }

  Engine& engine_;
  bool leaves_rounds_;
  bool pull_;
  VertexId vertices_;
  std::uint64_t unfollowed_;
  double alpha_;
  double beta_;
  bool by_bytes_;
  std::size_t before_ = 0;
  unsigned narrow_ = 0;  // rounds, one after another
  Mode mode_ = Mode::push;
};

Finish run_bfs_do(Engine& engine, const Parameters& parameters) {
  const Graph& graph = engine.graph();
  if (engine.traits().round != Visibility::round) {
    throw usage_error("bfs-do counts rounds, which this engine does not keep apart; use bfs");
  }
  const VertexId source = find_source(engine, parameters.text("source"));
  Turns direction(engine, parameters);
  std::uint64_t pulled = 0;
  Levels levels = search_from(source, engine, [&](Program& bfs, Frontier&& frontier) {
    while (!frontier.empty()) {
      if (direction.end_rounds()) {
        engine.converge(bfs, std::move(frontier));
        break;
      }
      const Mode mode = direction.of(bfs, frontier);
      if (mode == Mode::pull) ++pulled;
      frontier = engine.round(bfs, std::move(frontier), Direction::out, mode);
    }
  });
  return [graph, source, pulled, levels = std::move(levels)] {
    Answer answer = bfs_answer(graph, source, levels);
    answer.summary["pull_rounds"] = pulled;
    return answer;
  };
}

}  // namespace

Workload bfs_do_workload() {
  using Kind = Parameter::Kind;
  return {
      .name = "bfs-do",
      .help = "levels of a breadth-first search that turns direction",
      .parameters = {source_parameter(),
                     {"alpha", "15",
                      "pull when the frontier's edges are more than 1/alpha of "
                      "those not followed",
                      Kind::real, 1, 1e9},
                     {"beta", "18", "push again when the frontier is less than 1/beta of all",
                      Kind::real, 1, 1e9},
                     {.name = "turn",
                      .fallback = "bytes",
                      .help =
                          "bytes: pull only where that asks for fewer of them too; edges: by alpha "
                          "and beta alone",
                      .choices = {"bytes", "edges"}}},
      .counts_rounds = true,
      .sentence =
          "reached {#reached} of {#vertices} vertices in {#depth level} from {source}; "
          "{#pull_rounds round} pulled",
      .run = run_bfs_do,
      .verify = verify_bfs};
}

}  // namespace outcore
