// SPDX-License-Identifier: Apache-2.0
// Checks everything in a graph's folder for damage: the container and each of its layouts.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace outcore {

// Combines check_container (container.h) and check_layout (layout.h). Throws bad_input for the
// first broken place, also if a layout lost its layout.json or was built from another graph. Calls
// `held` with a line for each invariant as soon as it has been found to hold.
void check_graph(const std::filesystem::path& folder,
                 const std::function<void(const std::string&)>& held);

}  // namespace outcore
