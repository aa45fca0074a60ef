// SPDX-License-Identifier: Apache-2.0
#include "engines/engine.h"

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
  backend.in_flight = options.in_flight;
  return backend;
}

void Engine::heads(unsigned /*k*/, const HeadsFn& /*f*/) {
  throw usage_error("this engine keeps no heads; choose one that does: outcore list");
}

void Engine::drive(TaskProgram& /*program*/, std::span<const Task> /*tasks*/) {
  throw usage_error(
      "this engine does not drive dependent lists; choose one that does: outcore list");
}

}  // namespace outcore
