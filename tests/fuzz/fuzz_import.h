// SPDX-License-Identifier: Apache-2.0
// One input for one reader, for libFuzzer and for the replay in replay_test.cc: the bytes become
// files, which are imported. That may end with an Error, or with a container in which every
// invariant holds; anything else is a finding.
//
// The bytes of formats of several files are those files one after the other, with a zero byte
// between them: .properties and .graph of webgraph, .properties, .v and .e of graphalytics.
//
// Call limit_file_sizes() before: a few bytes may well stand for a graph of billions of vertices.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace outcore {

// What fuzz_import takes: a file's ending, which names the reader ("el", "el.gz", "sg" ...).
const std::vector<std::string>& fuzzed_endings();

enum class FuzzOutcome { refused, imported };
// Works in `folder`, whose contents it replaces.
FuzzOutcome fuzz_import(const std::string& ending, std::string_view bytes,
                        const std::filesystem::path& folder);

// To 1 MiB for this process, beyond which writes fail: inputs are small, but one large id would
// have columns of gigabytes written.
void limit_file_sizes();

}  // namespace outcore
