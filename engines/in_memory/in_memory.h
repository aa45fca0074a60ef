// SPDX-License-Identifier: Apache-2.0
// The in-memory reference engine: reads a layout's blocks once, from front to back, then runs every
// program over them with OpenMP. It is the upper bound of speed, and other engines' answers are
// compared with its own. Its memory is the whole graph.
//
// converge() takes vertices in order of priority, in steps (rho_stepping.cc), and its visibility is
// `immediate`. Programs that settle, or for which the first message is enough, run in rounds.
//
// Rounds have visibility `round`. Push rounds write vertices with atomics; in pull rounds each
// listening vertex is owned by a thread and needs none. If it may choose (Mode::any), it pulls when
// everything is active. For programs for which the first message is enough, it chooses as GAP does
// (Beamer et al., SC 2012): it pulls once the frontier has more edges than 1/15 of those that have
// not been pushed along, until the frontier has fewer than 1/18 of all vertices.
#pragma once

#include "engines/in_memory/lists.h"

namespace outcore {

class InMemoryEngine final : public Engine {
 public:
  using Reads = Layout;
  static constexpr EngineTraits kTraits = {.converge = Visibility::immediate,
                                           .pull = true,
                                           .drive = true,
                                           .heads = Heads::any,
                                           .keeps_graph_in_memory = true,
                                           .openmp = true};

  InMemoryEngine(const Layout& layout, const EngineOptions& options);

  [[nodiscard]] EngineTraits traits() const override { return kTraits; }
  [[nodiscard]] const Graph& graph() const override { return graph_; }
  void for_each_vertex(const VertexFn& f) override;
  void for_each_range(const RangeFn& f) override;
  std::uint64_t edges_of(const Frontier& frontier) override { return edges_of(frontier, out_); }
  void converge(Program& program, Frontier&& frontier) override;
  Frontier round(Program& program, Frontier&& frontier, Direction direction, Mode mode) override;
  void heads(unsigned k, const HeadsFn& f) override;
  void drive(TaskProgram& program, std::span<const Task> tasks) override;
  [[nodiscard]] EngineReport report() const override { return report_; }

 private:
  void converge_in_order(Program& program, Frontier&& active);  // rho_stepping.cc, with split()
  void split(Program& program, const Frontier& active, Priority most, Frontier& first,
             Frontier& rest) const;
  [[nodiscard]] const Lists& lists(Direction direction) const;
  std::uint64_t edges_of(const Frontier& frontier, const Lists& lists) const;
  bool pulls(const Traits& traits, const Frontier& frontier, const Lists& lists, Mode mode) const;
  // Both return the number of edges that the program was given.
  std::uint64_t push(Program& program, const Frontier& frontier, const Lists& lists,
                     bool beforehand, std::vector<Collector>& out);
  std::uint64_t pull(Program& program, const Frontier& frontier, const Lists& out_lists,
                     const Lists& in_lists, std::vector<Collector>& out);
  void finish_round(const Frontier& frontier, std::uint64_t edges, bool pulled,
                    std::span<Collector> collectors, Frontier& next, double seconds);
  Messages messages(std::size_t count, const Traits& traits);

  EngineOptions options_;
  Graph graph_;
  Lists out_;
  Lists in_;  // of directed graphs
  Unfilled<std::byte> message_buffer_;
  // For the convergence in progress: the edges that no frontier has pushed along yet, and how many
  // vertices were active in the last round if it pulled, else 0. (If edges that were pulled along
  // were subtracted too, the last few vertices of a search would look like many.)
  std::uint64_t unfollowed_edges_ = 0;
  std::size_t pulled_ = 0;
  Frontier spare_{0};  // the last one, empty
  EngineReport report_;
};

}  // namespace outcore
