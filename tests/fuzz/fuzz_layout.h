// SPDX-License-Identifier: Apache-2.0
// One input for the readers of containers and layouts: a small layout, built here, is changed as
// the bytes say, sealed again, and then checked, opened and read to its last edge. Each step may
// end with an Error or succeed, and what passes the check must be readable; anything else is a
// finding.
//
// Sealed again: checksums of blocks, and sizes and checksums of files, are updated to match the
// changes. Otherwise nothing would get past them, and an attacker can update them too.
//
// Bytes: pack, codec, options (choices_of() in fuzz_layout.cc), then changes of 8 bytes each: what,
// which file, where (u16), value (u32). Three bytes alone change nothing.
#pragma once

#include <filesystem>
#include <string_view>

#include "tests/fuzz/fuzz_import.h"

namespace outcore {

// `refused` means refused by the check. Works in `folder`, whose contents it replaces. Throws
// std::logic_error if reading refuses what the check accepted.
FuzzOutcome fuzz_layout(std::string_view bytes, const std::filesystem::path& folder);

// The number of packs and codecs that the first two bytes choose from.
std::size_t fuzzed_packs();
std::size_t fuzzed_codecs();

}  // namespace outcore
