// SPDX-License-Identifier: Apache-2.0
/*
Kernel: maximal independent set (mis)
Returns: 1 for the members of the set that a greedy pass in a random order chooses, 0 for the others

Vertices stand in a random order: by a hash of `seed` and their original id, in which no two are
alike. A vertex is in the set if and only if none of its neighbours that come earlier is; so the
order fixes the set (the lexicographically first one), and a seed gives the same set everywhere.

As in Algorithm 2 of [1], whoever waits for no earlier neighbour is decided, and all that are
decided tell those that come later. Reading the neighbours' states would be a race: instead each
vertex first counts its earlier neighbours (one round), and then hears from each of them once. One
that is in decides its later neighbours (out); one that is out makes their counts fall, and whoever
waits for nobody any more is in. So every list is read twice in all.

Any order converges: a vertex is decided once, by what its earlier neighbours are and not by when
they say so. (An earlier neighbour that is in never says "out", so no count falls to 0 wrongly.)
Taking the earliest first leaves the fewest waiting (priority = place in the order).

Loops are left out: here a vertex is no neighbour of its own, else those with loops could never be
members and a set might not be maximal for the others.

[1] G. Blelloch, J. Fineman, J. Shun. Greedy Sequential Maximal Independent Set and Matching are
    Parallel on Average. SPAA 2012.
*/
#include <fmt/format.h>

#include <numeric>

#include "engines/vertex_program.h"
#include "workloads/registry.h"

namespace outcore {

namespace {

// Places in the random order. mix is a bijection, so that no two vertices share one.
struct Order {
  std::uint64_t seed;  // mixed
  explicit Order(const Parameters& parameters) : seed(mix(parameters.whole("seed"))) {}
  [[nodiscard]] std::uint64_t place(VertexId original) const { return mix(seed ^ original); }
};

// One round: each vertex counts the neighbours that come earlier.
struct Waiting : VertexProgram<Waiting, std::uint32_t> {
  const Graph& graph;
  const Order& order;
  std::vector<std::uint32_t> waiting;

  Waiting(const Graph& g, const Order& o) : graph(g), order(o), waiting(g.id_space, 0) {}

  Traits traits() const override { return {.message_bytes = sizeof(Message), .combines = true}; }
  Message emit(Source) { return 1; }
  Message along(Message m, VertexId u, VertexId v, float) {
    return order.place(graph.original(u)) < order.place(graph.original(v)) ? m : 0;
  }
  Message combine(Message a, Message b) { return a + b; }
  const void* state(VertexId v) const { return &waiting[v]; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    if (m != 0) increase<A>(waiting[v], m);
    return kQuiet;
  }
};

enum State : std::uint32_t { kOut = 0, kIn = 1, kUndecided = 2 };

// How many of those that speak came earlier than the hearer, by what they became.
struct Decided {
  std::uint32_t in = 0;
  std::uint32_t out = 0;
};

struct Mis : VertexProgram<Mis, Decided> {
  const Graph& graph;
  const Order& order;
  std::vector<std::uint32_t> waiting;
  std::vector<std::uint32_t> state_of;

  Mis(const Graph& g, const Order& o, std::vector<std::uint32_t>&& earlier)
      : graph(g), order(o), waiting(std::move(earlier)), state_of(g.id_space, kUndecided) {}

  Traits traits() const override { return {.message_bytes = sizeof(Message), .combines = true}; }
  Priority priority(VertexId v) override {
    return priority_of(static_cast<std::uint32_t>(order.place(graph.original(v)) >> 32));
  }
  Message emit(Source u) {
    return peek(state_of[u.v]) == kIn ? Decided{.in = 1, .out = 0} : Decided{.in = 0, .out = 1};
  }
  Message along(Message m, VertexId u, VertexId v, float) {
    return order.place(graph.original(u)) < order.place(graph.original(v)) ? m : Decided{};
  }
  Message combine(Message a, Message b) { return {a.in + b.in, a.out + b.out}; }
  const void* state(VertexId v) const { return &state_of[v]; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    if (m.in != 0 && lower<A>(state_of[v], std::uint32_t{kOut})) return priority(v);
    if (m.out == 0 || increase<A>(waiting[v], 0 - m.out) != m.out) return kQuiet;
    lower<A>(state_of[v], std::uint32_t{kIn});
    return priority(v);
  }
  bool listens(VertexId v) override { return peek(state_of[v]) == kUndecided; }
};

Answer run(Engine& engine, const Parameters& parameters) {
  const Graph& graph = engine.graph();
  const Order order(parameters);
  Waiting earlier(graph, order);
  engine.round(earlier, Frontier::all(graph), Direction::out, Mode::any);

  Mis mis(graph, order, std::move(earlier.waiting));
  Frontier roots(graph.id_space);
  for (VertexId v = 0; v < graph.id_space; ++v) {
    if (!graph.is_real(v) || mis.waiting[v] != 0) continue;
    mis.state_of[v] = kIn;
    roots.add(v);
  }
  engine.converge(mis, std::move(roots));

  std::uint64_t size = 0;
  for (VertexId v = 0; v < graph.id_space; ++v) {
    size += graph.is_real(v) && mis.state_of[v] == kIn ? 1 : 0;
  }
  return {.values = in_canonical_order(graph, std::move(mis.state_of)),
          .summary = {{"size", size}}};
}

// Over the canonical lists, loops aside:
//  - every vertex is in or out
//  - independent: no edge joins two members
//  - maximal: who is out has a member among its neighbours
//  - it is the set of a serial greedy pass in the same order
Verdict verify(const Canonical& canonical, const Answer& answer, const Parameters& parameters) {
  const std::string how = "independence, maximality and a serial greedy pass";
  const VertexId n = canonical.out.vertices();
  const auto& found = std::get<std::vector<std::uint32_t>>(answer.values);
  for (VertexId u = 0; u < std::min<std::size_t>(n, found.size()); ++u) {
    if (found[u] > 1) return {how, false, fmt::format("vertex {}: found {}", u, found[u])};
    bool has_member = found[u] == 1;
    for (const VertexId v : canonical.out.list(u)) {
      if (v == u || v >= found.size() || found[v] != 1) continue;
      if (found[u] == 1) {
        return {how, false, fmt::format("vertex {} and its neighbour {} are both in", u, v)};
      }
      has_member = true;
    }
    if (!has_member) {
      return {how, false, fmt::format("vertex {} is out and has no neighbour that is in", u)};
    }
  }
  const Order order(parameters);
  std::vector<VertexId> pass(n);
  std::iota(pass.begin(), pass.end(), 0U);
  std::sort(pass.begin(), pass.end(),
            [&](VertexId a, VertexId b) { return order.place(a) < order.place(b); });
  std::vector<std::uint32_t> expected(n, 1);
  for (const VertexId u : pass) {
    if (expected[u] == 0) continue;
    for (const VertexId v : canonical.out.list(u)) {
      if (v != u) expected[v] = 0;
    }
  }
  return compare(how, found, expected);
}

}  // namespace

Workload mis_workload() {
  return {.name = "mis",
          .help = "maximal independent set, greedy in a random order",
          .parameters = {{"seed", "1", "of the order", ParameterSpec::Kind::whole, 0, 1LL << 53}},
          .needs_symmetric = true,
          .run = run,
          .verify = verify};
}

}  // namespace outcore
