// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/open_layout.h"

#include "storage/layout/edges/edge_layout.h"
#include "storage/layout/layout.h"

namespace outcore {

std::unique_ptr<OpenedGraph> open_layout(const std::filesystem::path& folder) {
  if (holds_edges(folder)) return std::make_unique<EdgeLayout>(folder);
  return std::make_unique<Layout>(folder);
}

}  // namespace outcore
