// SPDX-License-Identifier: Apache-2.0
// Opens a layout of whatever kind its folder holds.
#pragma once

#include <filesystem>
#include <memory>

#include "storage/layout/opened_graph.h"

namespace outcore {

// Throws bad_input like the constructors of Layout and EdgeLayout.
std::unique_ptr<OpenedGraph> open_layout(const std::filesystem::path& folder);

}  // namespace outcore
