// SPDX-License-Identifier: Apache-2.0
#include "cli/asked_engine.h"

#include "engines/engine.h"

namespace outcore {

EngineTraits traits_asked_for(const nlohmann::json& asked) {
  const EngineEntry& engine = find_engine(asked.at("engine"));
  std::vector<std::string> assignments;
  const nlohmann::json settings = asked.value("settings", nlohmann::json::object());
  for (const auto& [name, value] : settings.items()) {
    assignments.push_back(name + "=" + value.get<std::string>());
  }
  return engine.with(engine.settings(assignments)).traits;
}

}  // namespace outcore
