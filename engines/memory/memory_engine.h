// SPDX-License-Identifier: Apache-2.0
// What engines share whose lists are in memory: rounds that push or pull, convergence, and tasks,
// by OpenMP. They differ in where the lists come from. `Lists` is one direction of them:
//
//   degree(v)                    the edges of v
//   for_each_piece(v, slot, f)   calls f with v's list in pieces, as long as f returns true. Pieces
//                                stay where they are while the engine lives
//   linked()                     a bit for each vertex that has edges
//   prefetch(v)                  optional: v's list is wanted soon
//   prefetch_place(v)            optional: so is prefetch(v)
//   kWhole                       is a list always one piece?
//   placement(), side()          optional: on which memory nodes lists lie (by_node.h)
//
// Rounds have visibility `round`. Push rounds write vertices with atomics; in pull rounds each
// listening vertex is owned by a thread and needs none. If it may choose (Mode::any), an engine
// pulls when everything is active. For programs for which the first message is enough, it chooses
// as GAP does (Beamer et al., SC 2012): it pulls once the frontier has more edges than 1/15 of
// those that have not been pushed along, until the frontier has fewer than 1/18 of all vertices.
//
// The members are defined in rounds.h and rho_stepping.h. An engine's header declares its
// instance, `extern template class MemoryEngine<...>`, and its file includes both and defines it.
#pragma once

#include <utility>
#include <vector>

#include "common/unfilled.h"
#include "engines/engine.h"

namespace outcore {

template <typename Lists>
class MemoryEngine : public Engine {
 public:
  [[nodiscard]] const Graph& graph() const override { return graph_; }
  void for_each_vertex(const VertexFn& f) override;
  void for_each_range(const RangeFn& f) override;
  std::uint64_t edges_of(const Frontier& frontier) override { return edges_of(frontier, out_); }
  Frontier round(Program& program, Frontier&& frontier, Direction direction, Mode mode) override;
  void drive(TaskProgram& program, std::span<const Task> tasks, Direction direction) override;
  [[nodiscard]] EngineReport report() const override { return report_; }

 protected:
  // `in` is unused if the graph is symmetric.
  MemoryEngine(const Graph& graph, const EngineOptions& options, Lists out, Lists in)
      : options_(options), graph_(graph), out_(std::move(out)), in_(std::move(in)) {}

  void converge_in_rounds(Program& program, Frontier&& frontier);
  // Of visibility `immediate`. REQUIRES: the program does not settle, and needs every message.
  void converge_in_order(Program& program, Frontier&& active);  // rho_stepping.h, with split()

  EngineOptions options_;
  Graph graph_;
  Lists out_;
  Lists in_;  // of directed graphs
  EngineReport report_;

 private:
  void split(Program& program, const Frontier& active, Priority most, Frontier& first,
             Frontier& rest) const;
  [[nodiscard]] const Lists& lists(Direction direction) const;
  static std::uint64_t step(TaskProgram& program, const Lists& lists, const Task& task,
                            TaskStack& stack);
  std::uint64_t edges_of(const Frontier& frontier, const Lists& lists) const;
  bool pulls(const Traits& traits, const Frontier& frontier, const Lists& lists, Mode mode) const;
  // What a round, or a worker's share of it, gave the program.
  struct Given {
    std::uint64_t edges = 0;
    std::uint64_t pieces = 0;
  };
  class GivenByAll;
  template <typename F>
  void for_batches_of_lists(const Lists& lists, const Frontier& frontier, F&& f);
  Given push(Program& program, const Frontier& frontier, const Lists& lists, bool beforehand,
             std::vector<Collector>& out);
  Given pull(Program& program, const Frontier& frontier, const Lists& out_lists,
             const Lists& in_lists, std::vector<Collector>& out);
  void finish_round(const Frontier& frontier, const Given& given, bool pulled,
                    std::span<Collector> collectors, Frontier& next, double seconds);
  Messages messages(std::size_t count, const Traits& traits);

  Unfilled<std::byte> message_buffer_;
  // For the convergence in progress: the edges that no frontier has pushed along yet, and how many
  // vertices were active in the last round if it pulled, else 0. (If edges that were pulled along
  // were subtracted too, the last few vertices of a search would look like many.)
  std::uint64_t unfollowed_edges_ = 0;
  std::size_t pulled_ = 0;
  Frontier spare_{0};  // the last one, empty
};

}  // namespace outcore
