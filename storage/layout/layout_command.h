// SPDX-License-Identifier: Apache-2.0
// What somebody is told who has no layout that will do.
#pragma once

#include <filesystem>
#include <string>

#include "storage/layout/choices.h"

namespace outcore {

// "for --layout csr-heads2 build one with: outcore layout 'my graph' --pack csr --heads 2", or, if
// the graph has such a layout: "take --layout csr-heads2".
std::string how_to_have(const std::filesystem::path& graph, const LayoutChoices& choices);

// The folder of the graph that a layout's folder is in.
std::filesystem::path graph_of_layout(const std::filesystem::path& layout);

}  // namespace outcore
