// SPDX-License-Identifier: Apache-2.0
// Where engines work in vain, and are known to: what shapes_test.cc allows above its limit. This
// list may only shrink. An entry that is not needed any more fails the test, and none is added for
// a change that made an engine worse. A factor grows only where the best engine needs fewer.
#pragma once

#include <string>
#include <vector>

namespace outcore {

struct KnownWorkInVain {
  struct OnShape {
    std::string shape;
    double most;  // times what the best engine needed
  };
  std::string engine;
  std::string workload;
  std::string reason;
  std::vector<OnShape> shapes;
};

inline std::vector<KnownWorkInVain> known_work_in_vain() {
  const std::string kCells = "cells are handed over whole, whatever in them is active";
  const std::string kDistances =
      "levels and distances that are not final yet are told, and told again when they fall";
  const std::string kLabels =
      "a label goes one vertex a round, and with ids in order every vertex hears a lower one in "
      "every round";
  const std::string kLigra =
      "by Ligra's rule a round that has a twentieth of the edges to tell pulls all lists";
  const std::string kSubgraphs =
      "a round loads whole subgraphs where its model says that their lists cost more";
  const std::string kWaves =
      "a step takes 16,384 edges at least, which is all that is active on so small a graph";
  const std::string kWholeLists =
      "the lists of a store are handed over whole, whatever a task wants";
  // clang-format off
  return {
      {"grid", "bc", kCells,
       {{"path", 760}, {"path_random", 730}, {"comb", 94}, {"comb_random", 140}, {"ladder", 470},
        {"band", 57}, {"tree", 21}, {"clique_chain", 47}, {"grid", 69}, {"torus", 56},
        {"geometric", 19}}},
      {"grid", "bfs", kCells,
       {{"path", 760}, {"path_random", 730}, {"comb", 94}, {"comb_random", 140}, {"ladder", 470},
        {"band", 57}, {"tree", 22}, {"clique_chain", 47}, {"kronecker", 23},
        {"kronecker_sparse", 19}, {"grid", 70}, {"torus", 56}, {"geometric", 19}}},
      {"grid", "bfs-do", kCells,
       {{"path", 760}, {"path_random", 730}, {"comb", 94}, {"comb_random", 140}, {"ladder", 470},
        {"band", 57}, {"tree", 22}, {"clique_chain", 47}, {"kronecker", 23},
        {"kronecker_sparse", 19}, {"grid", 70}, {"torus", 56}, {"geometric", 19}}},
      {"grid", "coreness", kCells,
       {{"path", 750}, {"path_random", 710}, {"comb", 95}, {"comb_random", 94}, {"ladder", 420},
        {"band", 88}, {"clique_chain", 19}, {"kronecker", 34}, {"kronecker_sparse", 45},
        {"grid", 55}, {"geometric", 54}, {"hostweb", 32}, {"small_world", 28}, {"islands", 22}}},
      {"grid", "kcore", kCells,
       {{"comb", 24}, {"comb_random", 24}, {"ladder", 420}, {"kronecker", 14},
        {"kronecker_sparse", 24}, {"grid", 55}}},
      {"grid", "pagerank-push", kCells,
       {{"path", 40}, {"path_random", 66}, {"ladder", 36}}},
      {"grid", "ppr", kCells,
       {{"path", 61}, {"path_random", 94}, {"comb", 18}, {"comb_random", 17}, {"ladder", 40},
        {"cliques", 330}}},
      {"grid", "radii", kCells,
       {{"path", 75}, {"path_random", 91}, {"ladder", 31}, {"cliques", 20}}},
      {"grid", "sssp", kCells,
       {{"path", 760}, {"path_random", 720}, {"comb", 94}, {"comb_random", 78}, {"ladder", 1200},
        {"tree", 17}, {"clique_chain", 21}, {"grid", 19}, {"torus", 16}}},
      {"grid", "wcc", kCells,
       {{"path", 3400}, {"path_random", 190}, {"comb", 130}, {"comb_random", 22},
        {"ladder", 150}, {"clique_chain", 13}}},
      {"binning", "sssp", kDistances,
       {{"ladder", 63}}},
      {"concurrent", "sssp", kDistances,
       {{"ladder", 63}}},
      {"evolving", "sssp", kDistances,
       {{"ladder", 63}}},
      {"in_memory", "sssp", kDistances,
       {{"ladder", 63}}},
      {"binning", "wcc", kLabels,
       {{"path", 3100}, {"comb", 85}}},
      {"chunk_mmap", "wcc", kLabels,
       {{"path", 3100}, {"comb", 84}, {"comb_random", 23}}},
      {"concurrent", "wcc", kLabels,
       {{"path", 3100}, {"comb", 85}}},
      {"evolving", "wcc", kLabels,
       {{"path", 3100}, {"comb", 85}}},
      {"chunk_mmap", "ppr", kLigra,
       {{"comb", 36}, {"comb_random", 14}, {"ladder", 17}}},
      {"chunk_mmap", "radii", kLigra,
       {{"ladder", 17}}},
      {"chunk_mmap", "sssp", kLigra,
       {{"ladder", 780}, {"band", 14}, {"clique_chain", 35}, {"grid", 16}, {"torus", 15}}},
      {"psw", "bfs", kDistances,
       {{"ladder", 19}, {"kronecker", 11}}},
      {"sync_subgraph", "bc", kSubgraphs,
       {{"comb_random", 30}, {"grid", 15}, {"torus", 15}}},
      {"sync_subgraph", "bfs", kSubgraphs,
       {{"comb_random", 58}, {"band", 18}, {"clique_chain", 20}, {"grid", 29}, {"torus", 28}}},
      {"sync_subgraph", "coreness", kSubgraphs,
       {{"comb", 43}, {"comb_random", 43}, {"ladder", 35}, {"kronecker", 15},
        {"kronecker_sparse", 18}, {"grid", 25}, {"geometric", 18}, {"hostweb", 14},
        {"small_world", 13}}},
      {"sync_subgraph", "kcore", kSubgraphs,
       {{"ladder", 35}, {"kronecker_sparse", 23}, {"grid", 25}}},
      {"sync_subgraph", "pagerank-push", kSubgraphs,
       {{"path_random", 16}, {"ladder", 28}}},
      {"sync_subgraph", "ppr", kSubgraphs,
       {{"path_random", 95}, {"comb_random", 17}, {"ladder", 39}, {"cliques", 380}}},
      {"sync_subgraph", "radii", kSubgraphs,
       {{"path", 60}, {"path_random", 69}, {"ladder", 24}, {"cliques", 20}}},
      {"sync_subgraph", "sssp", kSubgraphs,
       {{"comb", 16}, {"comb_random", 130}, {"ladder", 2000}, {"band", 15}, {"tree", 17},
        {"clique_chain", 37}, {"grid", 31}, {"torus", 26}}},
      {"sync_subgraph", "wcc", kSubgraphs,
       {{"path", 3100}, {"path_random", 110}, {"comb", 84}, {"comb_random", 24}, {"ladder", 77},
        {"band", 14}}},
      {"in_memory", "wcc", kWaves,
       {{"path", 1300}, {"comb", 34}}},
      {"evolving", "random-walk", kWholeLists,
       {{"star", 250}}},
  };
  // clang-format on
}

}  // namespace outcore
