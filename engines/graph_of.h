// SPDX-License-Identifier: Apache-2.0
// Turns an opened graph of any kind into what programs see. The Graph refers to it.
#pragma once

#include "engines/program.h"
#include "storage/layout/opened_graph.h"

namespace outcore {

inline Graph graph_of(const OpenedGraph& opened) {
  const CommonFacts& facts = opened.facts();
  const std::string& weights = opened.choices().weights;
  return {.id_space = facts.id_space,
          .vertices = facts.vertices,
          .edges = facts.edges,
          .symmetric = facts.symmetric,
          .originals = opened.originals(),
          .stored_weights = weights == "given"    ? Graph::Weights::given
                            : weights == "hashed" ? Graph::Weights::hashed
                                                  : Graph::Weights::none,
          .weighted = facts.weighted,
          .least_weight = facts.least_weight,
          .inline_edges = opened.choices().inline_edges,
          .ranked = opened.originals() == nullptr && opened.kind() != GraphKind::store};
}

}  // namespace outcore
