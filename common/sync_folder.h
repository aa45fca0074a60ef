// SPDX-License-Identifier: Apache-2.0
// What it takes for names to survive a power cut. A file that is synced has its bytes; that it is
// in its folder, under its name, is the folder's to keep.
#pragma once

#include <filesystem>

namespace outcore {

// Returns when the names in a folder are durable: what was created, renamed and removed there.
void sync_folder(const std::filesystem::path& folder);

}  // namespace outcore
