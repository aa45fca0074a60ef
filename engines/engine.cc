// SPDX-License-Identifier: Apache-2.0
#include "engines/engine.h"

#include <atomic>

#include "common/error.h"

namespace outcore {

std::string to_string(Visibility visibility) {
  switch (visibility) {
    case Visibility::round:
      return "round";
    case Visibility::interval:
      return "interval";
    case Visibility::immediate:
      break;
  }
  return "immediate";
}

BackendOptions backend_options(const EngineOptions& options, unsigned depth) {
  BackendOptions backend;
  backend.depth = depth;
  backend.direct = options.direct;
  backend.fault_plan = options.fault_plan;
  backend.device = options.device;
  backend.gauge = options.gauge;
  return backend;
}

std::uint64_t Engine::edges_of(const Frontier& frontier) {
  std::atomic<std::uint64_t> edges{0};
  for_each_vertex([&](VertexRange range, std::span<const std::uint32_t> degrees) {
    std::uint64_t sum = 0;
    frontier.bits().for_each(range.begin, range.end,
                             [&](std::size_t v) { sum += degrees[v - range.begin]; });
    edges.fetch_add(sum, std::memory_order_relaxed);  // read when all ranges are through
  });
  return edges;
}

void Engine::for_each_range(const RangeFn& f) {
  for_each_vertex([&](VertexRange range, std::span<const std::uint32_t> /*degrees*/) { f(range); });
}

void Engine::heads(unsigned /*k*/, const HeadsFn& /*f*/) {
  throw usage_error("this engine keeps no heads; choose one that does: outcore list");
}

void Engine::drive(TaskProgram& /*program*/, std::span<const Task> /*tasks*/) {
  throw usage_error(
      "this engine does not drive dependent lists; choose one that does: outcore list");
}

}  // namespace outcore
