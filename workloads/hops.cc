// SPDX-License-Identifier: Apache-2.0
#include "workloads/hops.h"

#include <array>
#include <atomic>

#include "common/hash.h"
#include "engines/atomic_state.h"

namespace outcore {

namespace {

// Chains of queries that follow one another, so that few of the many wait in memory. In a chain
// they come in bunches, whose vertices are known to the engine before their turn.
constexpr std::uint64_t kChains = 4096;
constexpr std::uint64_t kBunch = 32;

struct Queries {
  std::uint64_t count;
  std::uint64_t seed;
  std::vector<Direction> directions;

  explicit Queries(const Parameters& parameters)
      : count(parameters.whole("count")), seed(parameters.whole("seed")) {
    const std::string& direction = parameters.text("direction");
    if (direction != "in") directions.push_back(Direction::out);
    if (direction != "out") directions.push_back(Direction::in);
  }
  // Which of so many vertices query `i` begins at.
  [[nodiscard]] std::size_t start(std::uint64_t i, std::size_t vertices) const {
    return mix(mix(seed) ^ i) % vertices;
  }
};

std::uint32_t hash_of(VertexId canonical) { return static_cast<std::uint32_t>(mix(canonical)); }

// A task's state is the number of its query and how many hops it has behind it. The vertex that the
// query began at is known by the number.
class Hops : public TaskProgram {
 public:
  Hops(Engine& engine, const Queries& queries, std::uint32_t hops, std::span<const VertexId> starts)
      : met(engine.state<std::uint32_t>("met")),
        graph_(engine.graph()),
        queries_(queries),
        hops_(hops),
        starts_(starts) {}

  State<std::uint32_t> met;  // sums of hashes, by the vertex that was asked about

  [[nodiscard]] std::vector<Task> first_tasks() const {
    std::vector<Task> tasks;
    const std::uint64_t chains = starts_.empty() ? 0 : std::min(kChains, queries_.count);
    for (std::uint64_t i = 0; i < chains; ++i) tasks.push_back(query(i));
    return tasks;
  }
  [[nodiscard]] std::uint64_t neighbours() const {
    std::uint64_t sum = 0;
    for (const Sum& some : neighbours_) sum += some.count.load();
    return sum;
  }

  ListRange wants(const Task& /*task*/, std::uint32_t degree) override { return {0, degree}; }

  void step(const Task& task, const Piece& piece, TaskStack& next) override {
    const std::uint64_t number = task.state >> 1;
    const bool first_hop = (task.state & 1) == 0;
    // Below the second hops, so that a chain has one query under way at a time.
    if (first_hop && piece.first == 0) add_bunch(number, next);
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < piece.count; ++i) sum += hash_of(graph_.original(piece.ids[i]));
    increase<Access::shared>(met[first_hop ? task.v : start_of(number)], sum);
    if (first_hop && hops_ > 1) {
      for (std::uint32_t i = 0; i < piece.count; ++i)
        next.push_back({.v = piece.ids[i], .state = task.state | 1});
    }
    // Relaxed: sums, read when the engine is through.
    neighbours_[number % kSums].count.fetch_add(piece.count, std::memory_order_relaxed);
  }

 private:
  // As many that threads seldom meet at one.
  static constexpr std::uint64_t kSums = 64;
  struct alignas(64) Sum {
    std::atomic<std::uint64_t> count{0};
  };

  [[nodiscard]] VertexId start_of(std::uint64_t number) const {
    return starts_[queries_.start(number, starts_.size())];
  }
  [[nodiscard]] Task query(std::uint64_t number) const {
    return {.v = start_of(number), .state = number << 1};
  }
  // If this query is the first of a bunch: the others of it, and below them the next bunch's first.
  void add_bunch(std::uint64_t number, TaskStack& next) {
    if (number / kChains % kBunch != 0) return;
    const std::uint64_t next_bunch = number + kBunch * kChains;
    if (next_bunch < queries_.count) next.push_back(query(next_bunch));
    for (std::uint64_t i = number + kChains; i < std::min(next_bunch, queries_.count);
         i += kChains) {
      next.push_back(query(i));
      __builtin_prefetch(&met[next.vertices().back()], 1);
    }
  }

  const Graph& graph_;
  const Queries& queries_;
  std::uint32_t hops_;
  std::span<const VertexId> starts_;
  std::array<Sum, kSums> neighbours_;  // of a chain always the same one
};

// The vertices that have out-edges, in the order of their canonical ids.
State<VertexId> vertices_with_edges(Engine& engine) {
  const Graph& graph = engine.graph();
  auto ids = engine.zeros<VertexId>("starts", graph.vertices);
  engine.for_each_vertex([&](VertexRange range, std::span<const std::uint32_t> degrees) {
    for (VertexId v = range.begin; v < range.end; ++v) {
      if (!graph.is_real(v)) continue;
      ids[graph.original(v)] = degrees[v - range.begin] > 0 ? v : kNoVertex;
    }
  });
  return ids;
}

Finish run_hops(Engine& engine, const Parameters& parameters, std::uint32_t hops) {
  const Queries queries(parameters);
  State<VertexId> ids = vertices_with_edges(engine);
  const auto end = std::remove(ids.begin(), ids.end(), kNoVertex);
  const std::span<const VertexId> starts(ids.data(), static_cast<std::size_t>(end - ids.begin()));
  Hops program(engine, queries, hops, starts);
  for (const Direction direction : queries.directions) {
    engine.drive(program, program.first_tasks(), direction);
  }
  const std::uint64_t asked = starts.empty() ? 0 : queries.count * queries.directions.size();
  return [graph = engine.graph(), met = program.met, asked, neighbours = program.neighbours()] {
    Answer answer{.values = in_canonical_order(graph, met), .summary = {}};
    answer.summary = {{"queries", asked}, {"neighbours", neighbours}};
    return answer;
  };
}

// The sum of the hashes of a list; adds how many it has.
std::uint32_t hash_of_list(std::span<const VertexId> list, std::uint64_t& neighbours) {
  std::uint32_t sum = 0;
  for (const VertexId v : list) sum += hash_of(v);
  neighbours += list.size();
  return sum;
}

// The same queries over the canonical lists, one after another.
Verdict verify_hops(const Canonical& canonical, const Answer& answer, const Parameters& parameters,
                    std::uint32_t hops) {
  const Queries queries(parameters);
  std::vector<VertexId> starts;
  for (VertexId v = 0; v < canonical.out.vertices(); ++v) {
    if (canonical.out.degree(v) > 0) starts.push_back(v);
  }
  std::vector<std::uint32_t> met(canonical.out.vertices(), 0);
  std::uint64_t neighbours = 0;
  for (const Direction direction : queries.directions) {
    const CsrView& lists = direction == Direction::out ? canonical.out : canonical.in;
    for (std::uint64_t i = 0; i < (starts.empty() ? 0 : queries.count); ++i) {
      const VertexId v = starts[queries.start(i, starts.size())];
      met[v] += hash_of_list(lists.list(v), neighbours);
      if (hops == 1) continue;
      for (const VertexId u : lists.list(v)) met[v] += hash_of_list(lists.list(u), neighbours);
    }
  }
  return check_said(compare("the same queries, one after another", std::get<0>(answer.values), met),
                    answer, "neighbours", static_cast<double>(neighbours));
}

}  // namespace

Workload hops_workload(const std::string& name, const std::string& help, const std::string& count,
                       std::uint32_t hops) {
  using Kind = Parameter::Kind;
  return {
      .name = name,
      .help = help,
      .parameters = {{"count", count, "number of queries", Kind::whole, 1, 1 << 30},
                     {.name = "direction",
                      .fallback = "out",
                      .help = "of the edges that are followed",
                      .choices = {"out", "in", "both"}},
                     {"seed", "1", "seed of the vertices", Kind::whole, 0, 1 << 30}},
      .needs_drive = true,
      .repeats = "each is met as often as any other edge",
      .sentence = "{#queries query} met {#neighbours neighbour}",
      .run = [hops](Engine& engine,
                    const Parameters& parameters) { return run_hops(engine, parameters, hops); },
      .verify =
          [hops](const Canonical& canonical, const Answer& answer, const Parameters& parameters) {
            return verify_hops(canonical, answer, parameters, hops);
          }};
}

}  // namespace outcore
