// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload.h"

#include <fmt/format.h>

namespace outcore {

std::size_t Answer::size() const {
  return std::visit([](const auto& column) { return column.size(); }, values);
}

std::string Answer::digest() const {
  return std::visit(
      [](const auto& column) { return hash_text(hash_bytes(std::as_bytes(std::span(column)))); },
      values);
}

std::string missing(const EngineTraits& engine, const Workload& workload) {
  if (workload.needs_heads && engine.heads == Heads::none) {
    return "heads, the first neighbours of every vertex";
  }
  if (workload.needs_drive && !engine.drive) return "drive, tasks that each follow lists";
  if (workload.counts_rounds && engine.round != Visibility::round) {
    return "rounds in which each sees only what earlier ones wrote";
  }
  return {};
}

std::string missing(const EngineTraits& engine, const OpenedGraph& graph,
                    const Workload& workload) {
  if (workload.needs_heads && engine.heads == Heads::layout && graph.choices().heads == 0) {
    return "heads, the first neighbours of every vertex, from this layout; build it with --heads 2";
  }
  return missing(engine, workload);
}

template <typename T>
Verdict compare(const std::string& how, const std::vector<T>& found,
                const std::vector<T>& expected) {
  if (found.size() != expected.size()) {
    return {how, false, fmt::format("{} values for {} vertices", found.size(), expected.size())};
  }
  const auto [a, b] = std::mismatch(found.begin(), found.end(), expected.begin());
  if (a == found.end()) return {how, true, {}};
  return {how, false, fmt::format("vertex {}: found {}, expected {}", a - found.begin(), *a, *b)};
}

template Verdict compare(const std::string&, const std::vector<std::uint32_t>&,
                         const std::vector<std::uint32_t>&);
template Verdict compare(const std::string&, const std::vector<float>&, const std::vector<float>&);

}  // namespace outcore
