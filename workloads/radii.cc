// SPDX-License-Identifier: Apache-2.0
/*
Kernel: estimated radii (radii)
Returns: for each vertex the distance from the farthest of the sampled sources that reach it,
kNoLevel if none does

Up to 64 breadth-first searches at once, one bit each. A frontier vertex sends which sources have
reached it, its neighbours take the bits that are new to them, and the round in which a vertex last
took a bit is its radius. The radius is at most the vertex's eccentricity, and in a connected graph
the largest radius is a lower bound of the diameter.

The sources are the vertices with edges whose hashed original ids come first for the `seed`, so they
are the same in every layout. If there are fewer such vertices, all of them are sources.

Rounds are part of the definition: a vertex sends what it knew before the round (`visited`), and
what it hears is kept apart (`heard`) until the round is over. There is no priority, because a round
has no order.

[1] ChunkGraph, USENIX ATC 2024, section 4.1 (Radii).
[2] J. Shun, G. Blelloch. Ligra: A Lightweight Graph Processing Framework for Shared Memory. PPoPP
    2013 (64 sources).
*/
#include "engines/vertex_program.h"
#include "workloads/references.h"
#include "workloads/registry.h"
#include "workloads/sources.h"

namespace outcore {

namespace {

struct Radii : VertexProgram<Radii, std::uint64_t> {
  State<std::uint64_t> visited;  // the sources that reached it before this round
  State<std::uint64_t> heard;    // with those of this round
  std::uint64_t everybody = 0;

  explicit Radii(Engine& engine)
      : visited(engine.state<std::uint64_t>("visited")),
        heard(engine.state<std::uint64_t>("heard")) {}

  static constexpr Hearing kHearing = Hearing::repeatable;

  Message emit(Source u) { return visited[u.v]; }
  Message combine(Message a, Message b) { return a | b; }
  const void* state(VertexId v) const { return &heard[v]; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    const std::uint64_t before = peek(heard[v]);
    if ((m & ~before) == 0) return kQuiet;
    include<A>(heard[v], m);
    return Priority{0};
  }
  bool listens(VertexId v) override { return peek(heard[v]) != everybody; }
};

template <typename Where>
std::vector<VertexId> sampled(Where& where, EdgeIndex edges, const Parameters& parameters) {
  if (edges == 0) return {};
  return find_sources(where, "random:" + parameters.text("seed"), parameters.whole("sources"));
}

Finish run_radii(Engine& engine, const Parameters& parameters) {
  const Graph& graph = engine.graph();
  const std::vector<VertexId> sources = sampled(engine, graph.edges, parameters);
  Radii radii(engine);
  auto radius = engine.state("radius", kNoLevel);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    radii.visited[sources[i]] = radii.heard[sources[i]] = std::uint64_t{1} << i;
    radii.everybody |= std::uint64_t{1} << i;
    radius[sources[i]] = 0;
  }
  Frontier frontier = Frontier::of(graph.id_space, sources);
  for (std::uint32_t round = 1; !frontier.empty(); ++round) {
    frontier = engine.round(radii, std::move(frontier), Direction::out, Mode::any);
    frontier.for_each([&](VertexId v) {
      radii.visited[v] = radii.heard[v];
      radius[v] = round;
    });
  }
  std::uint64_t reached = 0;
  std::uint32_t largest = 0;
  for (const std::uint32_t r : radius) {
    if (r == kNoLevel) continue;
    ++reached;
    largest = std::max(largest, r);
  }
  const nlohmann::json summary = {
      {"sources", sources.size()}, {"reached", reached}, {"largest", largest}};
  return [graph, summary, radius]() -> Answer {
    return {.values = in_canonical_order(graph, radius), .summary = summary};
  };
}

// A search with a queue over the canonical lists from each source: each value is the vertex's
// largest level over the searches that reach it, or none.
Verdict verify_radii(const Canonical& canonical, const Answer& answer,
                     const Parameters& parameters) {
  const VertexId n = canonical.out.vertices();
  std::vector<std::uint32_t> expected(n, kNoLevel);
  for (const VertexId source : sampled(canonical.out, canonical.out.edges(), parameters)) {
    const std::vector<std::uint32_t> level = levels_from(canonical.out, source);
    for (VertexId v = 0; v < n; ++v) {
      if (level[v] == kNoLevel) continue;
      expected[v] = expected[v] == kNoLevel ? level[v] : std::max(expected[v], level[v]);
    }
  }
  return compare("a serial search from each source", std::get<0>(answer.values), expected);
}

}  // namespace

Workload radii_workload() {
  using Kind = Parameter::Kind;
  return {.name = "radii",
          .help = "radii estimated by up to 64 searches at once",
          .parameters = {{"sources", "64", "how many searches", Kind::whole, 1, 64},
                         {"seed", "1", "seed of the choice of sources", Kind::whole, 0, 1LL << 53}},
          .sentence =
              "largest radius {largest} among {#reached} of {#vertices} vertices, from {#sources "
              "source}",
          .run = run_radii,
          .verify = verify_radii};
}

}  // namespace outcore
