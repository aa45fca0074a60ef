// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload.h"

#include <fmt/format.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <bit>

#include "common/executor.h"
#include "storage/layout/edges/edge_layout.h"

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

std::string missing(const EngineTraits& engine, const Workload& workload, bool symmetric) {
  if (workload.needs_reverse && !engine.reverse && !symmetric) {
    return "in-edges of a directed graph; it can on a symmetric one (outcore symmetrise)";
  }
  return missing(engine, workload);
}

std::string missing(const EngineTraits& engine, const OpenedGraph& graph,
                    const Workload& workload) {
  if (workload.needs_heads && engine.heads == Heads::layout && graph.choices().heads == 0) {
    return "heads, the first neighbours of every vertex, from this layout; build it with --heads 2";
  }
  if (engine.messages_on_edges &&
      edge_parameter(graph.choices(), "value", sizeof(VertexId)) < workload.message_bytes) {
    return fmt::format("values of {} bytes on edges, from this layout; build it with --pack {}",
                       workload.message_bytes,
                       fmt::format("psw:value={}", std::bit_ceil(workload.message_bytes)));
  }
  return missing(engine, workload, graph.facts().symmetric);
}

namespace {

// Set for code that processes an answer, by who runs the workload.
unsigned threads_of_answer() {
#ifdef _OPENMP
  return static_cast<unsigned>(omp_get_max_threads());
#else
  return 1;
#endif
}

}  // namespace

void for_parts_of_answer(VertexId ids, const std::function<void(VertexId, VertexId)>& body) {
  constexpr std::size_t kGrain = 1 << 16;  // takes about as long as to start a thread
  Executor workers(ids > kGrain ? threads_of_answer() : 1);
  workers.parallel_for(0, ids, kGrain, [&](unsigned, std::size_t first, std::size_t last) {
    body(static_cast<VertexId>(first), static_cast<VertexId>(last));
  });
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

Verdict check_said(Verdict verdict, const Answer& answer, const char* name, double counted) {
  if (!verdict.passed || !answer.summary.is_object()) return verdict;
  const double said = answer.summary.at(name).get<double>();
  if (said == counted) return verdict;
  return {verdict.how, false, fmt::format("the summary says {} {}; it is {}", name, said, counted)};
}

template Verdict compare(const std::string&, const std::vector<std::uint32_t>&,
                         const std::vector<std::uint32_t>&);
template Verdict compare(const std::string&, const std::vector<float>&, const std::vector<float>&);

}  // namespace outcore
