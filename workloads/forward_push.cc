// SPDX-License-Identifier: Apache-2.0
#include "workloads/forward_push.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <iterator>
#include <mutex>
#include <numeric>

#include "common/bitmap.h"
#include "engines/vertex_program.h"

namespace outcore {

namespace {

// A probability in whole units. Adding atomically to an integer is one instruction, while a
// floating-point sum needs a loop around a compare-exchange. And an integer sum is the same in any
// order.
using Mass = std::int64_t;
constexpr double kWhole = 0x1p62;  // units in the total probability of a query

// Which stretches of vertices have heard anything. An epoch leaves out the others, so a query that
// stays near its source does not look at every vertex each time. The bits are relaxed: they are
// read between epochs, when the engine's threads have met.
class Heard {
 public:
  explicit Heard(VertexId ids) : stretches_(ids / kStretch + 1) {}

  void note(VertexId v) { stretches_.set(v / kStretch); }
  // Has half of all stretches?
  [[nodiscard]] bool by_half() const { return 2 * stretches_.count() >= stretches_.size(); }
  void forget() { stretches_.clear_all(); }
  // The parts of `range` that have heard something.
  template <typename F>
  void for_each_in(VertexRange range, F&& f) const {
    for (VertexId first = range.begin; first < range.end;) {
      const VertexId left = kStretch - first % kStretch;
      const VertexId stop = first + std::min(left, range.end - first);
      if (stretches_.get(first / kStretch)) f(VertexRange{first, stop});
      first = stop;
    }
  }

 private:
  static constexpr VertexId kStretch = 64;  // a word of a bitmap

  Bitmap stretches_;
};

struct Push : VertexProgram<Push, Mass> {
  // For a vertex without out-edges that never heard anything, all four are zero.
  State<float> edges;
  // Each rank is a sum of as many parts as its vertex was processed. In single precision the errors
  // of thousands of parts would exceed the verifier's slack.
  State<double> ranks;
  // In an array of its own: a message reaches a vertex at a random place, and where all thresholds
  // are equal it needs nothing but the residual (pagerank-push on Kronecker 23 by degree,
  // async_block: 0.90 and 0.77 of the time).
  State<Mass> residuals;
  Heard heard;
  double alpha;
  double r_max;
  double units;  // in probability 1
  Mass limit;    // the threshold, if it is not for each edge
  double each =
      0;           // in this epoch a vertex needs as much for each edge; 0: no more than at the end
  Mass least = 0;  // no vertex has a lower threshold in this epoch
  bool for_each_edge;
  bool by_residual;

  Push(Engine& engine, const PushRules& rules, double share)
      : edges(out_degrees<float>(engine, "edges")),
        ranks(engine.state<double>("ranks")),
        residuals(engine.state<Mass>("residuals")),
        heard(engine.graph().id_space),
        alpha(rules.alpha),
        r_max(share * rules.r_max),
        units(kWhole / share),
        limit(mass_of(r_max)),
        for_each_edge(rules.for_each_edge),
        by_residual(rules.by_residual) {}

  static constexpr Saying kSaying = Saying::changing;

  [[nodiscard]] Mass mass_of(double probability) const {
    return static_cast<Mass>(std::min(probability * units, kWhole));
  }
  [[nodiscard]] double probability_of(Mass mass) const { return static_cast<double>(mass) / units; }
  // In powers of two; vertices of one power come in the engine's own order.
  static Priority power(Mass mass) {
    return static_cast<Priority>(std::bit_width(static_cast<std::uint64_t>(mass)));
  }
  [[nodiscard]] Mass of_all_edges(VertexId v) const {
    return mass_of(r_max * std::max(edges[v], 1.0F));
  }
  void begin_epoch(double residual_of_edge) {
    each = residual_of_edge;
    least = for_each_edge ? mass_of(std::max(r_max, each)) : std::max(limit, mass_of(each));
  }
  [[nodiscard]] Mass threshold(VertexId v) const {
    if (for_each_edge) return mass_of(std::max(r_max, each) * std::max(edges[v], 1.0F));
    return each == 0 ? limit : std::max(limit, mass_of(each * edges[v]));
  }
  [[nodiscard]] Priority urgency(VertexId v, Mass residual) const {
    return by_residual ? power(of_all_edges(v)) - power(residual) : 0;
  }
  void begin_at(VertexId v, double probability) {
    residuals[v] = mass_of(probability);
    heard.note(v);
  }
  Priority priority(VertexId v) override { return urgency(v, peek(residuals[v])); }
  Message emit(Source u) {
    const double taken = probability_of(replace<Access::shared>(residuals[u.v], Mass{0}));
    ranks[u.v] += alpha * taken;
    return u.degree == 0 ? 0 : mass_of((1 - alpha) * taken / u.degree);
  }
  Message combine(Message a, Message b) { return a + b; }
  Message nothing() { return 0; }
  const void* state(VertexId v) const { return &residuals[v]; }
  template <Access A>
  Priority accept(VertexId v, Message m) {
    const Mass before = increase<A>(residuals[v], m);
    if (before == 0) heard.note(v);
    const Mass now = before + m;
    if (now <= least) return kQuiet;  // most of the time, and without a look at the vertex's edges
    const Mass most = threshold(v);
    if (now <= most) return kQuiet;
    // Reports again when v has become more urgent, else an engine would keep its first priority.
    const bool told = before > most && urgency(v, now) == urgency(v, before);
    return told ? kQuiet : urgency(v, now);
  }
};

// The residuals that are left, which bound the error.
struct Left {
  double largest = 0;
  double sum = 0;
};

// Relative to the ranks' sum, which is at most 1. Half of it covers the rounding of the answer's
// floats; the rest covers what messages lose by whole units, 2^-62 each.
constexpr double kPushRounding = 0x1p-23;

Answer push_answer(const Graph& graph, const State<double>& ranks, const Left& left) {
  return {
      .values =
          canonical_values<float>(graph, [&](VertexId v) { return static_cast<float>(ranks[v]); }),
      .exact = false,
      .summary = {{"largest_residual", left.largest}, {"error_bound", left.sum + kPushRounding}}};
}

// Sets all residuals to zero and returns their maximum and sum. Stretches that heard nothing are
// left as they are, so that memory which was never written is not allocated.
Left forget_residuals(Engine& engine, Push& push) {
  Mass largest = 0;
  Mass sum = 0;
  std::mutex mutex;
  engine.for_each_range([&](VertexRange all) {
    Mass largest_here = 0;
    Mass sum_here = 0;
    push.heard.for_each_in(all, [&](VertexRange range) {
      for (VertexId v = range.begin; v < range.end; ++v) {
        Mass& residual = push.residuals[v];
        largest_here = std::max(largest_here, residual);
        sum_here += residual;
        residual = 0;
      }
    });
    const std::lock_guard lock(mutex);
    largest = std::max(largest, largest_here);
    sum += sum_here;
  });
  push.heard.forget();
  return {push.probability_of(largest), push.probability_of(sum)};
}

// The active ones of these vertices, or of all if they are none.
Frontier active(Engine& engine, const Push& push, std::span<const VertexId> vertices) {
  const auto is_active = [&](std::size_t v) {
    const Mass residual = push.residuals[v];
    return residual > push.least && residual > push.threshold(static_cast<VertexId>(v));
  };
  if (vertices.empty()) {
    Bitmap bits(engine.graph().id_space);
    engine.for_each_range([&](VertexRange all) {
      push.heard.for_each_in(
          all, [&](VertexRange range) { bits.set_where(range.begin, range.end, is_active); });
    });
    return Frontier::from_bits(std::move(bits));
  }
  std::vector<VertexId> found;
  std::copy_if(vertices.begin(), vertices.end(), std::back_inserter(found), is_active);
  return Frontier::of(engine.graph().id_space, found);
}

// Down to which residual of an edge epochs make a difference: below it thresholds are what they are
// at the end.
double finest_epoch(const Push& push) {
  if (push.for_each_edge) return push.r_max;
  float longest = 1;
  for (const float edges : push.edges) longest = std::max(longest, edges);
  return push.r_max / longest;
}

// The out-edges of these vertices, or of all if they are none.
double edges_at(Engine& engine, const Push& push, std::span<const VertexId> vertices) {
  const auto sum = [&](double edges, VertexId v) { return edges + push.edges[v]; };
  const double edges = vertices.empty()
                           ? static_cast<double>(engine.graph().edges)
                           : std::accumulate(vertices.begin(), vertices.end(), 0.0, sum);
  return std::max(edges, 1.0);
}

// Pushes `mass`, which lies at these vertices (none: at any), as one query: in epochs, each with
// thresholds a step below those of the one before. See the head of forward_push.h. In rounds a
// vertex hears all its neighbours before it pushes, and epochs would only be more rounds.
Left push_in_epochs(Engine& engine, Push& push, double mass, std::span<const VertexId> at) {
  constexpr double kStep = 8;
  const double finest = finest_epoch(push);
  const bool in_rounds = engine.traits().converge != Visibility::immediate;
  const auto first_epoch = [&](std::span<const VertexId> vertices) {
    return mass / edges_at(engine, push, vertices) / std::sqrt(kStep);
  };
  double each = first_epoch(at);
  for (bool last = false; !last; each /= kStep) {
    if (push.heard.by_half()) each = std::min(each, first_epoch({}));
    last = in_rounds || each < finest * std::sqrt(kStep);
    push.begin_epoch(last ? 0 : each);
    Frontier first = active(engine, push, std::exchange(at, {}));
    if (!first.empty()) engine.converge(push, std::move(first));
  }
  return forget_residuals(engine, push);
}

Left push_apart(Engine& engine, Push& push, const PushRules& rules) {
  Left left;
  for (const VertexId v : rules.sources) {
    push.begin_at(v, rules.start(v));
    const Left of_one = push_in_epochs(engine, push, rules.start(v), {&v, 1});
    left.largest += of_one.largest;
    left.sum += of_one.sum;
  }
  return left;
}

Left push_all(Engine& engine, Push& push, const PushRules& rules) {
  if (rules.apart) return push_apart(engine, push, rules);
  const auto begin_at = [&](VertexId v) { push.begin_at(v, rules.start(v)); };
  if (rules.sources.empty()) {
    engine.for_each_range([&](VertexRange range) {
      for (VertexId v = range.begin; v < range.end; ++v) {
        if (engine.graph().is_real(v)) begin_at(v);
      }
    });
  } else {
    std::for_each(rules.sources.begin(), rules.sources.end(), begin_at);
  }
  return push_in_epochs(engine, push, 1, rules.sources);
}

}  // namespace

Finish forward_push(Engine& engine, const PushRules& rules) {
  const Graph& graph = engine.graph();
  const double share = rules.apart ? 1.0 / static_cast<double>(rules.sources.size()) : 1.0;
  Push push(engine, rules, share);
  const Left left = push_all(engine, push, rules);
  return [graph, left, ranks = push.ranks] { return push_answer(graph, ranks, left); };
}

Verdict verify_push(const CsrView& out, const Answer& answer, const PushRules& rules) {
  const std::string how = "the residuals that the ranks imply, in double precision";
  const auto& rank = std::get<std::vector<float>>(answer.values);
  const VertexId n = out.vertices();
  if (rank.size() != n) {
    return {how, false, fmt::format("{} values for {} vertices", rank.size(), n)};
  }
  // rank = alpha * taken, and residual = start + what was handed to it - taken.
  std::vector<double> handed(n, 0);
  for (VertexId u = 0; u < n; ++u) {
    const double share = (1 - rules.alpha) * rank[u] / static_cast<double>(out.degree(u));
    for (const VertexId v : out.list(u)) handed[v] += share;
  }
  double largest = 0;  // lower bound
  double sum = 0;      // lower bound
  for (VertexId v = 0; v < n; ++v) {
    const double residual = rules.start(v) + (handed[v] - rank[v]) / rules.alpha;
    const double threshold = rules.threshold(out.degree(v));
    const double slack =
        1e-5 * ((handed[v] + std::fabs(rank[v])) / rules.alpha + rules.start(v) + threshold);
    // NaN and infinity fail these comparisons.
    if (!(std::isfinite(slack) && residual >= -slack && residual <= threshold + slack)) {
      return {how, false,
              fmt::format("vertex {}: rank {} leaves a residual of {:.3g}, expected 0 to {:.3g}", v,
                          rank[v], residual, threshold)};
    }
    largest = std::max(largest, residual - slack);
    sum += residual - slack;
  }
  if (answer.foreign) return {how, true, {}};
  const auto said_largest = answer.summary.at("largest_residual").get<double>();
  const auto said_sum = answer.summary.at("error_bound").get<double>();
  if (largest <= said_largest && sum <= said_sum) return {how, true, {}};
  return {how, false,
          fmt::format("residuals left: at least {:.3g}, in all {:.3g}; the summary says at most "
                      "{:.3g}, in all {:.3g}",
                      largest, sum, said_largest, said_sum)};
}

Parameter alpha_parameter() {
  return {"alpha", "0.15", "probability that the walk ends at a step", Parameter::Kind::real,
          0.001,   1};
}

Parameter order_parameter() {
  return {
      .name = "order",
      .fallback = "sweep",
      .help = "sweep: residuals gather until it is their turn; residual: the largest an edge first",
      .choices = {"sweep", "residual"}};
}

}  // namespace outcore
