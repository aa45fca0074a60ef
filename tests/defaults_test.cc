// SPDX-License-Identifier: Apache-2.0
// Everything that declares parameters declares defaults that a user may also write.
#include <gtest/gtest.h>

#include "engines/engine.h"
#include "storage/io/backend.h"
#include "storage/layout/parts.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

void expect_defaults_are_allowed(const std::string& owner, std::span<const Parameter> declared) {
  for (const Parameter& parameter : declared) {
    EXPECT_FALSE(parameter.help.empty()) << owner << " " << parameter.name;
    const std::vector<std::string> same = {parameter.name + "=" + parameter.fallback};
    EXPECT_EQ(Parameters(owner, declared, same), Parameters(declared)) << owner;
  }
}

TEST(Defaults, AreWhatTheirParametersAllow) {
  for (const EngineEntry& engine : engines()) {
    expect_defaults_are_allowed(engine.name, engine.parameters);
  }
  for (const BackendEntry& backend : backends()) {
    expect_defaults_are_allowed(backend.name, backend.parameters);
  }
  for (const Workload& workload : workloads()) {
    expect_defaults_are_allowed(workload.name, workload.parameters);
  }
  for (const std::string& pack : pack_names()) {
    expect_defaults_are_allowed(pack, pack_parameters(pack));
  }
}

}  // namespace
}  // namespace outcore
