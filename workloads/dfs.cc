// SPDX-License-Identifier: Apache-2.0
/*
Kernel: pseudo depth-first search (dfs)
Returns: without a target, 1 for each vertex that the source reaches and 0 for the others; with a
target, 1 for the target if it was found and 0 for all others

A stack of vertices: the topmost is popped, its list is read, and its unvisited neighbours are
pushed. A stack longer than `stack` is cut in two, and both parts continue at the same time. So the
order is that of a depth-first search only within each stack, which is why it is called pseudo. With
a target, the search ends when any worker meets it, and what is left on the stacks is dropped.

Any order visits the same vertices: a vertex belongs to the worker that marks it first, and only
that worker reads its list. How many vertices are visited before a target is found does depend on
the order.

[1] CAVE, SIGMOD 2024, section 4.7 and Algorithm 6; section 6.3 searches for target keys. The paper
states no stack size; its published code cuts at 8 (stack=8) while fewer than k_r stacks are live.
[2] U. A. Acar, A. Chargueraud, M. Rainey. A Work-Efficient Algorithm for Parallel Unordered
Depth-First Search. SC 2015.
*/
#include <fmt/format.h>

#include "common/error.h"
#include "engines/vertex_program.h"
#include "workloads/registry.h"
#include "workloads/sources.h"

namespace outcore {

namespace {

class DepthFirstSearch : public TaskProgram {
 public:
  DepthFirstSearch(Engine& engine, VertexId source, VertexId target, std::size_t threshold)
      : visited(engine.state_bits("visited")), target_(target), threshold_(threshold) {
    visited.set(source);
    found_ = source == target;
  }

  ListRange wants(const Task&, std::uint32_t degree) override { return {0, degree}; }
  void step(const Task&, const Piece& piece, TaskStack& next) override {
    for (std::uint32_t i = 0; i < piece.count; ++i) {
      const VertexId v = piece.ids[i];
      if (!visited.set(v)) continue;
      next.push_back({.v = v});
      // Relaxed: it says only that the target is found; done() reads nothing else that depends on
      // it.
      if (v == target_) found_.store(true, std::memory_order_relaxed);
    }
  }
  [[nodiscard]] bool done() const override { return found_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::size_t stack_threshold() const override { return threshold_; }

  StateBits visited;

 private:
  VertexId target_;
  std::size_t threshold_;
  std::atomic<bool> found_{false};
};

// The canonical id of the target, kNoVertex if there is none. Throws a usage error.
VertexId target_of(const Parameters& parameters, VertexId vertices) {
  if (parameters.text("target") == "none") return kNoVertex;
  const std::uint64_t target = parameters.whole("target");
  if (target < vertices) return static_cast<VertexId>(target);
  throw usage_error(fmt::format("dfs target={}: there is no such vertex", target));
}

VertexId layout_id(const Graph& graph, VertexId canonical) {
  if (canonical == kNoVertex || graph.originals == nullptr) return canonical;
  VertexId id = 0;
  while (graph.original(id) != canonical) ++id;
  return id;
}

// With a target, only the target is marked, if it was found.
Answer dfs_answer(const Graph& graph, VertexId source, VertexId target, bool found,
                  const StateBits& visited) {
  std::vector<std::uint32_t> marked(graph.vertices);
  std::uint64_t count = 0;
  visited.for_each(0, graph.id_space, [&](std::size_t v) {
    ++count;
    if (target == kNoVertex) marked[graph.original(static_cast<VertexId>(v))] = 1;
  });
  if (target != kNoVertex) marked[target] = found ? 1 : 0;
  Answer answer{.values = std::move(marked), .summary = {}};
  answer.summary = {{"source", graph.original(source)}, {"visited", count}};
  if (target != kNoVertex) answer.summary["found"] = found;
  return answer;
}

Finish run_dfs(Engine& engine, const Parameters& parameters) {
  const Graph& graph = engine.graph();
  const VertexId source = find_source(engine, parameters.text("source"));
  const VertexId target = target_of(parameters, graph.vertices);
  DepthFirstSearch search(engine, source, layout_id(graph, target), parameters.whole("stack"));
  const Task first{.v = source};
  if (!search.done()) engine.drive(search, {&first, 1}, Direction::out);

  return [graph, source, target, found = search.done(), visited = std::move(search.visited)] {
    return dfs_answer(graph, source, target, found, visited);
  };
}

// A serial search with a stack over the canonical lists:
//  - without a target, exactly the vertices that a path from the source reaches are marked
//  - with a target, it is marked if and only if a path reaches it, and no other vertex is
Verdict verify_dfs(const Canonical& canonical, const Answer& answer, const Parameters& parameters) {
  const VertexId target = target_of(parameters, canonical.out.vertices());
  std::vector<std::uint32_t> reached(canonical.out.vertices(), 0);
  std::vector<VertexId> stack = {find_source(canonical.out, parameters.text("source"))};
  reached[stack.back()] = 1;
  while (!stack.empty()) {
    const VertexId u = stack.back();
    stack.pop_back();
    for (const VertexId v : canonical.out.list(u)) {
      if (std::exchange(reached[v], 1U) == 0) stack.push_back(v);
    }
  }
  const char* const how = "serial search with a stack";
  if (target == kNoVertex) {
    const auto visited = std::count(reached.begin(), reached.end(), 1U);
    return check_said(compare(how, std::get<0>(answer.values), reached), answer, "visited",
                      static_cast<double>(visited));
  }
  const std::uint32_t found = reached[target];
  std::fill(reached.begin(), reached.end(), 0U);
  reached[target] = found;
  return compare(how, std::get<0>(answer.values), reached);
}

}  // namespace

Workload dfs_workload() {
  using Kind = Parameter::Kind;
  return {.name = "dfs",
          .help = "pseudo depth-first search, for all vertices or for one",
          .parameters = {source_parameter(),
                         {.name = "target",
                          .fallback = "none",
                          .help = "vertex to search for, or none",
                          .kind = Kind::vertex,
                          .choices = {"none"}},
                         {"stack", "64", "stacks longer than this are cut in two", Kind::whole, 1,
                          1 << 30}},
          .needs_drive = true,
          .sentence =
              "visited {#visited} of {#vertices} vertices from {source}[; target found: {found}]",
          .run = run_dfs,
          .verify = verify_dfs};
}

}  // namespace outcore
