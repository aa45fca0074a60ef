// SPDX-License-Identifier: Apache-2.0
// The in-memory reference engine: reads a layout's blocks once, front to back, then runs every
// program over them with OpenMP. It is the upper bound for speed and what other engines' answers
// are compared with; its memory is the whole graph.
//
// A list occupies neighbouring slots of the block file in every raw layout without weights, and is
// used where it lies; lists of other layouts are decoded once, to one array. `csr` wastes no slot.
//
// Visibility: `round`. Push rounds write vertices with atomics; pull rounds own each listening
// vertex and need none. Left to choose (Mode::any), it pulls when everything is active, or, for
// programs that hear enough at first, when the frontier has more edges than 1/15 of those that
// nobody has followed yet (GAP's alpha; Beamer et al., SC 2012).
#pragma once

#include <string>

#include "common/numa.h"
#include "engines/engine.h"

namespace outcore {

class InMemoryEngine final : public Engine {
 public:
  InMemoryEngine(const Layout& layout, const EngineOptions& options);

  [[nodiscard]] Capabilities capabilities() const override;
  [[nodiscard]] const Graph& graph() const override { return graph_; }
  void for_each_vertex(const VertexFn& f) override;
  void converge(Program& program, Frontier&& frontier) override;
  Frontier round(Program& program, Frontier&& frontier, Direction direction, Mode mode) override;
  void heads(unsigned k, const HeadsFn& f) override;
  void drive(TaskProgram& program, std::span<const Task> tasks) override;
  [[nodiscard]] EngineReport report() const override { return report_; }

 private:
  // The lists of one direction.
  struct Lists {
    const ListIndex* index = nullptr;
    const VertexId* slots = nullptr;         // where blocks are used as they are
    std::vector<std::uint64_t> starts = {};  // where lists were decoded: by vertex, into
    std::vector<VertexId> ids = {};          // these
    std::vector<float> weights = {};
    [[nodiscard]] Piece whole(VertexId v, std::uint32_t slot) const;
    [[nodiscard]] std::uint64_t memory_bytes() const;
  };
  struct Side {
    numa::Memory memory;
    Lists lists;
  };

  Side load(std::uint32_t file, const ListIndex& index);
  void decode(Side& side) const;
  [[nodiscard]] const Lists& lists(Direction direction) const;
  std::uint64_t edges_of(const Frontier& frontier, const Lists& lists) const;
  bool pulls(const Traits& traits, const Frontier& frontier, std::uint64_t frontier_edges,
             Mode mode) const;
  void push(Program& program, const Frontier& frontier, const Lists& lists,
            std::vector<Collector>& out);
  void pull(Program& program, const Frontier& frontier, const Lists& out_lists,
            const Lists& in_lists, std::vector<Collector>& out);
  Messages messages(std::size_t count, const Traits& traits);

  const Layout& layout_;
  EngineOptions options_;
  Graph graph_;
  Side out_;
  Side in_;
  std::vector<std::byte> message_buffer_;
  std::uint64_t unfollowed_edges_ = 0;  // of the convergence under way
  EngineReport report_;
};

}  // namespace outcore
