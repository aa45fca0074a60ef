// SPDX-License-Identifier: Apache-2.0
// Python's pyarrow reads and writes Parquet and Arrow, for which Debian has no C++ library.
//
// The program is the one that OUTCORE_PYTHON names, else the one in .venv of the checkout that this
// binary was built in, else python3. A script reports an error with its exit code and its last line
// on stderr.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/child_process.h"

namespace outcore {

// That program.
std::string python_program();

// The command that runs a script of columnar.cc with `words` as its arguments.
std::vector<std::string> python_command(const char* script, const std::vector<std::string>& words);

// Throws if a script failed: bad_input for `file` with its message, or a usage Error that says what
// to install if pyarrow is missing.
void check_python(const ChildProcess::Ended& ended, const std::filesystem::path& file);

// Turns the table "vertex,value" in the open file `csv` into the Parquet file `parquet`. `named`:
// the vertices are strings. `value_type`: Arrow's name of the type: string, uint32, uint64 or
// float.
void write_parquet(int csv, const std::filesystem::path& parquet, bool named,
                   const std::string& value_type);

}  // namespace outcore
