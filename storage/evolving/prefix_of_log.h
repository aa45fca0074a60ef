// SPDX-License-Identifier: Apache-2.0
// Which of a durable store's first updates can be opened: runs do not tell theirs apart.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "storage/evolving/durable/durable_store.h"

namespace outcore::evolving {

// How many of the log's updates belong to the prefix, or all. Throws a usage Error for a prefix
// beyond the store's updates, or before those that runs hold together.
std::uint64_t prefix_of_log(const DurableStore& store, const std::filesystem::path& folder,
                            std::optional<std::uint64_t> prefix);

}  // namespace outcore::evolving
