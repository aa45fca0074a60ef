// SPDX-License-Identifier: Apache-2.0
// What workloads promise beyond an answer that passes its verifier: that the verifier would have
// rejected a wrong one, and what their summaries state. The matrix tests the answer of each engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/readers.h"
#include "tests/sanitized.h"
#include "tests/toy_parameters.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

class EveryWorkload : public ::testing::TestWithParam<std::string> {
 protected:
  using Values = decltype(Answer::values);

  template <typename T>
  static std::vector<Values> perturbed(const std::vector<T>& right) {
    // Where the value is largest and smallest, in the middle and at the end.
    const auto [least, most] = std::minmax_element(right.begin(), right.end());
    const std::vector<std::size_t> places = {static_cast<std::size_t>(most - right.begin()),
                                             static_cast<std::size_t>(least - right.begin()),
                                             right.size() / 2, right.size() - 1};
    std::vector<Values> wrong;
    const auto change = [&](std::size_t at, T value) {
      std::vector<T> values = right;
      values[at] = value;
      if (values != right) wrong.emplace_back(std::move(values));
    };
    for (const std::size_t v : places) {
      if constexpr (std::is_floating_point_v<T>) {
        for (const T factor : {0.98F, 1.02F, -1.0F, 0.0F}) change(v, right[v] * factor);
        change(v, right[v] + 1);
        change(v, std::numeric_limits<T>::quiet_NaN());
      } else {
        for (const T value : {right[v] + 1, right[v] - 1, T{0}, kNone}) change(v, value);
      }
    }
    std::vector<T> swapped = right;
    std::swap(swapped[places[0]], swapped[places[1]]);
    if (swapped != right) wrong.emplace_back(std::move(swapped));
    std::vector<T> rotated = right;
    std::rotate(rotated.begin(), rotated.begin() + 1, rotated.end());
    if (rotated != right) wrong.emplace_back(std::move(rotated));
    return wrong;
  }

  void expect_caught(const Shape& shape) const {
    const Workload& workload = find_workload(GetParam());
    const Parameters parameters(workload.name, workload.parameters, few_queries(workload));
    const ToyContainer toy(shape, true);
    Container container(toy.folder());
    const Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
    const Layout layout(toy.layout("csr"));
    EngineOptions options;
    options.backend = "mem";
    Answer answer = workload.run(*reference_engine().make(layout, options), parameters)();
    ASSERT_TRUE(workload.verify(canonical, answer, parameters).passed);
    EXPECT_EQ(workload.values == ValueKind::real,
              std::holds_alternative<std::vector<float>>(answer.values));
    EXPECT_EQ(workload.values == ValueKind::vertex, answer.names_vertices);
    const std::vector<Values> wrong =
        std::visit([](const auto& right) { return perturbed(right); }, answer.values);
    EXPECT_GE(wrong.size(), 5U);
    for (std::size_t i = 0; i < wrong.size(); ++i) {
      answer.values = wrong[i];
      const Verdict verdict = workload.verify(canonical, answer, parameters);
      EXPECT_FALSE(verdict.passed) << shape.name << ": change " << i << " went unnoticed";
      EXPECT_THAT(verdict.detail, HasSubstr("vertex ")) << i;
    }
  }
};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Workload& workload : workloads()) all.push_back(workload.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Registry, EveryWorkload, ::testing::ValuesIn(names()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Correct answers of real runs with one value changed: no verifier may accept one.
TEST_P(EveryWorkload, IsCaughtWithAWrongValueOnAKroneckerGraph) {
  expect_caught(small_kronecker(8, 8, 1));
}
TEST_P(EveryWorkload, IsCaughtWithAWrongValueOnAHub) { expect_caught(hub(1500)); }

// --- In whatever way rounds go ---

// An engine whose rounds all go one way, whether a frontier is large or small. So pull also gets
// frontiers that engines would push here, and several messages at once where they would come
// singly.
class OneWay final : public Engine {
 public:
  OneWay(std::unique_ptr<Engine> engine, Mode mode) : engine_(std::move(engine)), mode_(mode) {}
  [[nodiscard]] EngineTraits traits() const override { return engine_->traits(); }
  [[nodiscard]] const Graph& graph() const override { return engine_->graph(); }
  void for_each_vertex(const VertexFn& f) override { engine_->for_each_vertex(f); }
  void converge(Program& program, Frontier&& frontier) override {
    while (!frontier.empty()) {
      frontier = round(program, std::move(frontier), Direction::out, Mode::any);
    }
  }
  Frontier round(Program& program, Frontier&& frontier, Direction direction, Mode) override {
    return engine_->round(program, std::move(frontier), direction, mode_);
  }
  void heads(unsigned k, const HeadsFn& f) override { engine_->heads(k, f); }
  void drive(TaskProgram& program, std::span<const Task> tasks, Direction direction) override {
    engine_->drive(program, tasks, direction);
  }
  [[nodiscard]] EngineReport report() const override { return engine_->report(); }

 private:
  std::unique_ptr<Engine> engine_;
  Mode mode_;
};

TEST_P(EveryWorkload, AnswersWhetherEveryRoundPullsOrPushes) {
  const Workload& workload = find_workload(GetParam());
  EngineOptions options;
  options.backend = "mem";
  for (const Shape& shape : {small_kronecker(8, 8, 1), hub(1100), grid(9, 7), self_loops()}) {
    for (const bool symmetric : {true, false}) {
      if (workload.needs_symmetric && !symmetric) continue;
      const ToyContainer toy(shape, symmetric);
      Container container(toy.folder());
      const Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
      ToyLayouts layouts(toy);
      for (const EngineEntry& entry : engines()) {
        for (const Mode mode : {Mode::push, Mode::pull}) {
          if (mode == Mode::pull && !entry.traits.pull) continue;
          const OpenedGraph& layout = layouts.of(entry, {.pack = "csr"});
          if (!can_run(entry.traits, layout, workload)) continue;
          SCOPED_TRACE(testing::Message() << shape.name << " " << symmetric << " " << entry.name);
          for (const Parameters& parameters : toy_forms(workload)) {
            OneWay engine(entry.make(layout, options), mode);
            const Verdict verdict =
                workload.verify(canonical, workload.run(engine, parameters)(), parameters);
            EXPECT_TRUE(verdict.passed)
                << (mode == Mode::pull ? "pull: " : "push: ") << verdict.detail;
          }
        }
      }
    }
  }
}

// A sum of this many shares, added one by one in single precision, is off by more than a verifier
// accepts.
TEST_P(EveryWorkload, AnswersForAHubOfAHundredThousand) {
  const Workload& workload = find_workload(GetParam());
  const ToyContainer toy(star(kSanitized ? 10'000 : 100'000), true);
  Container container(toy.folder());
  const Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
  ToyLayouts layouts(toy);
  EngineOptions options;
  options.backend = "mem";
  const Parameters parameters(workload.name, workload.parameters, few_queries(workload));
  for (const EngineEntry& entry : engines()) {
    const OpenedGraph& layout = layouts.of(entry, {.heads = 2});
    if (!can_run(entry.traits, layout, workload)) continue;
    const auto engine = entry.make(layout, options);
    const Verdict verdict =
        workload.verify(canonical, workload.run(*engine, parameters)(), parameters);
    EXPECT_TRUE(verdict.passed) << entry.name << ": " << verdict.detail;
  }
}

// --- What numerical answers guarantee, against power iteration ---

// An answer of the reference engine, with the lists to which it belongs.
struct Answered {
  Answered(const Shape& shape, bool symmetric, const std::string& workload,
           const std::vector<std::string>& set)
      : toy(shape, symmetric), container(toy.folder()) {
    const Workload& entry = find_workload(workload);
    const Parameters parameters(workload, entry.parameters, set);
    const Layout layout(toy.layout("csr"));
    EngineOptions options;
    options.backend = "mem";
    answer = entry.run(*reference_engine().make(layout, options), parameters)();
    const Verdict verdict = entry.verify(canonical, answer, parameters);
    EXPECT_TRUE(verdict.passed) << workload << ": " << verdict.detail;
  }
  template <typename T>
  [[nodiscard]] const std::vector<T>& values() const {
    return std::get<std::vector<T>>(answer.values);
  }

  ToyContainer toy;
  Container container;
  Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
  Answer answer;
};

// Where walks from `start` end that continue with probability `damping`: PageRank's fixed point.
std::vector<double> fixed_point(const CsrView& out, const std::vector<double>& start,
                                double damping) {
  std::vector<double> rank(start.size(), 0);
  for (int i = 0; i < 300; ++i) {
    std::vector<double> next(start.size());
    for (VertexId v = 0; v < start.size(); ++v) next[v] = (1 - damping) * start[v];
    for (VertexId u = 0; u < start.size(); ++u) {
      for (const VertexId v : out.list(u)) {
        next[v] += damping * rank[u] / static_cast<double>(out.degree(u));
      }
    }
    rank = std::move(next);
  }
  return rank;
}

double distance(const std::vector<float>& found, const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t v = 0; v < found.size(); ++v) sum += std::fabs(found[v] - expected[v]);
  return sum;
}

TEST(Ranks, AreAsCloseToTheFixedPointAsTheSummarySays) {
  for (const bool symmetric : {true, false}) {
    for (const Shape& shape : {small_kronecker(8, 8, 1), hub(300), path(40)}) {
      const std::vector<double> start(shape.vertices, 1.0 / shape.vertices);
      for (const auto& [workload, set] :
           std::vector<std::pair<std::string, std::string>>{{"pagerank", "iterations=7"},
                                                            {"pagerank", "iterations=60"},
                                                            {"pagerank", "iterations=1000"},
                                                            {"pagerank-delta", "epsilon2=0.1"},
                                                            {"pagerank-delta", "iterations=50"},
                                                            {"pagerank-delta", "epsilon2=0"},
                                                            {"pagerank-push", "r_max=0"},
                                                            {"pagerank-push", "r_max=1e-7"}}) {
        SCOPED_TRACE(testing::Message() << shape.name << " " << workload << " " << set);
        const Answered run(shape, symmetric, workload, {set});
        const double bound = run.answer.summary.at("error_bound").get<double>();
        const double off =
            distance(run.values<float>(), fixed_point(run.canonical.out, start, 0.85));
        EXPECT_LE(off, bound + 1e-12) << "but for what the reference itself rounds";
        EXPECT_LT(bound, 1);
      }
    }
  }
}

TEST(Ranks, HaveNoBoundWhereNothingIsDamped) {
  for (const char* workload : {"pagerank", "pagerank-delta"}) {
    const Answered run(small_kronecker(8, 8, 1), true, workload, {"damping=1"});
    EXPECT_FALSE(run.answer.summary.contains("error_bound")) << workload;
  }
}

TEST(Ranks, ByDeltasAreThoseOfPagerankWhenNothingIsDropped) {
  const Answered deltas(small_kronecker(8, 8, 1), false, "pagerank-delta",
                        {"epsilon2=0", "epsilon=0"});
  const Answered plain(small_kronecker(8, 8, 1), false, "pagerank", {});
  const std::vector<float>& ranks = plain.values<float>();
  EXPECT_LT(distance(deltas.values<float>(), {ranks.begin(), ranks.end()}), 1e-5);
  EXPECT_EQ(deltas.answer.summary.at("dropped"), 0);
}

TEST(Ranks, ByDeltasSendLessTheMoreIsDropped) {
  const Shape shape = small_kronecker(8, 8, 1);
  const auto dropped = [&](const char* epsilon2) {
    const Answered run(shape, true, "pagerank-delta", {std::string("epsilon2=") + epsilon2});
    return run.answer.summary.at("dropped").get<double>();
  };
  EXPECT_LT(dropped("0.001"), dropped("0.1"));
}

TEST(Ranks, OfCaveAreNTimesAsLarge) {
  const Answered cave(cycle(8), true, "pagerank", {"form=cave"});
  EXPECT_EQ(cave.values<float>(), std::vector<float>(8, 1.0F));
}

TEST(Ranks, StopByGapsRule) {
  const Answered run(small_kronecker(8, 8, 1), true, "pagerank",
                     {"iterations=1000", "tolerance=1e-4"});
  EXPECT_LT(run.answer.summary.at("last_change"), 1e-4);
  EXPECT_GT(run.answer.summary.at("iterations"), 5);
  EXPECT_LT(run.answer.summary.at("iterations"), 60);
}

TEST(Ranks, ByPushScaleTheirThresholdToTheGraph) {
  const Answered run(path(42), true, "pagerank-push", {});
  EXPECT_DOUBLE_EQ(run.answer.summary.at("r_max"), 1e-4);
  EXPECT_LE(run.answer.summary.at("largest_residual"), 1e-4);
}

// Sums of as many small shares as a hub hears drift in single precision; the verifier would notice.
TEST(Ranks, ByPushLoseNothingAtAHub) {
  const Answered run(star(100000), true, "pagerank-push", {});
  // The hub has 0.85 of what the leaves have; the leaves have 0.85 of what the hub has, plus 0.15.
  EXPECT_NEAR(run.values<float>()[0], 0.85 * 0.15 / (1 - 0.85 * 0.85), 0.0042);
}

TEST(Ranks, OfSeveralSourcesAreTheirMean) {
  const Shape shape = small_kronecker(8, 8, 1);
  const Answered run(shape, false, "ppr", {"source=random:3", "sources=4"});
  std::vector<double> start(shape.vertices, 0);
  for (const auto& id : run.answer.summary.at("sources")) start[id.get<std::size_t>()] += 0.25;
  EXPECT_EQ(std::count(start.begin(), start.end(), 0.25), 4);
  EXPECT_LT(distance(run.values<float>(), fixed_point(run.canonical.out, start, 0.85)),
            run.answer.summary.at("error_bound").get<double>() + 1e-12);
}

// Each source is pushed to its own r_max, and what one leaves is not passed to the next.
TEST(Ranks, OfEachSourceByItselfAreTheMeanOfSingleQueries) {
  const Shape shape = small_kronecker(8, 8, 1);
  const Answered each(shape, false, "ppr",
                      {"r_max=1e-3", "source=random:3", "sources=4", "query=each"});
  std::vector<double> mean(shape.vertices, 0);
  double left = 0;
  for (const auto& id : each.answer.summary.at("sources")) {
    const Answered one(shape, false, "ppr", {"r_max=1e-3", "source=" + id.dump()});
    left += one.answer.summary.at("error_bound").get<double>() / 4;
    const std::vector<float>& rank = one.values<float>();
    for (std::size_t v = 0; v < rank.size(); ++v) mean[v] += rank[v] / 4;
  }
  const std::vector<float>& found = each.values<float>();
  for (std::size_t v = 0; v < mean.size(); ++v) EXPECT_NEAR(found[v], mean[v], 1e-6) << v;
  EXPECT_NEAR(each.answer.summary.at("error_bound"), left, 1e-6);
  EXPECT_GT(left, 1e-3) << "enough to be seen if it were handed on";
}

// A vertex is processed thousands of times, and each time adds a small part to its rank: in single
// precision the errors would add up to more than the verifier accepts.
TEST(Ranks, OfManySmallPartsAreAsGoodAsOfFew) {
  const Shape shape = small_kronecker(8, 8, 1);
  const Answered run(shape, false, "ppr",
                     {"r_max=1e-9", "source=random:1", "sources=64", "query=each"});
  std::vector<double> start(shape.vertices, 0);
  for (const auto& id : run.answer.summary.at("sources")) start[id.get<std::size_t>()] += 1.0 / 64;
  EXPECT_LT(distance(run.values<float>(), fixed_point(run.canonical.out, start, 0.85)), 1e-5);
}

// --- The others ---

TEST(Coreness, SkipsLevelsAtWhichNobodyLeaves) {
  Shape shape = clique(20);  // 19 everywhere; and a tail of 1
  shape.vertices = 22;
  shape.edges.emplace_back(3, 20);
  shape.edges.emplace_back(20, 21);
  const Answered run(shape, true, "coreness", {});
  EXPECT_EQ(run.answer.summary.at("degeneracy"), 19);
  EXPECT_EQ(run.answer.summary.at("levels"), 2);
}

TEST(Coreness, AgreesWithKcore) {
  const Shape shape = small_kronecker(9, 8, 1);
  const Answered coreness(shape, true, "coreness", {});
  for (const std::uint32_t k : {1, 3, 8, 14}) {
    const Answered kcore(shape, true, "kcore", {"k=" + std::to_string(k)});
    std::vector<std::uint32_t> in_core = coreness.values<std::uint32_t>();
    for (std::uint32_t& core : in_core) core = core >= k ? 1 : 0;
    EXPECT_EQ(kcore.values<std::uint32_t>(), in_core) << k;
  }
}

TEST(Mis, HangsOnTheSeedAlone) {
  const Shape shape = small_kronecker(8, 8, 1);
  const Answered one(shape, true, "mis", {"seed=1"});
  EXPECT_EQ(one.answer.digest(), Answered(shape, true, "mis", {}).answer.digest());
  EXPECT_NE(one.answer.digest(), Answered(shape, true, "mis", {"seed=2"}).answer.digest());
}

TEST(Mis, TakesVerticesWithLoopsLikeOthers) {
  Shape shape{"loops", 3, {{0, 0}, {1, 1}, {2, 2}}};
  const Answered run(shape, true, "mis", {});
  EXPECT_EQ(run.values<std::uint32_t>(), (std::vector<std::uint32_t>{1, 1, 1}));
}

TEST(Radii, OfAllSourcesAreEccentricities) {
  const Answered all(path(9), true, "radii", {});
  EXPECT_EQ(all.answer.summary.at("sources"), 9);
  EXPECT_EQ(all.values<std::uint32_t>(), (std::vector<std::uint32_t>{8, 7, 6, 5, 4, 5, 6, 7, 8}));
  const Answered one(path(9), true, "radii", {"sources=1"});
  EXPECT_EQ(one.answer.summary.at("sources"), 1);
  EXPECT_GE(one.answer.summary.at("largest"), 4);
}

// Layers of 8 vertices, each fully joined to the next: 8^(layers - 1) shortest paths, more than a
// double can count from 342 layers on.
TEST(Bc, CountsMorePathsThanADoubleHolds) {
  constexpr VertexId kLayers = 700;
  Shape shape{"layers", 8 * kLayers, {}};
  for (VertexId v = 0; v < 8 * (kLayers - 1); ++v) {
    for (VertexId i = 0; i < 8; ++i) shape.edges.emplace_back(v, (v / 8 + 1) * 8 + i);
  }
  for (const bool symmetric : {true, false}) {
    const Answered run(shape, symmetric, "bc", {"source=0"});
    // Each vertex of a layer is on an eighth of the paths to what lies behind it; with edges in
    // both directions also on an eighth of those to the root's seven neighbours in its own layer.
    EXPECT_NEAR(run.values<float>()[8], kLayers - 2 + (symmetric ? 7.0 / 8 : 0), 1e-2);
  }
}

TEST(Bc, AddsUpOverRoots) {
  const Shape shape = small_kronecker(7, 4, 1);
  const Answered both(shape, false, "bc", {"source=random:1", "roots=2"});
  std::vector<double> sum(shape.vertices, 0);
  for (const auto& root : both.answer.summary.at("roots")) {
    const Answered one(shape, false, "bc", {"source=" + root.dump()});
    for (std::size_t v = 0; v < sum.size(); ++v) sum[v] += one.values<float>()[v];
  }
  EXPECT_LT(distance(both.values<float>(), sum), 1e-2);
}

}  // namespace
}  // namespace outcore
