// SPDX-License-Identifier: Apache-2.0
// The in-memory reference engine: reads a layout's blocks once, from front to back, then runs every
// program over them with OpenMP (engines/memory/). It is the upper bound of speed, and other
// engines' answers are compared with its own. Its memory is the whole graph.
//
// converge() takes vertices in order of priority, in steps (rho_stepping.h), and its visibility is
// `immediate`. Programs that settle, or for which the first message is enough, run in rounds.
#pragma once

#include "engines/in_memory/lists.h"
#include "engines/memory/memory_engine.h"

namespace outcore {

extern template class MemoryEngine<Lists>;

class InMemoryEngine final : public MemoryEngine<Lists> {
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
  void converge(Program& program, Frontier&& frontier) override;
  void heads(unsigned k, const HeadsFn& f) override;
};

}  // namespace outcore
