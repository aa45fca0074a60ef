// SPDX-License-Identifier: Apache-2.0
// Checks where the user wants files to be written; refuses paths whose writing would destroy
// something else.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace outcore {

struct OutputPath {
  std::string option;          // the option that names it: "--record"
  std::filesystem::path path;  // empty: the option was not given
};

// Throws a usage Error when a path cannot be a file's (file_to_write() in common/files.h), lies in
// a folder that does not exist, belongs to a file of a graph, or is given twice. Call it before any
// other work; it changes nothing itself.
void check_output_paths(const std::vector<OutputPath>& outputs);

}  // namespace outcore
