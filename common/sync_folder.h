// SPDX-License-Identifier: Apache-2.0
// Makes the names in a folder survive a power cut. Syncing a file keeps its bytes; its name is kept
// by syncing its folder.
#pragma once

#include <filesystem>

namespace outcore {

// Returns when the names in a folder are durable: what was created, renamed and removed there.
void sync_folder(const std::filesystem::path& folder);

}  // namespace outcore
