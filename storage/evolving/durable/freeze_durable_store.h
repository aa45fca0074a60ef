// SPDX-License-Identifier: Apache-2.0
// Writes a durable store, as it is now, as a container: the graph that `outcore import` makes of
// its first P updates. Ingestion may go on meanwhile.
#pragma once

#include <filesystem>

#include "storage/container/builder.h"
#include "storage/evolving/freeze.h"

namespace outcore::evolving {

// Throws as StoreView and ContainerBuilder do; bad_input if no edge is left.
BuildCounts freeze_durable_store(const std::filesystem::path& store,
                                 const std::filesystem::path& graph, const FreezeOptions& options);

}  // namespace outcore::evolving
