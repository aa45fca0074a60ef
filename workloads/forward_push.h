// SPDX-License-Identifier: Apache-2.0
// Forward push, which pagerank-push and ppr share: PageRank for any start distribution, to a stated
// residual.
//
// A walk begins at v with probability start(v); at each step it ends with probability alpha, else
// it follows one of the out-edges; where there are none it is lost. The rank of v is the
// probability that it ends there. Each vertex holds a residual, the probability of walks that have
// come so far; taking it up adds alpha of it to the vertex's rank and hands the rest on in equal
// shares. A vertex is active while its residual is above its threshold.
//
// Priority: none (order=sweep), so that an engine goes through its blocks in turn and residuals
// gather meanwhile; or the residual for each out-edge, by powers of two, the largest first
// (order=residual). A block is as urgent as its most urgent vertex and is processed for all of its
// active ones, most of which had better waited: pagerank-push on Kronecker 20, async_block with
// 8 MB, processes 2.0 thousand million edges by residual and reads 5.7 GB, in turn 1.2 and 3.8.
//
// Any order converges: taking up a residual changes none of the sums that the ranks end at
// (rank = sum of alpha * what was taken; what is handed on is what the walk does next), the mass
// left falls by alpha of what is taken each time, and at the end every residual is at most its
// threshold. A residual is taken once, in emit. The order decides how much is pushed, and which
// residuals within the thresholds are left; so answers agree within those, and not to the bit.
//
// What the end guarantees: the ranks are at most the true ones, and short of them by the walks that
// the residuals left still stand for, in all by the sum of the residuals (L1; the summary's
// error_bound, which has 2^-23 for rounding). That can be checked from the ranks alone: they
// determine the residuals.
//
// [1] R. Andersen, F. Chung, K. Lang. Local Graph Partitioning using PageRank Vectors. FOCS 2006.
// [2] ACGraph, SIGMOD 2025, section 6.1 (SSPPR and PR); its published code says which thresholds.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "workloads/workload.h"

namespace outcore {

struct PushRules {
  double alpha = 0.15;
  // A vertex is active while its residual is above r_max, or above r_max for each of its out-edges;
  // one without any counts as one with one. Probabilities are whole units, 2^62 of what a
  // query begins with: from r_max 1e-12 on, what rounding takes from a message is too little to be
  // seen beside that ranks are in single precision.
  double r_max = 1e-9;
  bool for_each_edge = false;
  bool by_residual = false;  // order_parameter(); else all active vertices are alike
  // Of a vertex by the id that the caller means: layout ids for a run, canonical ones to verify.
  std::function<double(VertexId v)> start;
  // Where not empty: walks begin at these only.
  std::vector<VertexId> sources = {};
  // Those of each source are pushed by themselves, one vertex after another, to its share of the
  // thresholds. Pushing is linear, so the ranks add up; what is left of one is not handed on by the
  // next, and counts in what the end guarantees.
  bool apart = false;

  [[nodiscard]] double threshold(std::uint64_t degree) const {
    return for_each_edge ? r_max * static_cast<double>(std::max<std::uint64_t>(degree, 1)) : r_max;
  }
};

// Ends in the ranks, with largest_residual and error_bound in the summary.
Finish forward_push(Engine& engine, const PushRules& rules);

// The residuals that the ranks imply, computed in double precision over the canonical lists:
//  - none is negative, and none is above its vertex's threshold; so the guarantee above holds
//  - no more is left than the summary says, at one vertex and in all
// Each may be off by 1e-5 of the ranks that it was computed from, which are in single precision.
Verdict verify_push(const CsrView& out, const Answer& answer, const PushRules& rules);

Parameter alpha_parameter();
Parameter order_parameter();

}  // namespace outcore
