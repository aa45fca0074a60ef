// SPDX-License-Identifier: Apache-2.0
#include "engines/in_memory/in_memory.h"

#include "engines/layout_graph.h"
#include "engines/memory/loops.h"
#include "engines/memory/rho_stepping.h"
#include "engines/memory/rounds.h"

namespace outcore {

template class MemoryEngine<Lists>;

InMemoryEngine::InMemoryEngine(const Layout& layout, const EngineOptions& options)
    : MemoryEngine(graph_of(layout), options, Lists(layout, Direction::out, options),
                   layout.facts().symmetric ? Lists() : Lists(layout, Direction::in, options)) {
  std::uint64_t bytes = 0;
  for (const Lists* lists : {&out_, &in_}) {
    bytes += lists->memory_bytes();
    report_.io.add(lists->io());
    report_.notes.insert(report_.notes.end(), lists->notes().begin(), lists->notes().end());
  }
  report_.backend = out_.backend();
  report_.backend_traits = out_.backend_traits();
  report_.memory = {{"index", layout.index_bytes()}, {"lists", bytes}};
}

void InMemoryEngine::heads(unsigned k, const HeadsFn& f) {
  for_ranges(graph_.id_space, options_.threads, [&](VertexRange range, int) {
    for (VertexId v = range.begin; v < range.end; ++v) {
      const Piece list = out_.whole(v, 0);
      f(v, {list.ids, std::min(k, list.count)});
    }
  });
}

void InMemoryEngine::converge(Program& program, Frontier&& frontier) {
  const Traits traits = program.traits();
  if (traits.settles || traits.hearing == Hearing::first) {
    converge_in_rounds(program, std::move(frontier));
  } else {
    converge_in_order(program, std::move(frontier));
  }
}

}  // namespace outcore
