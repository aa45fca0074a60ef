// SPDX-License-Identifier: Apache-2.0
/*
Kernel: PageRank by deltas (pagerank-delta)
Returns: the rank of each vertex after the given rounds, without the changes that were too small

As pagerank, but only vertices whose rank changed by more than epsilon2 of itself send, and they
send only the change: delta / out-degree. What a vertex hears, summed and times damping, is its next
delta. It is added to its rank if it is large enough, and dropped otherwise. The first round is a
round of pagerank for all vertices; what is handed on after it is the difference to 1 / n. It ends
after `iterations` rounds, when no vertex has a delta to hand on, or when all deltas together (L1)
are below epsilon.

Dropped deltas are lost, so the ranks are not PageRank's, even in the end. The summary's error_bound
states how far (L1) they are from the ranks that further rounds would no longer change: what the
deltas that were dropped or not handed on would have added up to (there is no bound for damping 1),
plus the rounding of the answer's single precision.

Rounds are part of the definition, because what is dropped depends on them: an engine must offer
visibility `round`, and there is no priority. (pagerank-push works in any order.) Sums are in double
precision, so two engines hardly ever disagree about whether a delta is large enough.

[1] ChunkGraph, USENIX ATC 2024, section 4.1 (ten iterations of the delta variant).
[2] J. Shun, G. Blelloch. Ligra: A Lightweight Graph Processing Framework for Shared Memory. PPoPP
    2013 (PageRank-Delta); its published code has epsilon2 0.01 and epsilon 1e-7.
*/
#include <fmt/format.h>

#include <cmath>
#include <mutex>

#include "engines/vertex_program.h"
#include "workloads/references.h"
#include "workloads/registry.h"

namespace outcore {

namespace {

// Sums of |delta| over the vertices.
struct Deltas {
  double handed_on = 0;  // to the next round
  double kept = 0;       // in the rank but never handed on: only in the first round
  double dropped = 0;    // not even in the rank
  void add(const Deltas& other) {
    handed_on += other.handed_on;
    kept += other.kept;
    dropped += other.dropped;
  }
  [[nodiscard]] double all() const { return handed_on + kept + dropped; }
};

// The error that lost deltas leave (their L1 norm), and deltas that are in the ranks but were not
// handed on.
double error_bound(double dropped, double unsaid, double damping) {
  constexpr double kRounded = 0x1p-23;  // half of it in the answer's floats; sums round far less
  return (dropped + damping * unsaid) / (1 - damping) + kRounded;
}

struct PagerankDelta : VertexProgram<PagerankDelta, double> {
  const Graph& graph;
  double damping;
  double epsilon2;
  bool first = true;
  State<double> rank;
  State<double> delta;
  State<double> heard;
  std::mutex mutex;
  Deltas round;  // of the round that ended

  PagerankDelta(Engine& engine, const Parameters& parameters)
      : graph(engine.graph()),
        damping(parameters.real("damping")),
        epsilon2(parameters.real("epsilon2")),
        rank(engine.state<double>("rank")),
        delta(engine.state("delta", 1.0 / graph.vertices)),
        heard(engine.state("heard", 0.0)) {}

  static constexpr bool kSettles = true;

  Message emit(Source u) { return u.degree == 0 ? 0 : delta[u.v] / u.degree; }
  Message combine(Message a, Message b) { return a + b; }
  Message nothing() { return 0; }
  const void* state(VertexId v) const { return &heard[v]; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    increase<A>(heard[v], m);
    return kQuiet;
  }
  void settle(VertexRange range, Activations& out) override {
    Deltas sums;
    for (VertexId v = range.begin; v < range.end; ++v) {
      if (graph.is_real(v) && settle_vertex(v, sums)) out.add(v, 0);
    }
    const std::lock_guard lock(mutex);
    round.add(sums);
  }

 private:
  // Updates v; returns whether it has a delta to hand on.
  bool settle_vertex(VertexId v, Deltas& sums) {
    double change = damping * std::exchange(heard[v], 0.0);
    if (first) {
      rank[v] = (1 - damping) / graph.vertices + change;
      change = rank[v] - 1.0 / graph.vertices;
    }
    delta[v] = change;
    const bool enough = std::fabs(change) > epsilon2 * rank[v];
    (enough ? sums.handed_on : first ? sums.kept : sums.dropped) += std::fabs(change);
    if (enough && !first) rank[v] += change;
    return enough;
  }
};

Finish run_pagerank_delta(Engine& engine, const Parameters& parameters) {
  const Graph& graph = engine.graph();
  const std::uint64_t iterations = parameters.whole("iterations");
  PagerankDelta program(engine, parameters);
  Frontier frontier = Frontier::all(graph);
  Deltas all;  // without what was handed on
  std::uint64_t done = 0;
  while (done < iterations && !frontier.empty()) {
    program.round = {};
    frontier = engine.round(program, std::move(frontier), Direction::out, Mode::any);
    program.first = false;
    ++done;
    all.kept += program.round.kept;
    all.dropped += program.round.dropped;
    if (program.round.all() < parameters.real("epsilon")) break;
  }
  // A delta of 1 adds damping + damping^2 + ... beyond its own vertex.
  const double left = program.round.handed_on;
  nlohmann::json summary = {{"iterations", done}, {"dropped", all.dropped}};
  if (program.damping < 1) {
    summary["error_bound"] = error_bound(all.dropped, all.kept + left, program.damping);
  }
  return [graph, summary, rank = program.rank]() -> Answer {
    return {.values = canonical_values<float>(
                graph, [&](VertexId v) { return static_cast<float>(rank[v]); }),
            .exact = false,
            .summary = summary};
  };
}

// The same rounds over the in-lists, serially. Where a delta is within 1e-9 of the threshold,
// handing it on and dropping it are both right, and the tolerance allows for what depends on it.
struct Reference {
  std::vector<double> rank;
  std::vector<double> delta;  // to hand on; 0 if it is not
  double undecided = 0;       // sum of the deltas that could have gone either way
  double all = 0;             // sum of |delta|, including those not handed on
  double handed_on = 0;       // sum of those that are handed on
  double kept = 0;            // sum over all rounds: in the ranks, not handed on
  double dropped = 0;         // sum over all rounds: not even in the ranks

  Reference(const Canonical& canonical, const Parameters& parameters)
      : rank(canonical.out.vertices(), 0),
        delta(rank.size(), 1.0 / static_cast<double>(rank.size())) {
    const auto iterations = parameters.whole("iterations");
    for (std::uint64_t i = 0; i < iterations; ++i) {
      round(canonical, parameters.real("damping"), parameters.real("epsilon2"), i == 0);
      if (all < parameters.real("epsilon")) break;
    }
  }
  void round(const Canonical& canonical, double damping, double epsilon2, bool first) {
    const auto n = static_cast<double>(rank.size());
    std::vector<double> next(rank.size(), 0);
    all = handed_on = 0;
    for (VertexId v = 0; v < rank.size(); ++v) {
      double change = 0;
      for (const VertexId u : canonical.in.list(v)) {
        change += damping * delta[u] / static_cast<double>(canonical.out.degree(u));
      }
      if (first) change += (1 - damping) / n - 1 / n;
      const double before = first ? 1 / n : rank[v];
      const double limit = epsilon2 * (first ? before + change : before);
      const bool enough = std::fabs(change) > limit;
      if (std::fabs(std::fabs(change) - limit) <= 1e-9 * before) undecided += std::fabs(change);
      rank[v] = enough || first ? before + change : before;
      next[v] = enough ? change : 0;
      all += std::fabs(change);
      (enough ? handed_on : first ? kept : dropped) += std::fabs(change);
    }
    delta = std::move(next);
  }
};

// The same rounds in double precision, vertex by vertex over the canonical in-lists:
//  - each rank is within 1e-6 (relative), except for deltas that could have gone either way
//  - the summary's bound is at least what the deltas that were dropped or not handed on leave
Verdict verify_pagerank_delta(const Canonical& canonical, const Answer& answer,
                              const Parameters& parameters) {
  const Reference reference(canonical, parameters);
  const double damping = parameters.real("damping");
  const double slack =
      reference.undecided == 0 ? 0 : reference.undecided / std::max(1 - damping, 1e-6);
  std::vector<double> allowed;
  for (const double rank : reference.rank) allowed.push_back(1e-6 * rank + slack);
  Verdict ranks =
      compare_within("serial rounds over in-lists", std::get<std::vector<float>>(answer.values),
                     reference.rank, allowed);
  if (!ranks.passed || damping == 1 || answer.foreign) return ranks;
  const double said = answer.summary.at("error_bound").get<double>();
  const double least =
      error_bound(reference.dropped, reference.kept + reference.handed_on, damping) * (1 - 1e-6);
  if (said + slack >= least) return ranks;
  return {ranks.how, false,
          fmt::format("the summary says that ranks are within {:.3g}, but deltas that were not "
                      "handed on leave {:.3g}",
                      said, least)};
}

}  // namespace

Workload pagerank_delta_workload() {
  using Kind = Parameter::Kind;
  return {.name = "pagerank-delta",
          .help = "PageRank by deltas, small ones dropped",
          .parameters = {{"iterations", "10", "limit of the rounds", Kind::whole, 1, 100000},
                         {"damping", "0.85", "share of rank that is handed on", Kind::real, 0, 1},
                         {"epsilon2", "0.01", "share of its rank above which a delta is handed on",
                          Kind::real, 0, 1},
                         {"epsilon", "1e-7", "stop when the sum of all deltas is below this",
                          Kind::real, 0, 1}},
          .message_bytes = 8,
          .values = ValueKind::real,
          .repeats = "each hands on a share of the rank",
          .sentence =
              "{#iterations iteration}; {dropped} of all rank dropped[; within {error_bound} of "
              "the limit]",
          .run = run_pagerank_delta,
          .verify = verify_pagerank_delta};
}

}  // namespace outcore
