// SPDX-License-Identifier: Apache-2.0
/*
Kernel: community detection by label propagation (cdlp)
Returns: for each vertex its label after the given iterations: the canonical id of some vertex

Each vertex begins with its own id as label. In every iteration each vertex takes the label that
most of its neighbours have, and of several such labels the least; vertices without neighbours keep
their own. All labels change at once, at the end of an iteration [1].

The specification counts a neighbour twice that a directed graph joins in both directions. A graph
that was made symmetric with parallel edges kept (outcore import --symmetric --keep-parallel) has
such a neighbour twice in the list, so that this workload counts each occurrence and needs no
directions.

Lists are read in any order: an iteration reads the labels of the one before and writes others.

[1] A. Iosup et al. The LDBC Graphalytics Benchmark. arXiv:2011.15028, section 2.3.4.
[2] U. N. Raghavan, R. Albert, S. Kumara. Near linear time algorithm to detect community structures
in large-scale networks. Physical Review E 76, 2007.
*/
#include <algorithm>
#include <map>
#include <utility>

#include "workloads/registry.h"
#include "workloads/whole_lists.h"

namespace outcore {

namespace {

class LabelVote : public WholeLists {
 public:
  explicit LabelVote(Engine& engine)
      : label_(engine.state<VertexId>("label")), next_(engine.state<VertexId>("next_label")) {
    const Graph& graph = engine.graph();
    engine.for_each_range([&](VertexRange range) {
      for (VertexId v = range.begin; v < range.end; ++v) label_[v] = graph.original(v);
    });
  }

  void iterate(Engine& engine) {
    read(engine, {0, engine.graph().id_space});
    std::swap(label_, next_);
  }
  [[nodiscard]] const State<VertexId>& labels() const { return label_; }

 private:
  void take(VertexId v, std::vector<VertexId>& list) override {
    for (VertexId& u : list) u = label_[u];
    next_[v] = list.empty() ? label_[v] : most_frequent(list);
  }

  static VertexId most_frequent(std::vector<VertexId>& labels) {
    std::sort(labels.begin(), labels.end());
    VertexId best = labels.front();
    std::ptrdiff_t most = 0;
    for (auto from = labels.begin(); from != labels.end();) {
      const auto to = std::upper_bound(from, labels.end(), *from);
      if (to - from > most) {
        best = *from;
        most = to - from;
      }
      from = to;
    }
    return best;
  }

  State<VertexId> label_;
  State<VertexId> next_;
};

Finish run_cdlp(Engine& engine, const Parameters& parameters) {
  LabelVote vote(engine);
  const std::uint64_t iterations = parameters.whole("iterations");
  for (std::uint64_t i = 0; i < iterations; ++i) vote.iterate(engine);
  return [graph = engine.graph(), labels = vote.labels(), iterations] {
    Answer answer{
        .values = in_canonical_order(graph, labels), .names_vertices = true, .summary = {}};
    std::vector<VertexId> kept = std::get<0>(answer.values);
    std::sort(kept.begin(), kept.end());
    const auto communities = std::unique(kept.begin(), kept.end()) - kept.begin();
    answer.summary = {{"iterations", iterations}, {"communities", communities}};
    return answer;
  };
}

// The same iterations over the canonical lists, one vertex after another, with an ordered map of
// votes:
//  - each label is the least of those that most occurrences in the vertex's list had before
//  - the summary says how many labels are left
Verdict verify_cdlp(const Canonical& canonical, const Answer& answer,
                    const Parameters& parameters) {
  std::vector<VertexId> labels(canonical.out.vertices());
  for (VertexId v = 0; v < labels.size(); ++v) labels[v] = v;
  for (std::uint64_t i = 0; i < parameters.whole("iterations"); ++i) {
    std::vector<VertexId> next = labels;
    for (VertexId v = 0; v < labels.size(); ++v) {
      std::map<VertexId, std::uint64_t> votes;
      for (const VertexId u : canonical.out.list(v)) ++votes[labels[u]];
      const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
      // The first of the greatest, in the order of labels.
      if (!votes.empty()) next[v] = std::max_element(votes.begin(), votes.end(), fewer)->first;
    }
    labels = std::move(next);
  }
  std::map<VertexId, bool> left;
  for (const VertexId label : labels) left[label] = true;
  return check_said(
      compare("a count of votes, vertex by vertex", std::get<0>(answer.values), labels), answer,
      "communities", static_cast<double>(left.size()));
}

}  // namespace

Workload cdlp_workload() {
  return {.name = "cdlp",
          .help = "communities by synchronous label propagation (Graphalytics)",
          .parameters = {{"iterations", "10", "how often each vertex takes a label",
                          Parameter::Kind::whole, 1, 100000}},
          .needs_symmetric = true,
          .needs_drive = true,
          .values = ValueKind::vertex,
          .repeats = "each counts as a neighbour",
          .sentence = "{#communities label} left after {#iterations iteration}",
          .run = run_cdlp,
          .verify = verify_cdlp};
}

}  // namespace outcore
