// SPDX-License-Identifier: Apache-2.0
#include "workloads/weights.h"

#include <fmt/format.h>

#include "common/error.h"

namespace outcore {

Parameter weights_parameter() {
  return {.name = "weights",
          .fallback = "auto",
          .help = "auto: the graph's own if it has any, else hashed",
          .choices = {"auto", "hashed", "given"}};
}

bool wants_given_weights(const std::string& workload, const Parameters& parameters, bool weighted) {
  const std::string& wanted = parameters.text("weights");
  if (wanted == "given" && !weighted) {
    throw usage_error(workload + " weights=given: the graph has none; use weights=hashed");
  }
  return weighted && wanted != "hashed";
}

void check_lengths(const std::string& workload, float least) {
  if (least >= 0) return;
  throw usage_error(
      fmt::format("{} needs weights of at least 0, but this graph has {}: use weights=hashed",
                  workload, least));
}

bool weights_are_stored(const std::string& workload, const Graph& graph,
                        const Parameters& parameters) {
  if (!wants_given_weights(workload, parameters, graph.weighted)) {
    return graph.stored_weights == Graph::Weights::hashed;
  }
  if (graph.stored_weights != Graph::Weights::given) {
    throw usage_error(workload +
                      " needs the graph's weights, which this layout does not hold; build it with "
                      "--weights given, or ask for weights=hashed");
  }
  return true;
}

}  // namespace outcore
