// SPDX-License-Identifier: Apache-2.0
// Where the user wants files to be written: refused is what would destroy something else.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace outcore {

struct OutputPath {
  std::string option;          // who names it: "--record"
  std::filesystem::path path;  // empty: not asked for
};

// Throws a usage Error where a path cannot be a file's (common/files.h, file_to_write), lies in a
// folder that is not there, is that of a file of any graph, or is given twice. To be asked before
// anything is done; does nothing itself.
void check_output_paths(const std::vector<OutputPath>& outputs);

}  // namespace outcore
