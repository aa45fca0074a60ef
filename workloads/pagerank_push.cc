// SPDX-License-Identifier: Apache-2.0
/*
Kernel: PageRank by forward push (pagerank-push)
Returns: the rank of each vertex, short of PageRank by at most the residuals that are left

Every vertex begins with 1/n and hands on what it has while that is above r_max. forward_push.h
explains the idea, why any order converges, and what the end guarantees. The ranks are those of
pagerank (form=share) with damping 1 - alpha, approached from below.

ACGraph uses r_max = 1e-10 on graphs of 42 million vertices and more, where it is 0.0042 of the 1/n
with which a vertex begins. On a graph of a thousand vertices 1e-10 would ask for far more digits.
So the default here is 0.0042 / n: the same quality at every size, a sum of residuals of at most
0.0042. The summary states the r_max that was used.

[1] ACGraph, SIGMOD 2025, section 6.1 (PR as PPR with a uniform start).
*/
#include "workloads/forward_push.h"
#include "workloads/registry.h"

namespace outcore {

namespace {

constexpr double kShare = 0.0042;  // r_max * n for r_max = 1e-10 and Twitter's 42 million n

double r_max_of(const Parameters& parameters, VertexId vertices) {
  const double asked = parameters.real("r_max");
  return asked > 0 ? asked : kShare / std::max(vertices, 1U);
}

PushRules rules_of(const Parameters& parameters, VertexId vertices) {
  return {.alpha = parameters.real("alpha"),
          .r_max = r_max_of(parameters, vertices),
          .by_residual = parameters.text("order") == "residual",
          .start = [vertices](VertexId) { return 1.0 / vertices; }};
}

Finish run_pagerank_push(Engine& engine, const Parameters& parameters) {
  const VertexId n = engine.graph().vertices;
  return [finish = forward_push(engine, rules_of(parameters, n)), r_max = r_max_of(parameters, n)] {
    Answer answer = finish();
    answer.summary["r_max"] = r_max;
    return answer;
  };
}

Verdict verify_pagerank_push(const Canonical& canonical, const Answer& answer,
                             const Parameters& parameters) {
  return verify_push(canonical.out, answer, rules_of(parameters, canonical.out.vertices()));
}

}  // namespace

Workload pagerank_push_workload() {
  return {
      .name = "pagerank-push",
      .help = "PageRank by forward push, in any order",
      .parameters = {{.name = "r_max",
                      .fallback = "0",
                      .help =
                          "a vertex pushes while its residual is above this; 0: 0.0042 / vertices",
                      .kind = Parameter::Kind::real,
                      .least = 1e-12,
                      .most = 1,
                      .choices = {"0"}},
                     alpha_parameter(),
                     order_parameter()},
      .message_bytes = 8,
      .values = ValueKind::real,
      .repeats = "each hands on a share of the rank",
      .sentence = "within {error_bound} of the limit; at most {largest_residual} left at a vertex",
      .run = run_pagerank_push,
      .verify = verify_pagerank_push};
}

}  // namespace outcore
