// SPDX-License-Identifier: Apache-2.0
// Everything of a graph's folder, checked for damage: the container and each of its layouts.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace outcore {

// As check_container (container.h) and check_layout (layout.h). Throws bad_input that names the
// first broken place, also where a layout lost its layout.json or was built of another graph. Calls
// `held` with a line for each invariant that held, as soon as it did.
void check_graph(const std::filesystem::path& folder,
                 const std::function<void(const std::string&)>& held);

}  // namespace outcore
