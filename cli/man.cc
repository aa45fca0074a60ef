// SPDX-License-Identifier: Apache-2.0
// Manual pages, written from what --help says.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>

#include "cli/verbs.h"
#include "common/error.h"
#include "common/version.h"

namespace outcore {

namespace {

// As troff prints it unchanged.
std::string escaped(std::string_view text) {
  std::string safe;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) safe += "\\&";
    if (c == '\\') {
      safe += "\\e";
    } else if (c == '-') {
      safe += "\\-";
    } else {
      safe += c;
    }
    begins = c == '\n';
  }
  return safe;
}

// Printed unchanged, with its line breaks.
std::string verbatim(const std::string& text) {
  return text.empty() ? std::string() : fmt::format(".nf\n{}\n.fi\n", escaped(text));
}

std::string title(const std::string& page, const std::string& what) {
  return fmt::format(".TH {0} 1 \"\" \"outcore {1}\" \"Outcore\"\n.SH NAME\n{2} \\- {3}\n",
                     escaped(page), version(), escaped(page), escaped(what));
}

std::string option_text(const CLI::Option& option) {
  const std::string names = option.get_name(option.get_positional(), true);
  std::string text =
      fmt::format(".TP\n.B {}\n{}", escaped(names), escaped(option.get_description()));
  if (!option.get_default_str().empty()) {
    text += escaped(fmt::format(" [{}]", option.get_default_str()));
  }
  if (!option.get_envname().empty()) text += escaped(fmt::format(" ({})", option.get_envname()));
  return text + "\n";
}

std::string options_text(const CLI::App& verb) {
  std::string text;
  for (const CLI::Option* option : verb.get_options()) text += option_text(*option);
  return text;
}

constexpr const char* kExitCodes =
    ".SH EXIT STATUS\n0: all is well. 1: a fault in outcore. 2: the command line asks for what "
    "cannot be. 3: a file is not what it should be. 4: the device or the system refused. 5: wrong "
    "answer. 6: memory limit hit. 130: interrupted. 128 + n: ended by signal n.\n";

std::string page_of(const CLI::App& verb) {
  const std::string page = "outcore-" + verb.get_name();
  std::string text = title(page, verb.get_description());
  text += fmt::format(".SH SYNOPSIS\n.B outcore {}\n", escaped(verb.get_name()));
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_positional()) text += fmt::format(".I {}\n", escaped(option->get_name(true)));
  }
  text += "[options]\n.SH OPTIONS\n" + options_text(verb);
  for (const CLI::App* kind : verb.get_subcommands([](const CLI::App*) { return true; })) {
    text += fmt::format(".SS {} {}\n{}.\n{}", escaped(verb.get_name()), escaped(kind->get_name()),
                        escaped(kind->get_description()), options_text(*kind));
  }
  return text + ".SH NOTES\n" + verbatim(verb.get_footer()) + kExitCodes +
         ".SH SEE ALSO\n.BR outcore (1)\n";
}

std::string main_page(const CLI::App& app) {
  std::string text = title("outcore", app.get_description());
  text += ".SH SYNOPSIS\n.B outcore\n.I verb\n[options]\n.SH VERBS\n";
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    text += fmt::format(".TP\n.B {}\n{}\n", escaped(verb->get_name()),
                        escaped(verb->get_description()));
  }
  text += ".SH NOTES\n" + verbatim(app.get_footer());
  text +=
      ".SH ENVIRONMENT\n"
      ".TP\n.B OUTCORE_BACKEND, OUTCORE_FRAMES, OUTCORE_MEMORY, OUTCORE_THREADS, OUTCORE_QUIET\n"
      "Stand for the options of these names, where the command line does not have them.\n"
      ".TP\n.B OUTCORE_DEVICES\n"
      "The folder of probes and modelled devices.\n"
      ".TP\n.B NO_COLOR\nNo colour, also on a terminal.\n";
  return text + kExitCodes;
}

}  // namespace

void add_man(CLI::App& app) {
  const auto name = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("man", "Print the manual page of a verb, or of outcore");
  verb->add_option("verb", *name, "A verb; default: the page of outcore itself");
  verb->footer("Example: outcore man run | man -l -");
  verb->callback([name, &app] {
    if (name->empty()) {
      fmt::print("{}", main_page(app));
      return;
    }
    std::vector<std::string> known;
    for (const CLI::App* other : app.get_subcommands([](const CLI::App*) { return true; })) {
      known.push_back(other->get_name());
      if (other->get_name() != *name) continue;
      fmt::print("{}", page_of(*other));
      return;
    }
    throw unknown_name("verb", *name, known);
  });
}

}  // namespace outcore
