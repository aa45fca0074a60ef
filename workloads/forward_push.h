// SPDX-License-Identifier: Apache-2.0
// Forward push, which pagerank-push and ppr share: PageRank for any start distribution, down to a
// stated residual.
//
// A walk begins at v with probability start(v). At each step it ends with probability alpha;
// otherwise it follows one of the out-edges. Without out-edges it is lost. The rank of v is the
// probability that the walk ends there. Each vertex holds a residual, the probability of the walks
// that have arrived and not yet continued. Taking a vertex up adds alpha of its residual to its
// rank and hands the rest on in equal shares. A vertex is active while its residual is above its
// threshold.
//
// Priority: either none (order=sweep), so that an engine goes through its blocks in turn while
// residuals gather; or the residual per out-edge, by powers of two, the largest first
// (order=residual). A block is as urgent as its most urgent vertex, but it is processed for all its
// active vertices, most of which would better wait: pagerank-push on Kronecker 20, async_block with
// 8 MB, processes 2.0 thousand million edges and reads 5.7 GB by residual, against 1.2 thousand
// million and 3.8 GB in turn.
//
// Epochs: pushing a vertex costs its edges, whatever its residual. So a query first lets vertices
// push only while they hold much for each of their edges, and 8 times less in each further epoch,
// until thresholds are those of the end (as PowerPush lowers its own [3]). Else, without rounds, a
// vertex would push whenever it has heard from a few of its neighbours
// (docs/measured/async_block.md). The first epoch asks for a third of what each edge has of the
// vertices at which the mass lies at first. A query that has spread over the graph goes on at once
// to a third of what an edge would have if all mass were spread evenly: the epochs between would
// read most blocks for few vertices.
//
// Any order converges. Taking up a residual does not change the sums at which the ranks end (rank =
// sum of alpha * what was taken; what is handed on is the next step of the walk). The mass that is
// left falls by alpha of what is taken each time. At the end every residual is at most its
// threshold. A residual is taken once, in emit. The order decides how much is pushed, and which
// residuals within the thresholds are left. So answers agree within the thresholds, and not to the
// bit.
//
// What the end guarantees: the ranks are at most the true ones. They fall short of them by the
// walks that the remaining residuals stand for, in all by at most the sum of the residuals (L1; it
// is the summary's error_bound, which includes 2^-23 for rounding). This can be checked from the
// ranks alone, because they determine the residuals.
//
// [1] R. Andersen, F. Chung, K. Lang. Local Graph Partitioning using PageRank Vectors. FOCS 2006.
// [2] ACGraph, SIGMOD 2025, section 6.1 (SSPPR and PR); the thresholds are in its published code.
// [3] H. Wu, J. Gan, Z. Wei, R. Zhang. Unifying the Global and Local Approaches: An Efficient Power
// Iteration with Forward Push. SIGMOD 2021; section 5.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "workloads/workload.h"

namespace outcore {

struct PushRules {
  double alpha = 0.15;
  // A vertex is active while its residual is above r_max, or above r_max times its out-degree (a
  // vertex without out-edges counts as having one). Probabilities are whole units, 2^62 for the
  // total of a query. From r_max 1e-12 upwards, what rounding takes from a message is too small to
  // be seen beside the single precision of the ranks.
  double r_max = 1e-9;
  bool for_each_edge = false;
  bool by_residual = false;  // order_parameter(); else all active vertices are equal
  // The argument is an id as the caller numbers vertices: layout ids in a run, canonical ones in
  // the verifier.
  std::function<double(VertexId v)> start;
  // If not empty, walks begin only at these vertices.
  std::vector<VertexId> sources = {};
  // If true, the walks of each source are pushed separately, one source after another, each to its
  // share of the thresholds. Pushing is linear, so the ranks add up. The residuals that one source
  // leaves are not handed on by the next one, and count in the guarantee above.
  bool apart = false;

  [[nodiscard]] double threshold(std::uint64_t degree) const {
    return for_each_edge ? r_max * static_cast<double>(std::max<std::uint64_t>(degree, 1)) : r_max;
  }
};

// Finishes with the ranks as values, and largest_residual and error_bound in the summary.
Finish forward_push(Engine& engine, const PushRules& rules);

// Computes the residuals that the ranks imply, in double precision over the canonical lists:
//  - none is negative, and none is above its vertex's threshold, so the guarantee above holds
//  - what is left, at one vertex and in all, is no more than the summary says
// Each may be off by 1e-5 of the ranks that it was computed from, because those are in single
// precision.
Verdict verify_push(const CsrView& out, const Answer& answer, const PushRules& rules);

Parameter alpha_parameter();
Parameter order_parameter();

}  // namespace outcore
