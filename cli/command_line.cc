// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <vector>

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
  add_plan(app);
  add_probe(app);
  add_race(app);
  add_run(app);
  add_symmetrise(app);
  add_trace(app);
}

// Throws when a verb or a long option is unknown, and lists those that exist. (CLI11 alone would
// report a misspelt verb as a missing one.)
void check_names(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* verb = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") return;
    if (word.starts_with("--")) {
      const std::string name = word.substr(0, word.find('='));
      if (verb->get_option_no_throw(name) != nullptr) continue;
      std::vector<std::string> known;
      for (const CLI::Option* option : verb->get_options()) {
        for (const std::string& long_name : option->get_lnames()) known.push_back("--" + long_name);
      }
      throw unknown_name("option of " + verb->get_name(), name, known);
    }
    if (verb->get_require_subcommand_min() == 0 || word.starts_with('-')) continue;
    const CLI::App* next = nullptr;
    std::vector<std::string> known;
    for (const CLI::App* below : verb->get_subcommands([](const CLI::App*) { return true; })) {
      known.push_back(below->get_name());
      if (below->get_name() == word) next = below;
    }
    if (next == nullptr) {
      throw unknown_name(verb == &app ? "verb" : "graph to " + verb->get_name(), word, known);
    }
    verb = next;
  }
}

// "run needs graph, --engine": everything that the given verb needs and did not get; CLI11 names
// only the first. Empty where the verb itself is missing.
std::string missing_options(const CLI::App& app) {
  const CLI::App* verb = &app;
  while (!verb->get_subcommands().empty()) verb = verb->get_subcommands().back();
  std::vector<std::string> missing;
  for (const CLI::Option* option : verb->get_options()) {
    if (option->get_required() && option->count() == 0) missing.push_back(option->get_name());
  }
  if (missing.empty()) return {};
  return fmt::format("{} needs {}", verb->get_name(), fmt::join(missing, ", "));
}

// Reports a failure in one line and returns its exit code.
int report(ExitCode code, const std::string& message) {
  std::fputs(fmt::format("outcore: {}\n", message).c_str(), stderr);  // fmt::print would throw
  return static_cast<int>(code);
}

// A full device may refuse the printed output only at this flush. After another failure that is not
// reported. The reason is known only if this flush fails, not if an earlier one did.
int code_with_output(int code) {
  const std::string why = std::fflush(stdout) == 0 ? "" : fmt::format(": {}", std::strerror(errno));
  if (code != static_cast<int>(ExitCode::ok) || std::ferror(stdout) == 0) return code;
  return report(ExitCode::io, "standard output could not be written" + why);
}

int run_verb(int argc, const char* const* argv) {
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
    check_names(app, argc, argv);
    app.parse(argc, argv);
    return static_cast<int>(ExitCode::ok);
  } catch (const CLI::RequiredError& e) {
    const std::string missing = missing_options(app);
    return report(ExitCode::usage, missing.empty()
                                       ? fmt::format("{}; --help lists them", e.what())
                                       : fmt::format("{}; --help explains them", missing));
  } catch (const CLI::ParseError& e) {  // --help and --version also throw, and exit with 0
    return app.exit(e) == 0 ? static_cast<int>(ExitCode::ok) : static_cast<int>(ExitCode::usage);
  } catch (const Error& e) {
    return report(e.code(), e.what());
  } catch (const std::filesystem::filesystem_error& e) {
    return report(ExitCode::io, io_error(e).what());
  } catch (const std::bad_alloc&) {
    return report(ExitCode::memory, "out of memory");
  } catch (const std::exception& e) {
    // Printing throws too when it fails; code_with_output() reports that.
    if (std::ferror(stdout) != 0) return static_cast<int>(ExitCode::ok);
    return report(ExitCode::internal, e.what());
  }
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  return code_with_output(run_verb(argc, argv));
}

}  // namespace outcore
