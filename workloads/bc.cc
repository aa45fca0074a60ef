// SPDX-License-Identifier: Apache-2.0
/*
Kernel: betweenness centrality from given roots (bc)
Returns: for each vertex the sum, over the roots, of its dependency: of all shortest paths (in hops)
from the root to other vertices, the share that passes through it. Not normalised. A root has no
dependency on itself. With all vertices as roots this is the exact betweenness.

Brandes' algorithm for each root. Forward, in rounds along the edges: each vertex of a level sends
how many shortest paths lead to it, and the vertices of the next level sum that. Backward, from the
last level along the reversed edges: w sends (1 + dependency of w) / paths to w, and a vertex of the
level before multiplies the sum of that by its own paths. Parallel edges are different paths.

Rounds are part of the definition in both phases: a level must be complete before it sends. There is
no priority, because a round has no order. Sums are in double precision in any order, so answers
agree within a tolerance and not to the bit.

There are many paths: a grid of 1000 by 1000 has more than a double can count. Only the ratios of
counts in neighbouring levels matter. So a level whose counts grow large is scaled down by a power
of 2, which is recorded. (Counts that differ by more than 2^1900 within one level cannot be held.)

[1] U. Brandes. A Faster Algorithm for Betweenness Centrality. J. Mathematical Sociology 2001.
[2] ChunkGraph, USENIX ATC 2024, section 4.1 (BC of random roots), and Ligra's BC (one root).
[3] S. Beamer, K. Asanovic, D. Patterson. The GAP Benchmark Suite. 2015 (four roots).
*/
#include <cmath>

#include "engines/vertex_program.h"
#include "workloads/references.h"
#include "workloads/registry.h"
#include "workloads/sources.h"

namespace outcore {

namespace {

// What both phases keep for one root, by layout id.
struct Search {
  State<std::uint32_t> level;
  State<double> paths;              // shortest paths from the root x 2^-(all scales so far)
  State<VertexId> order;            // reached vertices, level by level, up to starts.back()
  std::vector<std::size_t> starts;  // where each level begins in `order`, and its end
  std::vector<int> scale;           // the power of 2 by which each level was scaled down
  State<double> heard;              // backward: the sum of (1 + dependency) / paths

  Search(Engine& engine, VertexId root)
      : level(engine.state("level", kNoLevel)),
        paths(engine.state<double>("paths")),
        order(engine.state<VertexId>("order")),
        starts{0, 1},
        scale{0},
        heard(engine.state<double>("heard")) {
    level[root] = 0;
    paths[root] = 1;
    order[0] = root;
  }
  [[nodiscard]] std::size_t levels() const { return scale.size(); }
  [[nodiscard]] std::span<const VertexId> of_level(std::size_t l) const {
    return std::span(order).subspan(starts[l], starts[l + 1] - starts[l]);
  }
  [[nodiscard]] std::span<const VertexId> reached() const {
    return std::span(order).first(starts.back());
  }
};

struct CountPaths : VertexProgram<CountPaths, double> {
  Search& search;
  std::uint32_t next = 1;  // the level that this round finds

  explicit CountPaths(Search& s) : search(s) {}

  Message emit(Source u) { return search.paths[u.v]; }
  Message combine(Message a, Message b) { return a + b; }
  const void* state(VertexId v) const { return &search.level[v]; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    if (!listens(v)) return kQuiet;
    increase<A>(search.paths[v], m);
    return lower<A>(search.level[v], next) ? Priority{0} : kQuiet;
  }
  // Also true for the vertices found in this round: the rest of their paths is still to arrive.
  bool listens(VertexId v) override { return peek(search.level[v]) >= next; }
};

struct Depend : VertexProgram<Depend, double> {
  Search& search;
  std::uint32_t speaking = 0;  // the level that sends

  explicit Depend(Search& s) : search(s) {}

  // The dependency is paths * heard, so this is (1 + dependency) / paths, in the scale of the level
  // before.
  Message emit(Source w) {
    return std::ldexp(1 / search.paths[w.v] + search.heard[w.v], -search.scale[speaking]);
  }
  Message combine(Message a, Message b) { return a + b; }
  const void* state(VertexId v) const { return &search.level[v]; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    if (listens(v)) increase<A>(search.heard[v], m);
    return kQuiet;
  }
  bool listens(VertexId v) override { return search.level[v] + 1 == speaking; }
};

// Finishes the level that a round found: appends it to the order and sets its scale.
void close_level(Search& search, const Frontier& found) {
  constexpr int kStep = 64;  // a level's counts are at most 2^32 times the last one's
  const double kLarge = std::ldexp(1, 900);
  double largest = 0;
  std::size_t end = search.starts.back();
  found.for_each([&](VertexId v) {
    search.order[end++] = v;
    largest = std::max(largest, search.paths[v]);
  });
  search.starts.push_back(end);
  search.scale.push_back(largest > kLarge ? kStep : 0);
  if (search.scale.back() == 0) return;
  found.for_each([&](VertexId v) { search.paths[v] = std::ldexp(search.paths[v], -kStep); });
}

// Adds the dependencies on one root.
void add_dependencies(Engine& engine, VertexId root, State<double>& centrality) {
  const VertexId id_space = engine.graph().id_space;
  Search search(engine, root);
  CountPaths forward(search);
  Frontier frontier = Frontier::of(id_space, search.of_level(0));
  for (;; ++forward.next) {
    frontier = engine.round(forward, std::move(frontier), Direction::out, Mode::any);
    if (frontier.empty()) break;
    close_level(search, frontier);
  }
  Depend backward(search);
  for (std::size_t l = search.levels() - 1; l > 1; --l) {  // nothing depends on a root
    backward.speaking = static_cast<std::uint32_t>(l);
    engine.round(backward, Frontier::of(id_space, search.of_level(l)), Direction::in, Mode::any);
  }
  for (const VertexId v : search.reached()) {
    if (v != root) centrality[v] += search.paths[v] * search.heard[v];
  }
}

Answer bc_answer(const Graph& graph, std::span<const VertexId> roots, const State<double>& sums) {
  const std::vector<double> centrality =
      canonical_values<double>(graph, [&](VertexId v) { return sums[v]; });
  const auto most = std::max_element(centrality.begin(), centrality.end());
  nlohmann::json ids = nlohmann::json::array();
  for (const VertexId root : roots) ids.push_back(graph.original(root));
  return {
      .values = std::vector<float>(centrality.begin(), centrality.end()),
      .exact = false,
      .summary = {{"roots", ids}, {"most_central", most - centrality.begin()}, {"largest", *most}}};
}

Finish run_bc(Engine& engine, const Parameters& parameters) {
  const Graph& graph = engine.graph();
  const std::vector<VertexId> roots =
      find_sources(engine, parameters.text("source"), parameters.whole("roots"));
  auto sums = engine.state<double>("centrality");
  for (const VertexId root : roots) add_dependencies(engine, root, sums);

  return [graph, roots, sums] { return bc_answer(graph, roots, sums); };
}

// Adds the dependencies on one root as Brandes does, serially: over out-lists only, and in a
// precision whose exponent holds the counts without scaling.
void add_serially(const CsrView& out, VertexId root, std::vector<double>& centrality) {
  const std::vector<std::uint32_t> level = levels_from(out, root);
  std::vector<VertexId> order;
  for (VertexId v = 0; v < out.vertices(); ++v) {
    if (level[v] != kNoLevel) order.push_back(v);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](VertexId a, VertexId b) { return level[a] < level[b]; });
  std::vector<long double> paths(out.vertices(), 0);
  std::vector<long double> dependency(out.vertices(), 0);
  paths[root] = 1;
  for (const VertexId u : order) {
    for (const VertexId v : out.list(u)) {
      if (level[v] == level[u] + 1) paths[v] += paths[u];
    }
  }
  std::reverse(order.begin(), order.end());
  for (const VertexId u : order) {
    for (const VertexId v : out.list(u)) {
      if (level[v] == level[u] + 1) dependency[u] += paths[u] / paths[v] * (1 + dependency[v]);
    }
    if (u != root) centrality[u] += static_cast<double>(dependency[u]);
  }
}

// Brandes' algorithm over the canonical out-lists, root after root:
//  - each value is within 1e-5 (relative) of the sum of the dependencies
//  - a vertex on no shortest path has exactly 0
Verdict verify_bc(const Canonical& canonical, const Answer& answer, const Parameters& parameters) {
  std::vector<double> expected(canonical.out.vertices(), 0);
  const std::vector<VertexId> roots =
      find_sources(canonical.out, parameters.text("source"), parameters.whole("roots"));
  for (const VertexId root : roots) add_serially(canonical.out, root, expected);
  std::vector<double> allowed;
  for (const double value : expected) allowed.push_back(1e-5 * value);
  return compare_within("Brandes' algorithm, serially", std::get<std::vector<float>>(answer.values),
                        expected, allowed);
}

}  // namespace

Workload bc_workload() {
  return {
      .name = "bc",
      .help = "betweenness centrality from some roots",
      .parameters = {source_parameter("roots"),
                     {"roots", "1",
                      "how many roots: first by degree or at random, or as many as source names",
                      Parameter::Kind::whole, 1, 1 << 20}},
      .needs_reverse = true,
      .message_bytes = 8,
      .values = ValueKind::real,
      .repeats = "parallel edges are paths of their own, loops are on no shortest path",
      .sentence =
          "most central of {#vertices} vertices is {most_central}, with {largest}; from {roots}",
      .run = run_bc,
      .verify = verify_bc};
}

}  // namespace outcore
