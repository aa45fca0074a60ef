// SPDX-License-Identifier: Apache-2.0
#include "workloads/forward_push.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "engines/vertex_program.h"

namespace outcore {

namespace {

struct Push : VertexProgram<Push, double> {
  // Together, for whoever hears or speaks needs all of it.
  struct Vertex {
    double residual = 0;
    float threshold = 0;
    float rank = 0;
  };
  std::vector<Vertex> vertices;
  double alpha;

  Push(VertexId id_space, double end) : vertices(id_space), alpha(end) {}

  Traits traits() const override {
    return {.message_bytes = sizeof(Message), .emits_what_it_hears = true, .combines = true};
  }
  // Sooner, the more residual there is for each unit of threshold, by powers of two: those of one
  // power come in the engine's own order.
  static Priority power(double value) {
    return static_cast<Priority>(std::bit_cast<std::uint64_t>(value) >> 52);
  }
  static Priority urgency(const Vertex& vertex, double residual) {
    return power(vertex.threshold) - power(residual);
  }
  Priority priority(VertexId v) override {
    return urgency(vertices[v], peek(vertices[v].residual));
  }
  Message emit(Source u) {
    const double taken = replace<Access::shared>(vertices[u.v].residual, 0.0);
    vertices[u.v].rank += static_cast<float>(alpha * taken);
    return u.degree == 0 ? 0 : (1 - alpha) * taken / u.degree;
  }
  Message combine(Message a, Message b) { return a + b; }
  const void* state(VertexId v) const { return &vertices[v]; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    Vertex& vertex = vertices[v];
    const double before = increase<A>(vertex.residual, m);
    const double now = before + m;
    if (now <= vertex.threshold) return kQuiet;
    // Told again when it has become more urgent, or an engine would take it as it was at first.
    const bool told = before > vertex.threshold && power(now) == power(before);
    return told ? kQuiet : urgency(vertex, now);
  }
};

Answer push_answer(const Graph& graph, std::span<const Push::Vertex> vertices) {
  double largest = 0;
  double sum = 0;
  auto rank = canonical_values<float>(graph, [&](VertexId v) {
    largest = std::max(largest, vertices[v].residual);
    sum += vertices[v].residual;
    return vertices[v].rank;
  });
  return {.values = std::move(rank),
          .exact = false,
          .summary = {{"largest_residual", largest}, {"error_bound", sum}}};
}

}  // namespace

Finish forward_push(Engine& engine, const PushRules& rules) {
  const Graph& graph = engine.graph();
  Push push(graph.id_space, rules.alpha);
  engine.converge(push, vertices_where(engine, [&](VertexId v, std::uint32_t degree) {
                    Push::Vertex& vertex = push.vertices[v];
                    vertex.threshold = static_cast<float>(rules.threshold(degree));
                    if (graph.is_real(v)) vertex.residual = rules.start(v);
                    return vertex.residual > vertex.threshold;
                  }));

  return [graph, vertices = std::move(push.vertices)] { return push_answer(graph, vertices); };
}

Verdict verify_push(const CsrView& out, const Answer& answer, const PushRules& rules) {
  const std::string how = "the residuals that the ranks imply, in double precision";
  const auto& rank = std::get<std::vector<float>>(answer.values);
  const VertexId n = out.vertices();
  if (rank.size() != n) {
    return {how, false, fmt::format("{} values for {} vertices", rank.size(), n)};
  }
  // rank = alpha * taken and residual = start + handed on to it - taken.
  std::vector<double> handed(n, 0);
  for (VertexId u = 0; u < n; ++u) {
    const double share = (1 - rules.alpha) * rank[u] / static_cast<double>(out.degree(u));
    for (const VertexId v : out.list(u)) handed[v] += share;
  }
  double largest = 0;  // at least
  double sum = 0;      // at least
  for (VertexId v = 0; v < n; ++v) {
    const double residual = rules.start(v) + (handed[v] - rank[v]) / rules.alpha;
    const double threshold = rules.threshold(out.degree(v));
    const double slack =
        1e-5 * ((handed[v] + std::fabs(rank[v])) / rules.alpha + rules.start(v) + threshold);
    // What is not finite passes no comparison here.
    if (!(std::isfinite(slack) && residual >= -slack && residual <= threshold + slack)) {
      return {how, false,
              fmt::format("vertex {}: rank {} leaves a residual of {:.3g}, expected 0 to {:.3g}", v,
                          rank[v], residual, threshold)};
    }
    largest = std::max(largest, residual - slack);
    sum += residual - slack;
  }
  const auto said_largest = answer.summary.at("largest_residual").get<double>();
  const auto said_sum = answer.summary.at("error_bound").get<double>();
  if (largest <= said_largest && sum <= said_sum) return {how, true, {}};
  return {how, false,
          fmt::format("residuals left: at least {:.3g}, in all {:.3g}; the summary says at most "
                      "{:.3g}, in all {:.3g}",
                      largest, sum, said_largest, said_sum)};
}

ParameterSpec alpha_parameter() {
  return {"alpha", "0.15", "probability that the walk ends at a step", ParameterSpec::Kind::real,
          0.001,   1};
}

StateArray push_array() { return {"residual_and_rank", sizeof(Push::Vertex)}; }

}  // namespace outcore
