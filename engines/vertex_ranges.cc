// SPDX-License-Identifier: Apache-2.0
#include "engines/vertex_ranges.h"

#include <fmt/format.h>

#include <atomic>

#include "common/error.h"
#include "engines/layout_graph.h"

namespace outcore {

void for_each_vertex(Executor& executor, const Layout& layout, const Engine::VertexFn& f) {
  const ListIndex& index = layout.index(Direction::out);
  executor.parallel_for(0, layout.facts().id_space, kVertexRange,
                        [&](unsigned, std::size_t first, std::size_t last) {
                          std::vector<std::uint32_t> degrees(last - first);
                          for (std::size_t v = first; v < last; ++v) {
                            degrees[v - first] = source_of(index, static_cast<VertexId>(v)).degree;
                          }
                          f({static_cast<VertexId>(first), static_cast<VertexId>(last)}, degrees);
                        });
}

void for_each_range(Executor& executor, VertexId id_space, const Engine::RangeFn& f) {
  executor.parallel_for(0, id_space, kVertexRange,
                        [&](unsigned, std::size_t first, std::size_t last) {
                          f({static_cast<VertexId>(first), static_cast<VertexId>(last)});
                        });
}

void for_each_head(Executor& executor, const Layout& layout, unsigned k, const Engine::HeadsFn& f) {
  const unsigned held = layout.choices().heads;
  if (k > held) {
    throw usage_error(fmt::format(
        "the first {} neighbours of each vertex are wanted, and this layout holds {} in memory; "
        "build it with --heads {}",
        k, held, k));
  }
  const std::span<const VertexId> column = layout.heads(Direction::out);
  const std::size_t listed = layout.index(Direction::out).listed();
  executor.parallel_for(
      0, layout.facts().id_space, kVertexRange, [&](unsigned, std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) {
          const std::span<const VertexId> heads =
              v < listed ? column.subspan(v * held, k) : std::span<const VertexId>();
          const auto end = std::find(heads.begin(), heads.end(), kNoVertex);
          f(static_cast<VertexId>(v), heads.first(static_cast<std::size_t>(end - heads.begin())));
        }
      });
}

std::uint64_t edges_of(Executor& executor, const Layout& layout, const Frontier& frontier) {
  const ListIndex& index = layout.index(Direction::out);
  if (frontier.is_sparse()) {
    std::uint64_t edges = 0;
    for (const VertexId v : frontier.list()) edges += index.degree(v);
    return edges;
  }
  std::atomic<std::uint64_t> edges{0};
  executor.parallel_for(
      0, frontier.id_space(), kVertexRange, [&](unsigned, std::size_t first, std::size_t last) {
        std::uint64_t sum = 0;
        frontier.bits().for_each(
            first, last, [&](std::size_t v) { sum += index.degree(static_cast<VertexId>(v)); });
        edges.fetch_add(sum, std::memory_order_relaxed);  // read when all ranges are through
      });
  return edges;
}

void take_all_messages(Executor& executor, Program& program, const Frontier& frontier,
                       const ListIndex& index, Messages dense) {
  if (frontier.is_sparse()) {
    for (const VertexId v : frontier.list()) take_messages(program, index, {&v, 1}, dense);
    return;
  }
  // Whose id is not listed in the index has no edges, so that nobody hears him.
  const VertexId end = program.traits().newest_is_enough ? index.listed() : frontier.id_space();
  executor.parallel_for(0, end, kVertexRange, [&](unsigned, std::size_t first, std::size_t last) {
    std::vector<VertexId> active;
    frontier.bits().for_each(first, last,
                             [&](std::size_t v) { active.push_back(static_cast<VertexId>(v)); });
    take_messages(program, index, active, dense);
  });
}

Frontier listeners(Executor& executor, Program& program, VertexId id_space) {
  Bitmap listening(id_space);
  for_each_range(executor, id_space,
                 [&](VertexRange range) { program.listening(range, listening); });
  return Frontier::from_bits(std::move(listening));
}

void settle_all(Executor& executor, Program& program, VertexId id_space,
                std::vector<Collector>& collectors) {
  executor.parallel_for(
      0, id_space, kVertexRange, [&](unsigned worker, std::size_t first, std::size_t last) {
        program.settle({static_cast<VertexId>(first), static_cast<VertexId>(last)},
                       collectors[worker]);
      });
}

}  // namespace outcore
