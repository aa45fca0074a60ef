// SPDX-License-Identifier: Apache-2.0
/*
Kernel: sparse matrix by vector (spmv)
Returns: y = A x, where the edge u -> v is the entry of row v and column u

Each vertex sends its x once, an edge multiplies it by its weight, and each vertex sums what it
hears. weights.h explains which weights are used. x is in [0, 1), hashed from the original id and
`seed`, so it is the same in every layout. Parallel edges are entries that add up.

One round, in which the order affects only rounding. Products are summed in double precision, so
that the sum of a hub's list stays within the checker's tolerance, and y is rounded to single
precision. No vertex is active afterwards, so there is no priority.

[1] LOSC, JPDC 2023, section 4.1 (one multiplication).
*/
#include <cmath>

#include "engines/vertex_program.h"
#include "workloads/references.h"
#include "workloads/registry.h"
#include "workloads/weights.h"

namespace outcore {

namespace {

// The vector's entry: 24 random bits, exact in single precision.
double entry(std::uint64_t seed, VertexId original) {
  return static_cast<double>(mix(mix(seed) ^ original) >> 40) * 0x1p-24;
}

struct Spmv : VertexProgram<Spmv, double> {
  const Graph& graph;
  std::uint64_t seed;
  bool stored;  // the wanted weights come with the edges
  State<double> y;

  Spmv(Engine& engine, std::uint64_t x_seed, bool weights_stored)
      : graph(engine.graph()), seed(x_seed), stored(weights_stored), y(engine.state("y", 0.0)) {}

  Message emit(Source u) { return entry(seed, graph.original(u.v)); }
  Message along(Message m, VertexId u, VertexId v, float w) {
    return m * (stored ? w : graph.hashed_weight(u, v));
  }
  Message combine(Message a, Message b) { return a + b; }
  const void* state(VertexId v) const { return &y[v]; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    increase<A>(y[v], m);
    return kQuiet;
  }
};

Answer spmv_answer(const Graph& graph, const State<double>& by_layout_id) {
  const std::vector<double> y = in_canonical_order(graph, by_layout_id);
  double largest = 0;
  double sum = 0;
  for (const double value : y) {
    largest = std::max(largest, std::fabs(value));
    sum += value;
  }
  return {.values = std::vector<float>(y.begin(), y.end()),
          .exact = false,
          .summary = {{"sum", sum}, {"largest", largest}}};
}

Finish run_spmv(Engine& engine, const Parameters& parameters) {
  const Graph& graph = engine.graph();
  Spmv spmv(engine, parameters.whole("seed"), weights_are_stored("spmv", graph, parameters));
  engine.round(spmv, Frontier::all(graph), Direction::out, Mode::any);

  return [graph, y = spmv.y] { return spmv_answer(graph, y); };
}

// Row by row over the canonical in-lists, in double precision: each value is within 1e-6 of the sum
// of its products' magnitudes.
Verdict verify_spmv(const Canonical& canonical, const Answer& answer,
                    const Parameters& parameters) {
  const VertexId n = canonical.in.vertices();
  const std::uint64_t seed = parameters.whole("seed");
  const bool given = wants_given_weights("spmv", parameters, !canonical.in.weights().empty());
  std::vector<double> expected(n, 0);
  std::vector<double> allowed(n, 0);
  for (VertexId v = 0; v < n; ++v) {
    const std::span<const VertexId> columns = canonical.in.list(v);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const VertexId u = columns[i];
      const double product =
          entry(seed, u) * (given ? canonical.in.weights(v)[i] : hashed_weight(u, v));
      expected[v] += product;
      allowed[v] += 1e-6 * std::fabs(product);
    }
  }
  return compare_within("rows of products in double precision",
                        std::get<std::vector<float>>(answer.values), expected, allowed);
}

}  // namespace

Workload spmv_workload() {
  return {.name = "spmv",
          .help = "sparse matrix by vector, once",
          .parameters = {{"seed", "1", "seed of the vector's hashed entries",
                          Parameter::Kind::whole, 0, 1LL << 53},
                         weights_parameter()},
          .message_bytes = 8,
          .values = ValueKind::real,
          .repeats = "each is an entry of the matrix",
          .sentence = "largest entry {largest}, all together {sum}",
          .run = run_spmv,
          .verify = verify_spmv};
}

}  // namespace outcore
