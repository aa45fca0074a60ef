// SPDX-License-Identifier: Apache-2.0
// layout.json: choices and facts to JSON and back. Reading throws bad_input for versions, choices
// and values that this program does not know.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "storage/layout/layout.h"

namespace outcore {

nlohmann::json choices_json(const LayoutChoices& choices);
nlohmann::json facts_json(const LayoutFacts& facts);
// Checks the version first.
LayoutChoices choices_from_manifest(const nlohmann::json& manifest,
                                    const std::filesystem::path& path);
// The same without a look at the version.
LayoutChoices read_choices(const nlohmann::json& manifest, const std::filesystem::path& path);
LayoutFacts facts_from_manifest(const nlohmann::json& manifest, const std::filesystem::path& path);

}  // namespace outcore
