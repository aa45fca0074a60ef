// SPDX-License-Identifier: Apache-2.0
// Python's pyarrow reads and writes what no C++ library of Debian does: Parquet and Arrow.
//
// The program is the one that OUTCORE_PYTHON names, else that of the checkout that this binary was
// built in (.venv), else python3. What its scripts have to say ends with their exit code.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/child_process.h"

namespace outcore {

// A script of columnar.cc, which gets `words` as its arguments.
std::vector<std::string> python_command(const char* script, const std::vector<std::string>& words);

// Throws for a script that did not end well: bad_input for `file` with what it said, a usage Error
// that says what to install where pyarrow is missing.
void check_python(const ChildProcess::Ended& ended, const std::filesystem::path& file);

// The table "vertex,value" in the open file `csv` becomes the Parquet file `parquet`. `named`: the
// vertices are strings; `value_type`: Arrow's name of it, string, uint32, uint64 or float.
void write_parquet(int csv, const std::filesystem::path& parquet, bool named,
                   const std::string& value_type);

}  // namespace outcore
