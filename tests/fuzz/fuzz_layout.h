// SPDX-License-Identifier: Apache-2.0
// One input for the readers of containers and layouts: a small layout, built here, is changed as
// the bytes say, sealed anew, and then checked, opened and read to its last edge. Each step may end
// with an Error or answer, and what passes the check must answer; anything else is a finding.
//
// Sealed anew: sums of blocks, sizes and checksums of files are made to agree with what was
// changed, for otherwise nothing would get past them, and whoever means harm can do so too.
//
// Bytes: pack, codec, options (choices_of() in fuzz_layout.cc), then changes of 8 bytes each:
// what, which file, where (u16), value (u32). Three bytes alone change nothing.
#pragma once

#include <filesystem>
#include <string_view>

#include "tests/fuzz/fuzz_import.h"

namespace outcore {

// Refused: by the check. Works in `folder`, whose contents it replaces. Throws std::logic_error
// when reading refuses what the check let pass.
FuzzOutcome fuzz_layout(std::string_view bytes, const std::filesystem::path& folder);

// How many packs and codecs the first two bytes choose from.
std::size_t fuzzed_packs();
std::size_t fuzzed_codecs();

}  // namespace outcore
