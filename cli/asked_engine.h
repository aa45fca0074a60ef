// SPDX-License-Identifier: Apache-2.0
// The engine that a record says was asked for.
#pragma once

#include <nlohmann/json.hpp>

#include "engines/traits.h"

namespace outcore {

// `asked` is the record's, with "engine" and "settings".
EngineTraits traits_asked_for(const nlohmann::json& asked);

}  // namespace outcore
