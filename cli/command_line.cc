// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "cli/environment.h"
#include "cli/verbs.h"
#include "cli/wrapped.h"
#include "common/error.h"
#include "common/terminal.h"
#include "common/version.h"

namespace outcore {

namespace {

struct Verb {
  std::string_view name;
  void (*add)(CLI::App& app);
};

constexpr Verb kVerbs[] = {
    {"cachesim", add_cachesim},
    {"check", add_check},
    {"completion", add_completion},
    {"export", add_export},
    {"freeze", add_freeze},
    {"generate", add_generate},
    {"import", add_import},
    {"ingest", add_ingest},
    {"inspect", add_inspect},
    {"layout", add_layout},
    {"list", add_list},
    {"man", add_man},
    {"plan", add_plan},
    {"probe", add_probe},
    {"query", add_query},
    {"race", add_race},
    {"run", add_run},
    {"stream", add_stream},
    {"symmetrise", add_symmetrise},
    {"trace", add_trace},
    {"verify", add_verify},
};

// Adds the verb that is asked for alone, because describing the options of all takes longer than
// many a run's start. Help, and the verbs that tell about the others, need all of them.
void add_verbs(CLI::App& app, std::string_view asked) {
  const bool tells_of_others = asked == "completion" || asked == "man";
  const auto* const one = std::ranges::find(kVerbs, asked, &Verb::name);
  if (one != std::end(kVerbs) && !tells_of_others) return one->add(app);
  for (const Verb& verb : kVerbs) verb.add(app);
}

// What every verb has, beside its own: --quiet, and options that the environment may set.
void add_common_options(CLI::App& verb) {
  const auto below = verb.get_subcommands([](const CLI::App*) { return true; });
  for (CLI::App* next : below) add_common_options(*next);
  if (!below.empty()) return;
  verb.add_flag_function(
          "-q,--quiet", [](std::int64_t times) { set_quiet(times > 0); },
          "Say nothing on stderr but errors: no progress, no remarks")
      ->envname(environment_name("quiet"));
  for (const char* name : kFromEnvironment) {
    CLI::Option* option = verb.get_option_no_throw(std::string("--") + name);
    if (option != nullptr) option->envname(environment_name(name));
  }
}

// As other programs understand them: `help`, `help VERB...` and `version` are options here. No
// words at all ask for help too.
std::vector<std::string> as_options(std::vector<std::string> words) {
  if (words.empty()) return {"--help"};
  if (words.front() == "version") words.front() = "--version";
  if (words.front() != "help") return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

// Throws when a verb or a long option is unknown, and lists those that exist. (CLI11 alone would
// report a misspelt verb as a missing one.)
void check_names(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* verb = &app;
  for (const std::string& word : words) {
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
  // By fputs: where stderr is full there is no exception.
  std::fputs(fmt::format("{}{}\n", error_prefix(), message).c_str(), stderr);
  return static_cast<int>(code);
}

// A full device may refuse the printed output only at this flush. After another failure that is not
// reported. The reason is known only if this flush fails, not if an earlier one did.
int code_with_output(int code) {
  const std::string why = std::fflush(stdout) == 0 ? "" : fmt::format(": {}", std::strerror(errno));
  if (code != static_cast<int>(ExitCode::ok) || std::ferror(stdout) == 0) return code;
  return report(ExitCode::io, "standard output could not be written" + why);
}

int run_verb(const std::vector<std::string>& words) {
  set_quiet(false);
  CLI::App app("outcore: execution models for graphs larger than memory, side by side", "outcore");
  app.set_version_flag("-V,--version", fmt::format("outcore {} ({})", version(), git_commit()));
  app.require_subcommand(1);
  app.formatter(std::make_shared<WrappedHelp>());  // verbs have it too, if they are added later
  app.footer(
      "From nothing to blocks on disk:\n"
      "  outcore generate kronecker --scale 16 --symmetric graphs/kron16\n"
      "  outcore layout graphs/kron16 --preset cave\n"
      "  outcore inspect graphs/kron16\n"
      "'outcore VERB --help' shows a verb's options and an example; 'outcore man VERB' is its "
      "manual page.");
  add_verbs(app, words.empty() ? std::string_view() : words.front());
  for (CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    add_common_options(*verb);
  }
  try {
    check_names(app, words);
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // from the end
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
  return code_with_output(run_verb(as_options({argv + 1, argv + argc})));
}

}  // namespace outcore
