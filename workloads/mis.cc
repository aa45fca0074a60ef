// SPDX-License-Identifier: Apache-2.0
/*
Kernel: maximal independent set (mis)
Returns: 1 for the members of the set that a greedy pass in a random order chooses, 0 for the others

The vertices have a random order: a hash of `seed` and their original id, in which no two are equal.
A vertex is in the set if and only if none of its earlier neighbours is. So the order fixes the set
(the lexicographically first one), and a seed gives the same set everywhere.

As in Algorithm 2 of [1], a vertex that waits for no earlier neighbour is decided, and decided
vertices tell their later neighbours. Reading the neighbours' states would be a race. Instead each
vertex first counts its earlier neighbours (one round), and then hears from each of them once. A
vertex that is in makes its later neighbours out. A vertex that is out lowers their counts, and a
vertex whose count reaches 0 is in. So every list is read twice in all (form=count).

form=short-first  Vertices whose lists stand in the index are decided first, as far as they can be
without the others: one with no undecided neighbour before it is in, and tells its neighbours. No
block is read for that. Most hubs are then out, because each has many such neighbours. A vertex that
is out neither counts nor tells its neighbours, so its list is never read. This is done in turns: as
long as enough of the undecided have short lists, and the turn before settled enough.

Any order converges: a vertex is decided once, by what its earlier neighbours are and not by when
they say so. (An earlier neighbour that is in never says "out", so no count falls to 0 wrongly.) The
work is the same in any order, so no vertex is more urgent than another, and engines may take them
as they lie in the file. (Kronecker 23, frames 64 MB: taking the earliest first reads 4.8 GB in
860,000 requests; this way it is 3.9 GB in 331,000.)

Loops are ignored: otherwise a vertex with a loop could never be a member, and the set might not be
maximal.

[1] G. Blelloch, J. Fineman, J. Shun. Greedy Sequential Maximal Independent Set and Matching are
    Parallel on Average. SPAA 2012.
*/
#include <fmt/format.h>

#include <numeric>

#include "engines/vertex_program.h"
#include "workloads/registry.h"

namespace outcore {

namespace {

// Positions in the random order: 32 bits mixed by bijections, so no two vertices share one.
struct Order {
  std::uint32_t seed;  // mixed
  explicit Order(const Parameters& parameters)
      : seed(static_cast<std::uint32_t>(mix(parameters.whole("seed")))) {}
  [[nodiscard]] std::uint32_t place(VertexId original) const {
    std::uint32_t x = original ^ seed;
    x = (x ^ x >> 16) * 0x7feb352dU;
    x = (x ^ x >> 15) * 0x846ca68bU;
    return x ^ x >> 16;
  }
};

// Everything that the far end of an edge is asked for, side by side: each edge costs a cache miss.
struct Vertex {
  static constexpr std::uint32_t kOut = 0x8000'0000;

  std::uint32_t place;
  // How many earlier neighbours are undecided; 0: in the set. With kOut set, an earlier neighbour
  // is in the set.
  std::uint32_t waiting;
};

// One round: each vertex that is asked counts its active neighbours that come earlier.
struct Waiting : VertexProgram<Waiting, std::uint32_t> {
  State<Vertex>& vertices;
  const Bitmap& asked;

  Waiting(State<Vertex>& of, const Bitmap& who) : vertices(of), asked(who) {}

  static constexpr Saying kSaying = Saying::common;

  Message emit(Source) { return 1; }
  Message along(Message, VertexId u, VertexId v, float) {
    return vertices[u].place < vertices[v].place ? 1 : 0;
  }
  Message combine(Message a, Message b) { return a + b; }
  bool listens(VertexId v) override { return asked.get(v); }
  const void* state(VertexId v) const { return &vertices[v]; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    if (m != 0) increase<A>(vertices[v].waiting, m);
    return kQuiet;
  }
};

// How many of the senders come earlier than the receiver, by what they became.
struct Decided {
  std::uint32_t in = 0;
  std::uint32_t out = 0;
};

struct Mis : VertexProgram<Mis, Decided> {
  State<Vertex>& vertices;

  explicit Mis(State<Vertex>& of) : vertices(of) {}

  Message emit(Source u) {
    return peek(vertices[u.v].waiting) == 0 ? Decided{.in = 1, .out = 0}
                                            : Decided{.in = 0, .out = 1};
  }
  Message along(Message m, VertexId u, VertexId v, float) {
    return vertices[u].place < vertices[v].place ? m : Decided{};
  }
  Message combine(Message a, Message b) { return {a.in + b.in, a.out + b.out}; }
  const void* state(VertexId v) const { return &vertices[v]; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    std::uint32_t& waiting = vertices[v].waiting;
    if (m.in != 0 && (include<A>(waiting, Vertex::kOut) & Vertex::kOut) == 0) return Priority{0};
    // The count of a vertex that is already out no longer matters, and most are out before most of
    // their neighbours say so: reading what is known spares their cache lines to be written.
    if (m.out == 0 || (peek(waiting) & Vertex::kOut) != 0) return kQuiet;
    if (increase<A>(waiting, 0 - m.out) != m.out) return kQuiet;
    return Priority{0};
  }
  bool listens(VertexId v) override {
    const std::uint32_t waiting = peek(vertices[v].waiting);
    return waiting != 0 && (waiting & Vertex::kOut) == 0;
  }
};

Answer mis_answer(const Graph& graph, std::span<const Vertex> vertices) {
  auto in = canonical_values<std::uint32_t>(
      graph, [&](VertexId v) { return vertices[v].waiting == 0 ? 1 : 0; });
  const auto size = std::count(in.begin(), in.end(), 1U);
  return {.values = std::move(in), .summary = {{"size", size}}};
}

State<Vertex> placed_vertices(Engine& engine, const Order& order) {
  const Graph& graph = engine.graph();
  auto vertices = engine.state<Vertex>("vertices");
  engine.for_each_range([&](VertexRange range) {
    for (VertexId v = range.begin; v < range.end; ++v) {
      vertices[v] = {.place = graph.is_real(v) ? order.place(graph.original(v)) : 0, .waiting = 0};
    }
  });
  return vertices;
}

bool is_out(const Vertex& vertex) { return (vertex.waiting & Vertex::kOut) != 0; }

// form=short-first. Decides vertices of short lists; returns the undecided ones, which wait for
// nothing yet. REQUIRES: the engine pulls.
Frontier decide_short_lists(Engine& engine, Mis& mis) {
  constexpr std::uint64_t kWorthATurn = 8;  // of the undecided vertices' edges, one in so many
  constexpr std::size_t kFew = 16;          // of the undecided vertices, one in so many

  State<Vertex>& vertices = mis.vertices;
  const std::uint32_t short_list = engine.graph().inline_edges;
  Frontier undecided = vertices_where(engine, [](VertexId, std::uint32_t d) { return d > 0; });
  for (std::uint64_t edges = engine.graph().edges, before = 2 * edges;
       (before - edges) * kWorthATurn >= before && edges > 0;) {
    const Frontier asked = vertices_where(engine, [&](VertexId v, std::uint32_t degree) {
      return degree <= short_list && undecided.contains(v);
    });
    if (asked.size() * kFew < undecided.size()) break;
    Waiting waiting(vertices, asked.bits());
    engine.round(waiting, Frontier(undecided), Direction::out, Mode::pull);
    const Frontier members = vertices_where(engine, [&](VertexId v, std::uint32_t) {
      return asked.contains(v) && vertices[v].waiting == 0;
    });
    engine.round(mis, Frontier(members), Direction::out, Mode::push);
    undecided = vertices_where(engine, [&](VertexId v, std::uint32_t) {
      if (!undecided.contains(v) || members.contains(v) || is_out(vertices[v])) return false;
      vertices[v].waiting = 0;
      return true;
    });
    before = std::exchange(edges, engine.edges_of(undecided));
  }
  return undecided;
}

Finish run_mis(Engine& engine, const Parameters& parameters) {
  const Graph& graph = engine.graph();
  const bool short_first =
      parameters.text("form") == "short-first" && graph.inline_edges > 0 && engine.traits().pull;
  State<Vertex> vertices = placed_vertices(engine, Order(parameters));
  Mis mis(vertices);
  const Frontier undecided = short_first ? decide_short_lists(engine, mis) : Frontier::all(graph);
  Waiting waiting(vertices, undecided.bits());
  engine.round(waiting, Frontier(undecided), Direction::out, short_first ? Mode::pull : Mode::any);
  engine.converge(mis, vertices_where(engine, [&](VertexId v, std::uint32_t degree) {
                    return degree > 0 && undecided.contains(v) && vertices[v].waiting == 0;
                  }));

  return [graph, vertices = std::move(vertices)] { return mis_answer(graph, vertices); };
}

// Over the canonical lists, without loops:
//  - every vertex is in or out
//  - independent: no edge joins two members
//  - maximal: each vertex that is out has a member among its neighbours
//  - it is the set of a serial greedy pass in the same order, unless it is another program's
Verdict verify_mis(const Canonical& canonical, const Answer& answer, const Parameters& parameters) {
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
  if (answer.foreign) {
    if (found.size() == n) return {"independence and maximality", true, {}};
    return {how, false, fmt::format("{} values for {} vertices", found.size(), n)};
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
  const auto size = std::count(expected.begin(), expected.end(), 1U);
  return check_said(compare(how, found, expected), answer, "size", static_cast<double>(size));
}

}  // namespace

Workload mis_workload() {
  return {.name = "mis",
          .help = "maximal independent set, greedy in a random order",
          .parameters = {{"seed", "1", "seed of the random order", Parameter::Kind::whole, 0,
                          1LL << 53},
                         {.name = "form",
                          .fallback = "short-first",
                          .help = "short-first: vertices whose lists stand in the index are "
                                  "decided before others count; count: all count",
                          .choices = {"short-first", "count"}}},
          .needs_symmetric = true,
          .message_bytes = 8,
          .sentence = "{#size} of {#vertices} vertices in the set",
          .run = run_mis,
          .verify = verify_mis};
}

}  // namespace outcore
