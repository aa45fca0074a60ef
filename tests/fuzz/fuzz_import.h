// SPDX-License-Identifier: Apache-2.0
// One input for one reader, for libFuzzer and for the replay in replay_test.cc: the bytes become
// files, which are imported. That may end with an Error, or with a container in which every
// invariant holds; anything else is a finding.
//
// For formats with several files, the bytes are those files one after the other, separated by a
// zero byte: .properties and .graph for webgraph; .properties, .v and .e for graphalytics.
//
// Call limit_file_sizes() first: a few bytes may describe a graph of billions of vertices.
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

// Limits files of this process to 1 MiB, beyond which writes fail: inputs are small, but a single
// large id would cause columns of gigabytes to be written.
void limit_file_sizes();

}  // namespace outcore
