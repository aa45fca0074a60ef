// SPDX-License-Identifier: Apache-2.0
/*
Kernel: personalised PageRank by forward push (ppr)
Returns: for each vertex the probability that a walk from a source ends there, short of it by at
most what the remaining residuals stand for

The sources begin with equal shares of 1. A vertex hands on its residual while that is more than
r_max times its out-degree. forward_push.h explains the idea, why any order converges, and what the
end guarantees. On a symmetric graph each rank is short by at most r_max * degree.

query=joint  one query, whose walks begin at any of the sources
query=each   one query per source, one after another on the same engine, each to r_max: the paper's
             single-source PPR (SSPPR) for many sources. The ranks are the mean over the queries.

A vertex without out-edges counts as having one: its residual must exceed r_max before its share is
counted.

[1] ACGraph, SIGMOD 2025, section 6.1 (SSPPR; alpha 0.15, r_max 1e-9).
[2] R. Andersen, F. Chung, K. Lang. Local Graph Partitioning using PageRank Vectors. FOCS 2006.
*/
#include "workloads/forward_push.h"
#include "workloads/registry.h"
#include "workloads/sources.h"

namespace outcore {

namespace {

PushRules rules_of(const Parameters& parameters, std::vector<VertexId> sources) {
  std::vector<VertexId> sorted = sources;
  std::sort(sorted.begin(), sorted.end());
  return {.alpha = parameters.real("alpha"),
          .r_max = parameters.real("r_max"),
          .for_each_edge = true,
          .by_residual = parameters.text("order") == "residual",
          .start =
              [sorted = std::move(sorted)](VertexId v) {
                const bool is_source = std::binary_search(sorted.begin(), sorted.end(), v);
                return is_source ? 1 / static_cast<double>(sorted.size()) : 0;
              },
          .sources = std::move(sources),
          .apart = parameters.text("query") == "each"};
}

Finish run_ppr(Engine& engine, const Parameters& parameters) {
  const std::vector<VertexId> sources =
      find_sources(engine, parameters.text("source"), parameters.whole("sources"));
  nlohmann::json ids = nlohmann::json::array();
  for (const VertexId v : sources) ids.push_back(engine.graph().original(v));
  return [finish = forward_push(engine, rules_of(parameters, sources)), ids] {
    Answer answer = finish();
    answer.summary["sources"] = ids;
    return answer;
  };
}

Verdict verify_ppr(const Canonical& canonical, const Answer& answer, const Parameters& parameters) {
  const std::vector<VertexId> sources =
      find_sources(canonical.out, parameters.text("source"), parameters.whole("sources"));
  return verify_push(canonical.out, answer, rules_of(parameters, sources));
}

}  // namespace

Workload ppr_workload() {
  using Kind = Parameter::Kind;
  return {.name = "ppr",
          .help = "personalised PageRank by forward push, in any order",
          .parameters = {source_parameter("sources"),
                         {"sources", "1",
                          "how many: first by degree or at random, or as many as source names",
                          Kind::whole, 1, 1 << 20},
                         {.name = "query",
                          .fallback = "joint",
                          .help = "joint: one for all sources; each: one after another",
                          .choices = {"joint", "each"}},
                         {"r_max", "1e-9",
                          "a vertex pushes while its residual per out-edge is above this",
                          Kind::real, 1e-12, 1},
                         alpha_parameter(),
                         order_parameter()},
          .message_bytes = 8,
          .values = ValueKind::real,
          .repeats = "each hands on a share of the rank",
          .sentence =
              "from {sources}: within {error_bound} of the limit; at most {largest_residual} left "
              "at a vertex",
          .run = run_ppr,
          .verify = verify_ppr};
}

}  // namespace outcore
