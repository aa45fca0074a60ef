// SPDX-License-Identifier: Apache-2.0
// Convergence in order of priority: rho-stepping (X. Dong, Y. Gu, Y. Sun, Y. Zhang. Efficient
// Stepping Algorithms and Implementations for Parallel Shortest Paths. SPAA 2021). A step takes the
// most urgent of the active vertices, up to rho edges, as estimated by a sample. The others wait,
// and may hear something better meanwhile. (The paper counts rho in vertices; here hubs come first
// and have most of the edges.) Delta-stepping, which GAP uses, needs the width of its buckets,
// which depends on the weights. This works for any priority; if all are equal, a step takes every
// vertex.
#pragma once

#include "common/stopwatch.h"
#include "engines/memory/loops.h"
#include "engines/memory/rounds.h"

namespace outcore {

namespace rho_stepping {

// rho, counted in edges, as a share of all edges. Measured: sssp on Kronecker 22, two threads: 1/4
// follows 174 M edges in 1.35 s, 1/16 134 M in 1.18 s, 1/64 128 M (each once) in 1.05 s, 1/128 as
// many in 1.19 s.
inline constexpr EdgeIndex kShare = 64;
inline constexpr EdgeIndex kLeast = 1 << 14;
inline constexpr std::size_t kSample = 4096;

// The priority up to which a step takes vertices; kQuiet means all of them.
template <typename Lists>
Priority threshold(Program& program, const Frontier& active, const Lists& lists, EdgeIndex rho) {
  if (active.size() <= kSample) return kQuiet;
  struct Seen {
    Priority priority;
    std::uint64_t edges;
  };
  const Bitmap& bits = active.bits();
  std::vector<Seen> sample;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; sample.size() < kSample; ++i) {  // 64 ids at a time, chosen by hash
    const std::size_t first = mix(i) % bits.words().size() * 64;
    bits.for_each(first, std::min(bits.size(), first + 64), [&](std::size_t id) {
      const auto v = static_cast<VertexId>(id);
      sample.push_back({program.priority(v), lists.degree(v) + 1});
      sum += sample.back().edges;
    });
  }
  // The share of the sample's edges that a step may follow.
  const double all = static_cast<double>(sum) / static_cast<double>(sample.size()) *
                     static_cast<double>(active.size());
  if (all <= static_cast<double>(rho)) return kQuiet;
  auto left = static_cast<std::int64_t>(static_cast<double>(sum) * static_cast<double>(rho) / all);
  std::sort(sample.begin(), sample.end(),
            [](const Seen& a, const Seen& b) { return a.priority < b.priority; });
  for (const Seen& seen : sample) {
    left -= static_cast<std::int64_t>(seen.edges);
    if (left <= 0) return seen.priority;
  }
  return kQuiet;
}

}  // namespace rho_stepping

// Splits `active`: vertices whose priority is at most `most` go to `first`, the others to `rest`.
template <typename Lists>
void MemoryEngine<Lists>::split(Program& program, const Frontier& active, Priority most,
                                Frontier& first, Frontier& rest) const {
  Bitmap taken(graph_.id_space);
  Bitmap left(graph_.id_space);
  const std::span<const std::uint64_t> words = active.bits().words();
  for_ranges(graph_.id_space, options_.threads, [&](VertexRange range, int) {
    for (std::size_t w = range.begin / 64; w * 64 < range.end; ++w) {
      std::uint64_t bits = 0;
      for (std::uint64_t word = words[w]; word != 0; word &= word - 1) {
        const auto bit = static_cast<unsigned>(std::countr_zero(word));
        const auto v = static_cast<VertexId>(w * 64 + bit);
        bits |= std::uint64_t{program.priority(v) <= most} << bit;
      }
      taken.words()[w] = bits;
      left.words()[w] = words[w] & ~bits;
    }
  });
  first = Frontier::from_bits(std::move(taken));
  rest = Frontier::from_bits(std::move(left));
}

template <typename Lists>
void MemoryEngine<Lists>::converge_in_order(Program& program, Frontier&& active) {
  using rho_stepping::kLeast, rho_stepping::kShare, rho_stepping::threshold;
  report_.visibility = Visibility::immediate;
  while (!active.empty()) {
    const Stopwatch watch;
    Frontier now(0);
    Frontier later(graph_.id_space);
    const Priority most = threshold(program, active, out_, std::max(kLeast, graph_.edges / kShare));
    if (most == kQuiet) {
      now = std::move(active);
    } else {
      split(program, active, most, now, later);
    }
    std::vector<Collector> collectors(std::max(1U, options_.threads),
                                      Collector(later, /*alone=*/false, options_.events));
    note_round_began(options_, report_.rounds.size(), now.size(), false);
    const Given given = push(program, now, out_, false, collectors);
    finish_round(now, given, false, collectors, later, watch.seconds());
    active = std::move(later);
  }
}

}  // namespace outcore
