// SPDX-License-Identifier: Apache-2.0
// Convergence in order of priority: rho-stepping (X. Dong, Y. Gu, Y. Sun, Y. Zhang. Efficient
// Stepping Algorithms and Implementations for Parallel Shortest Paths. SPAA 2021). Of the active
// vertices a step takes the rho that come first, as near as a sample of priorities tells; the
// others wait, and may hear something better meanwhile. Delta-stepping, which GAP has, must be told
// how wide its buckets are, which hangs on the weights; this works for any priority, and where all
// are alike a step takes everybody.
#include "common/stopwatch.h"
#include "engines/in_memory/in_memory.h"
#include "engines/in_memory/loops.h"

namespace outcore {

namespace {

// rho, as a share of all vertices. Measured, sssp: 1/64 is best on Kronecker 22 (1.3 s; 1/16 and
// 1/256 1.5 and 1.7), smaller shares on a road network of 1.5 M vertices (1/64 1.5 s, 1/372 0.8).
constexpr VertexId kShare = 64;
constexpr std::size_t kLeast = 4096;
constexpr std::size_t kSample = 1024;

// The priority up to which a step takes vertices; kQuiet: all of them.
Priority threshold(Program& program, const Frontier& active) {
  const std::size_t rho = std::max<std::size_t>(kLeast, active.id_space() / kShare);
  if (active.size() <= rho) return kQuiet;
  const Bitmap& bits = active.bits();
  std::vector<Priority> sample;
  for (std::uint64_t i = 0; sample.size() < kSample; ++i) {  // 64 ids at a time, by hash
    const std::size_t first = mix(i) % bits.words().size() * 64;
    bits.for_each(first, std::min(bits.size(), first + 64), [&](std::size_t v) {
      sample.push_back(program.priority(static_cast<VertexId>(v)));
    });
  }
  const auto nth =
      sample.begin() + static_cast<std::ptrdiff_t>(sample.size() * rho / active.size());
  std::nth_element(sample.begin(), nth, sample.end());
  return *nth;
}

}  // namespace

// Those of `active` whose priority is at most `most` come to `first`, the others to `rest`.
void InMemoryEngine::split(Program& program, const Frontier& active, Priority most, Frontier& first,
                           Frontier& rest) const {
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

void InMemoryEngine::converge_in_order(Program& program, Frontier&& active) {
  report_.visibility = Visibility::immediate;
  while (!active.empty()) {
    const Stopwatch watch;
    Frontier now(0);
    Frontier later(graph_.id_space);
    const Priority most = threshold(program, active);
    if (most == kQuiet) {
      now = std::move(active);
    } else {
      split(program, active, most, now, later);
    }
    std::vector<Collector> collectors(std::max(1U, options_.threads), Collector(later));
    const std::uint64_t edges = push(program, now, out_, false, collectors);
    finish_round(now, edges, false, collectors, later, watch.seconds());
    active = std::move(later);
  }
}

}  // namespace outcore
