// SPDX-License-Identifier: Apache-2.0
// The advice for a user who has no suitable layout.
#pragma once

#include <filesystem>
#include <string>

#include "storage/layout/choices.h"

namespace outcore {

// "for --layout csr-heads2 build one with: outcore layout 'my graph' --pack csr --heads 2"; or, if
// the graph has such a layout, "use --layout csr-heads2".
std::string how_to_have(const std::filesystem::path& graph, const LayoutChoices& choices);

// The graph's folder that contains this layout's folder.
std::filesystem::path graph_of_layout(const std::filesystem::path& layout);

}  // namespace outcore
