// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/python.h"

#include <fmt/format.h>

#include <cstdlib>

#include "common/error.h"
#include "common/own_program.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

constexpr int kNoPyarrow = 77;  // the scripts' exit code

// It ends with os._exit: a thread of Arrow's may still hold the file object that was read. If it
// lets go of it while the interpreter shuts down, Python ends that thread inside a C++ destructor,
// and the process aborts ("terminate called without an active exception"), after the table was
// written and closed.
const char* const kWriteParquet = R"(
import os, sys
try:
    import pyarrow.csv
    import pyarrow.parquet
except ImportError:
    sys.exit(77)
path, vertex, value = sys.argv[1:]
types = {"vertex": vertex, "value": value}
options = pyarrow.csv.ConvertOptions(column_types=types)
table = pyarrow.csv.read_csv(sys.stdin.buffer, convert_options=options)
pyarrow.parquet.write_table(table, path)
os._exit(0)
)";

}  // namespace

std::string python_program() {
  if (const char* const named = std::getenv("OUTCORE_PYTHON")) return named;
  std::error_code error;
  const fs::path own = own_checkout() / ".venv" / "bin" / "python";
  return fs::exists(own, error) ? own.string() : "python3";
}

std::vector<std::string> python_command(const char* script, const std::vector<std::string>& words) {
  std::vector<std::string> command = {python_program(), "-c", script};
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

void check_python(const ChildProcess::Ended& ended, const fs::path& file) {
  if (ended.code == 0) return;
  if (ended.code == kNoPyarrow) {
    throw usage_error(fmt::format(
        "{}: Parquet and Arrow files need Python's pyarrow, which {} does not have; install it "
        "(make setup, or pip install pyarrow), or name a Python that has it in OUTCORE_PYTHON",
        file.string(), python_program()));
  }
  throw Error(ExitCode::bad_input, fmt::format("{}: {}", file.string(), ended.said));
}

void write_parquet(int csv, const fs::path& parquet, bool named, const std::string& value_type) {
  ChildProcess child(
      python_command(kWriteParquet, {parquet.string(), named ? "string" : "uint64", value_type}),
      csv);
  check_python(child.wait(), parquet);
}

}  // namespace outcore
