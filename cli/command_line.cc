// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "cli/verbs.h"
#include "common/error.h"
#include "common/version.h"

namespace outcore {

namespace {

void add_verbs(CLI::App& app) {
  add_cachesim(app);
  add_check(app);
  add_export(app);
  add_generate(app);
  add_import(app);
  add_inspect(app);
  add_layout(app);
  add_list(app);
  add_run(app);
  add_trace(app);
}

// Reports a failure in one line and gives its exit code.
int report(ExitCode code, const std::string& message) {
  fmt::print(stderr, "outcore: {}\n", message);
  return static_cast<int>(code);
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  CLI::App app("outcore: execution models for graphs larger than memory, side by side", "outcore");
  app.set_version_flag("--version", fmt::format("outcore {} ({})", version(), git_commit()));
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.footer(
      "From nothing to blocks on disk:\n"
      "  outcore generate kronecker --scale 16 --symmetric graphs/kron16\n"
      "  outcore layout graphs/kron16 --preset cave\n"
      "  outcore inspect graphs/kron16\n"
      "'outcore VERB --help' shows a verb's options and an example.");
  add_verbs(app);
  try {
    app.parse(argc, argv);
    return static_cast<int>(ExitCode::ok);
  } catch (const CLI::ParseError& e) {  // also --help and --version, which exit with 0
    return app.exit(e) == 0 ? static_cast<int>(ExitCode::ok) : static_cast<int>(ExitCode::usage);
  } catch (const Error& e) {
    return report(e.code(), e.what());
  } catch (const std::bad_alloc&) {
    return report(ExitCode::memory, "out of memory");
  } catch (const std::exception& e) {
    return report(ExitCode::internal, e.what());
  }
}

}  // namespace outcore
