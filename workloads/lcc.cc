// SPDX-License-Identifier: Apache-2.0
/*
Kernel: local clustering coefficients (lcc)
Returns: for each vertex the share of the ordered pairs of its neighbours that an edge joins; 0 for
vertices with fewer than two neighbours

A neighbour is one by an edge in either direction, and counts once; loops count nothing. Of d
neighbours there are d (d - 1) ordered pairs [1].

edges=undirected  an edge joins both ordered pairs of its ends
edges=directed    the graph was directed, and was made symmetric with parallel edges kept (outcore
                  import --symmetric --keep-parallel). A list then has a neighbour as often as edges
                  join the two: each occurrence is an edge that joins one ordered pair

The neighbours of a range of vertices are kept in memory, and all lists are read past them: the list
of u is compared with the kept neighbours of each v in it. So the lists are read once for each range
[2]. The parameter `kept` bounds the ranges, but for a list that is longer alone. Counts are whole
numbers, so the order does not matter.

[1] A. Iosup et al. The LDBC Graphalytics Benchmark. arXiv:2011.15028, section 2.3.5.
[2] X. Hu, Y. Tao, C.-W. Chung. Massive Graph Triangulation. SIGMOD 2013.
*/
#include <algorithm>
#include <set>

#include "engines/atomic_state.h"
#include "workloads/registry.h"
#include "workloads/whole_lists.h"

namespace outcore {

namespace {

// Sorts, and drops repetitions and the vertex itself.
void keep_distinct(VertexId v, std::vector<VertexId>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  const auto self = std::lower_bound(list.begin(), list.end(), v);
  if (self != list.end() && *self == v) list.erase(self);
}

// The neighbours of the vertices of a range, one list after another.
class KeptNeighbours : public WholeLists {
 public:
  KeptNeighbours(Engine& engine, std::uint64_t most)
      : counts(engine.state<std::uint32_t>("neighbours")),
        begins_(engine.state<std::uint64_t>("begins")),
        kept_(engine.zeros<VertexId>("kept", most)) {}

  // By vertex, of the ranges so far.
  State<std::uint32_t> counts;

  // REQUIRES: as many as kept() in all have room.
  void keep(Engine& engine, VertexRange range, const State<std::uint32_t>& degrees) {
    range_ = range;
    std::uint64_t begin = 0;
    for (VertexId v = range.begin; v < range.end; ++v) {
      begins_[v] = begin;
      begin += degrees[v];
    }
    read(engine, range);
  }
  [[nodiscard]] bool has(VertexId v) const { return v >= range_.begin && v < range_.end; }
  [[nodiscard]] std::span<const VertexId> of(VertexId v) const {
    return {kept_.begin() + begins_[v], counts[v]};
  }

 private:
  void take(VertexId v, std::vector<VertexId>& list) override {
    keep_distinct(v, list);
    std::copy(list.begin(), list.end(), kept_.begin() + begins_[v]);
    counts[v] = static_cast<std::uint32_t>(list.size());
  }

  VertexRange range_;
  State<std::uint64_t> begins_;
  State<VertexId> kept_;
};

// How often a vertex of the sorted list is one of the sorted, distinct others.
std::uint64_t common(std::span<const VertexId> list, std::span<const VertexId> others) {
  std::uint64_t found = 0;
  if (list.size() < others.size()) {
    for (const VertexId w : list) found += std::binary_search(others.begin(), others.end(), w);
    return found;
  }
  for (const VertexId w : others) {
    const auto [from, to] = std::equal_range(list.begin(), list.end(), w);
    found += static_cast<std::uint64_t>(to - from);
  }
  return found;
}

// Adds up the edges between the kept neighbours of a vertex, from each end.
class Joined : public WholeLists {
 public:
  Joined(Engine& engine, const KeptNeighbours& kept, bool directed)
      : joined(engine.state<std::uint64_t>("joined")), kept_(kept), directed_(directed) {}

  State<std::uint64_t> joined;

 private:
  void take(VertexId u, std::vector<VertexId>& list) override {
    std::vector<VertexId> edges = list;
    std::erase(edges, u);
    keep_distinct(u, list);
    if (!directed_) edges = list;
    std::sort(edges.begin(), edges.end());
    for (const VertexId v : list) {
      if (kept_.has(v)) increase<Access::shared>(joined[v], common(edges, kept_.of(v)));
    }
  }

  const KeptNeighbours& kept_;
  bool directed_;
};

// A range from `begin` on whose lists have at most so many edges, or one vertex.
VertexRange range_from(VertexId begin, const State<std::uint32_t>& degrees, std::uint64_t most) {
  VertexId end = begin;
  std::uint64_t edges = 0;
  while (end < degrees.size() && (end == begin || edges + degrees[end] <= most)) {
    edges += degrees[end++];
  }
  return {begin, end};
}

float coefficient(std::uint64_t joined, std::uint64_t neighbours, bool directed) {
  if (neighbours < 2) return 0;
  // A directed edge was met at both its ends.
  const std::uint64_t pairs = neighbours * (neighbours - 1) * (directed ? 2 : 1);
  return static_cast<float>(static_cast<double>(joined) / static_cast<double>(pairs));
}

Finish run_lcc(Engine& engine, const Parameters& parameters) {
  const bool directed = parameters.text("edges") == "directed";
  const auto degrees = out_degrees<std::uint32_t>(engine, "degree");
  std::uint64_t edges = 0;
  std::uint64_t longest = 0;
  for (const std::uint32_t degree : degrees) {
    edges += degree;
    longest = std::max<std::uint64_t>(longest, degree);
  }
  const std::uint64_t most = parameters.whole("kept");
  KeptNeighbours kept(engine, std::min(edges, std::max(most, longest)));
  Joined count(engine, kept, directed);
  std::uint64_t passes = 0;
  for (VertexRange range = {0, 0}; range.end < degrees.size(); ++passes) {
    range = range_from(range.end, degrees, most);
    kept.keep(engine, range, degrees);
    count.read(engine, {0, engine.graph().id_space});
  }
  return [graph = engine.graph(), joined = count.joined, neighbours = kept.counts, directed,
          passes] {
    Answer answer{
        .values = canonical_values<float>(
            graph, [&](VertexId v) { return coefficient(joined[v], neighbours[v], directed); }),
        .summary = {}};
    double sum = 0;
    for (const float value : std::get<1>(answer.values)) sum += value;
    answer.summary = {{"mean", graph.vertices == 0 ? 0 : sum / graph.vertices}, {"passes", passes}};
    return answer;
  };
}

// Every ordered pair of neighbours of every vertex is looked up in the list of its first:
//  - each coefficient is the share of them that an edge joins
Verdict verify_lcc(const Canonical& canonical, const Answer& answer, const Parameters& parameters) {
  const bool directed = parameters.text("edges") == "directed";
  const CsrView& lists = canonical.out;
  std::vector<float> expected(lists.vertices(), 0);
  std::vector<bool> is_neighbour(lists.vertices(), false);
  for (VertexId v = 0; v < lists.vertices(); ++v) {
    std::set<VertexId> neighbours(lists.list(v).begin(), lists.list(v).end());
    neighbours.erase(v);
    if (neighbours.size() < 2) continue;
    for (const VertexId u : neighbours) is_neighbour[u] = true;
    std::uint64_t joined = 0;
    for (const VertexId u : neighbours) {
      std::multiset<VertexId> ends;
      for (const VertexId w : lists.list(u)) {
        if (w == u || !is_neighbour[w]) continue;
        if (directed || !ends.contains(w)) ends.insert(w);
      }
      joined += ends.size();
    }
    for (const VertexId u : neighbours) is_neighbour[u] = false;
    expected[v] = coefficient(joined, neighbours.size(), directed);
  }
  return compare("every pair of neighbours, vertex by vertex",
                 std::get<std::vector<float>>(answer.values), expected);
}

}  // namespace

Workload lcc_workload() {
  using Kind = Parameter::Kind;
  return {
      .name = "lcc",
      .help = "local clustering coefficients (Graphalytics)",
      .parameters = {{.name = "edges",
                      .fallback = "undirected",
                      .help = "directed: a directed graph's, made symmetric with parallel edges",
                      .choices = {"undirected", "directed"}},
                     {"kept", "16777216", "neighbours in memory in each pass (4 bytes each)",
                      Kind::whole, 1, std::int64_t{1} << 40}},
      .needs_symmetric = true,
      .needs_drive = true,
      .values = ValueKind::real,
      .repeats = "with edges=directed each joins its ends once more",
      .sentence = "on average {mean}, in {#passes pass} over the lists",
      .run = run_lcc,
      .verify = verify_lcc};
}

}  // namespace outcore
