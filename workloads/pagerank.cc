// SPDX-License-Identifier: Apache-2.0
/*
Kernel: PageRank by power iteration (pagerank)
Returns: the rank of each vertex after the given iterations, or once the ranks change little

Each round every vertex sends rank / out-degree. Each vertex then takes base + damping * (the sum of
what it heard).

sinks=lost   the rank of vertices without out-edges is not handed on: the GAP suite
sinks=spread it is handed on to all vertices alike: LDBC Graphalytics, NetworkX

form=share   ranks begin at 1 / n and the base is (1 - damping) / n: LOSC, XPGraph, GAP
form=cave    ranks begin at 1 and the base is 1 - damping: n times as large (CAVE, Algorithm 4; it
             keeps ranks divided by the degree, so it has none for vertices without edges)

The papers fix the iterations (LOSC 5, XPGraph 10): tolerance=0. GAP stops when the ranks, as shares
of 1, change by less than 1e-4 in all (L1): iterations=1000 tolerance=1e-4. The summary's
error_bound states how far the ranks are (L1, as shares) from the ranks that further iterations
would no longer change. That is at most damping / (1 - damping) times the last change (there is no
bound for damping 1), plus the rounding of single precision, 2^-19 of the ranks in each iteration
(see kRounding).

Rounds are part of the definition: an engine must offer visibility `round`, and there is no
priority. Sums are in single precision in any order, so answers agree within a tolerance and not to
the bit.

[1] L. Page et al. The PageRank Citation Ranking: Bringing Order to the Web. 1999.
[2] S. Beamer, K. Asanovic, D. Patterson. The GAP Benchmark Suite. 2015. Section 3 (stopping rule).
[3] CAVE, SIGMOD 2024, section 4.5.
*/
#include <fmt/format.h>

#include <cmath>
#include <mutex>

#include "engines/vertex_program.h"
#include "workloads/registry.h"

namespace outcore {

namespace {

// The relative error of an iteration in single precision. Sums have up to 1024 messages
// (VertexProgram::gather). Each rounding is half a unit in the last place (2^-24) at random, so
// 1024 of them add up to 32 times that. Measured on Kronecker 16, 1000 iterations: 1.8e-8 an
// iteration, a hundredth of this.
constexpr double kRounding = 0x1p-19;

// How far the ranks may be from the limit, given the last change.
double error_bound(double change, double damping) {
  return (change * damping + kRounding) / (1 - damping);
}

// `Sum`: double for engines that only push. Those add the messages to a hub one by one, which in
// single precision is off by more than the verifier accepts; a pull adds up to 1024 of them first.
template <typename Sum>
struct Pagerank : VertexProgram<Pagerank<Sum>, float> {
  using Message = float;
  const Graph& graph;
  float base;
  float damping;
  State<float> rank;
  State<Sum> heard;
  std::mutex mutex;
  double change = 0;

  Pagerank(Engine& engine, double d, double unit)
      : graph(engine.graph()),
        base(static_cast<float>((1 - d) * unit)),
        damping(static_cast<float>(d)),
        rank(engine.state("rank", static_cast<float>(unit))),
        heard(engine.state("heard", Sum{0})) {}

  static constexpr Hearing kHearing = Hearing::newest;
  static constexpr bool kSettles = true;

  Message emit(Source u) { return u.degree == 0 ? 0 : rank[u.v] / static_cast<float>(u.degree); }
  Message combine(Message a, Message b) { return a + b; }
  Message nothing() { return 0; }
  const void* state(VertexId v) const { return &heard[v]; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    increase<A>(heard[v], Sum{m});
    return kQuiet;
  }
  void settle(VertexRange range, Activations& /*out*/) override {
    double moved = 0;
    for (VertexId v = range.begin; v < range.end; ++v) {
      if (!graph.is_real(v)) continue;
      const float next = base + damping * static_cast<float>(std::exchange(heard[v], Sum{0}));
      moved += std::fabs(next - rank[v]);
      rank[v] = next;
    }
    const std::lock_guard lock(mutex);
    change += moved;
  }
};

// The rank with which a vertex begins.
double unit_of(const Parameters& parameters, VertexId vertices) {
  return parameters.text("form") == "cave" ? 1.0 : 1.0 / std::max<VertexId>(vertices, 1);
}

// The ranks' sum as a share; of a graph without vertices none.
double share_of(double sum, double unit, VertexId vertices) {
  return sum / unit / std::max<VertexId>(vertices, 1);
}

// What every vertex has whatever it hears, if that much rank of sinks is spread.
float base_with(double damping, double unit, double of_sinks, VertexId vertices) {
  return static_cast<float>((1 - damping) * unit + damping * of_sinks / vertices);
}

double rank_of_sinks(Engine& engine, const State<float>& rank) {
  const Graph& graph = engine.graph();
  std::mutex mutex;
  double sum = 0;
  engine.for_each_vertex([&](VertexRange range, std::span<const std::uint32_t> degrees) {
    double part = 0;
    for (VertexId v = range.begin; v < range.end; ++v) {
      if (degrees[v - range.begin] == 0 && graph.is_real(v)) part += rank[v];
    }
    const std::lock_guard lock(mutex);
    sum += part;
  });
  return sum;
}

template <typename Sum>
Finish run_with(Engine& engine, const Parameters& parameters) {
  const Graph& graph = engine.graph();
  const std::uint64_t iterations = parameters.whole("iterations");
  const double damping = parameters.real("damping");
  const VertexId n = graph.vertices;
  const double unit = unit_of(parameters, n);
  const bool spread = parameters.text("sinks") == "spread";
  Pagerank<Sum> pagerank(engine, damping, unit);
  std::uint64_t done = 0;
  double change = 0;  // L1, as shares
  while (done < iterations) {
    pagerank.change = 0;
    if (spread) pagerank.base = base_with(damping, unit, rank_of_sinks(engine, pagerank.rank), n);
    engine.round(pagerank, Frontier::all(graph), Direction::out, Mode::any);
    ++done;
    change = share_of(pagerank.change, unit, graph.vertices);
    if (change < parameters.real("tolerance")) break;
  }
  nlohmann::json summary = {{"iterations", done}, {"last_change", change}};
  if (damping < 1) summary["error_bound"] = error_bound(change, damping);
  return [graph, summary, rank = std::move(pagerank.rank)]() -> Answer {
    return {.values = in_canonical_order(graph, rank), .exact = false, .summary = summary};
  };
}

Finish run_pagerank(Engine& engine, const Parameters& parameters) {
  return engine.traits().pull ? run_with<float>(engine, parameters)
                              : run_with<double>(engine, parameters);
}

// One iteration in double precision; returns how much the ranks changed (L1).
double iterate(const CsrView& out, const Parameters& parameters, double unit,
               std::vector<double>& rank) {
  const double damping = parameters.real("damping");
  double base = (1 - damping) * unit;
  if (parameters.text("sinks") == "spread") {
    for (VertexId v = 0; v < out.vertices(); ++v) {
      if (out.degree(v) == 0) base += damping * rank[v] / out.vertices();
    }
  }
  std::vector<double> next(rank.size(), base);
  for (VertexId u = 0; u < out.vertices(); ++u) {
    const double share = damping * rank[u] / static_cast<double>(out.degree(u));
    for (const VertexId v : out.list(u)) next[v] += share;
  }
  double change = 0;
  for (VertexId v = 0; v < out.vertices(); ++v) change += std::fabs(next[v] - rank[v]);
  rank = std::move(next);
  return change;
}

// Returns `verdict`, but fails if the summary states less than `change` or a smaller bound.
Verdict verify_summary(const Verdict& verdict, const nlohmann::json& summary, double damping,
                       double change) {
  const double said = summary.at("last_change").get<double>();
  if (!(std::fabs(said - change) <= 1e-5 + 1e-3 * change)) {
    return {verdict.how, false,
            fmt::format("the summary says that the last change was {:.3g}; it was {:.3g}", said,
                        change)};
  }
  if (damping == 1) return verdict;
  const double bound = summary.at("error_bound").get<double>();
  if (bound >= said * damping / (1 - damping)) return verdict;
  return {verdict.how, false,
          fmt::format("the summary says that ranks are within {:.3g}, but the last change of "
                      "{:.3g} leaves {:.3g}",
                      bound, said, said * damping / (1 - damping))};
}

// The same number of iterations, serially, in double precision, over the canonical lists:
//  - the number is the one asked for, or what the tolerance implies: in the last iteration, and in
//    no earlier one, the ranks changed by less than it (within 0.1% plus single precision's
//    rounding). Another program does not state the number: the reference stops by itself
//  - the sum over all vertices of |found - expected| is at most 1e-4 of the sum of the ranks, and
//    at no vertex more than 1% of its rank: sums of a hub's many shares round in single precision
//  - the last change is as the summary says, within 1e-5 and 0.1%, and the bound follows from it
Verdict verify_pagerank(const Canonical& canonical, const Answer& answer,
                        const Parameters& parameters) {
  const std::string how = "serial power iteration in double precision";
  const auto& found = std::get<std::vector<float>>(answer.values);
  const VertexId n = canonical.out.vertices();
  if (found.size() != n) {
    return {how, false, fmt::format("{} values for {} vertices", found.size(), n)};
  }
  const double unit = unit_of(parameters, n);
  const double tolerance = parameters.real("tolerance");
  const double margin = 1e-3 * tolerance + 1e-6;
  const auto asked = parameters.whole("iterations");
  const auto done = answer.foreign ? asked : answer.summary.at("iterations").get<std::uint64_t>();
  if (done < 1 || done > asked) {
    return {how, false, fmt::format("{} iterations, but {} were asked for", done, asked)};
  }
  std::vector<double> rank(n, unit);
  double change = 0;
  for (std::uint64_t i = 1; i <= done; ++i) {
    change = share_of(iterate(canonical.out, parameters, unit, rank), unit, n);
    if (answer.foreign) {
      if (change < tolerance) break;
      continue;
    }
    const bool may_stop = i == asked || (tolerance > 0 && change < tolerance + margin);
    const bool may_go_on = i < asked && (tolerance == 0 || change >= tolerance - margin);
    if (i == done ? may_stop : may_go_on) continue;
    return {how, false,
            fmt::format("{} iterations, although the ranks changed by {:.3g} in number {}", done,
                        change, i)};
  }
  double difference = 0;
  double sum = 0;
  VertexId worst = 0;
  const auto off = [&](VertexId v) { return std::fabs(rank[v] - found[v]); };
  for (VertexId v = 0; v < n; ++v) {
    difference += off(v);
    sum += rank[v];
    if (!(off(v) / rank[v] <= off(worst) / rank[worst])) worst = v;
  }
  if (difference <= 1e-4 * sum && (n == 0 || off(worst) <= 1e-2 * rank[worst])) {
    Verdict right = {how, true, fmt::format("L1 difference {:.3g} of {:.3g}", difference, sum)};
    if (answer.foreign) return right;
    return verify_summary(right, answer.summary, parameters.real("damping"), change);
  }
  return {
      how, false,
      fmt::format("L1 difference {:.3g} of {:.3g}, most at vertex {}: found {}, expected {:.8g}",
                  difference, sum, worst, found[worst], rank[worst])};
}

}  // namespace

Workload pagerank_workload() {
  using Kind = Parameter::Kind;
  return {
      .name = "pagerank",
      .help = "PageRank by power iteration",
      .parameters = {{"iterations", "10", "limit of the rounds", Kind::whole, 1, 100000},
                     {"damping", "0.85", "share of rank that is handed on", Kind::real, 0, 1},
                     {"tolerance", "0",
                      "stop when ranks change by less in all (0: never; GAP: 1e-4)", Kind::real, 0,
                      1},
                     {.name = "form",
                      .fallback = "share",
                      .help = "share: ranks are shares of 1; cave: n times as large",
                      .choices = {"share", "cave"}},
                     {.name = "sinks",
                      .fallback = "lost",
                      .help = "rank of vertices without out-edges: lost (GAP), or spread over all",
                      .choices = {"lost", "spread"}}},
      .values = ValueKind::real,
      .repeats = "each hands on a share of the rank",
      .sentence =
          "{#iterations iteration}; the last one moved {last_change} of all rank[; within "
          "{error_bound} of the limit]",
      .run = run_pagerank,
      .verify = verify_pagerank};
}

}  // namespace outcore
