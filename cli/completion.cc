// SPDX-License-Identifier: Apache-2.0
// Completion of the command line, written from the verbs and the registries themselves.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/verbs.h"
#include "common/error.h"
#include "engines/engine.h"
#include "storage/cache/policies/policy.h"
#include "storage/io/backend.h"
#include "storage/layout/parts.h"
#include "workloads/workload.h"

namespace outcore {

namespace {

using Words = std::vector<std::string>;

Words names_of(const auto& entries) {
  Words names;
  for (const auto& entry : entries) names.push_back(entry.name);
  return names;
}

// What may follow an option, of those whose values have names.
std::map<std::string, Words> values_of_options() {
  Words policy_names;
  for (const PolicyKind* kind : policies()) policy_names.emplace_back(kind->name);
  return {{"--engine", names_of(engines())},
          {"--workload", names_of(workloads())},
          {"--backend", names_of(backends())},
          {"--number", names_of(number_parts())},
          {"--place", names_of(place_parts())},
          {"--pack", pack_names()},
          {"--codec", names_of(codec_parts())},
          {"--preset", names_of(layout_presets())},
          {"--policy", std::move(policy_names)},
          {"--weights", {"none", "hashed", "given"}},
          {"--device", {"hdd", "optane", "pcie", "sata"}}};
}

struct VerbWords {
  std::string name;
  std::string help;
  std::vector<std::pair<std::string, std::string>> options;  // "--engine", its help's first line
  Words kinds;                                               // what must follow: of generate
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

VerbWords words_of(const CLI::App& verb) {
  VerbWords words{verb.get_name(), verb.get_description(), {}, {}};
  const auto add_options = [&](const CLI::App& from) {
    for (const CLI::Option* option : from.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        const std::pair entry("--" + name, first_line(option->get_description()));
        if (std::find(words.options.begin(), words.options.end(), entry) == words.options.end()) {
          words.options.push_back(entry);
        }
      }
    }
  };
  add_options(verb);
  for (const CLI::App* kind : verb.get_subcommands([](const CLI::App*) { return true; })) {
    words.kinds.push_back(kind->get_name());
    add_options(*kind);
  }
  return words;
}

std::vector<VerbWords> all_verbs(const CLI::App& app) {
  std::vector<VerbWords> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    verbs.push_back(words_of(*verb));
  }
  return verbs;
}

Words options_of(const VerbWords& verb) {
  Words names;
  for (const auto& [name, help] : verb.options) names.push_back(name);
  return names;
}

std::string in_bash(const std::vector<VerbWords>& verbs) {
  Words names;
  std::string cases;
  for (const auto& [option, values] : values_of_options()) {
    cases += fmt::format("    *:{}) words='{}' ;;\n", option, fmt::join(values, " "));
  }
  for (const VerbWords& verb : verbs) {
    names.push_back(verb.name);
    if (!verb.kinds.empty()) {
      cases += fmt::format("    {0}:{0}) words='{1}' ;;\n", verb.name, fmt::join(verb.kinds, " "));
    }
    cases += fmt::format("    {}:*) [[ $word != -* ]] || words='{}' ;;\n", verb.name,
                         fmt::join(options_of(verb), " "));
  }
  return fmt::format(
      R"(# Completion of outcore in bash: source <(outcore completion bash)
_outcore() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=
  ((COMP_CWORD == 1)) && before=
  case ${{COMP_CWORD}}:$before in
    1:) words='help {}' ;;
    *:--layout) words=$(command ls "${{COMP_WORDS[2]}}/layouts" 2>/dev/null) ;;
  esac
  [[ $words ]] || case ${{COMP_WORDS[1]}}:$before in
{}  esac
  COMPREPLY=()
  [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}}
complete -o default -F _outcore outcore
)",
      fmt::join(names, " "), cases);
}

// In single quotes, as zsh and fish read them; `extra` is escaped too.
std::string quoted(const std::string& text, char extra = '\0') {
  std::string safe;
  for (const char c : text) {
    if (c == '\'') {
      safe += "'\\''";
    } else {
      if (c == extra) safe += '\\';
      safe += c;
    }
  }
  return "'" + safe + "'";
}

std::string in_zsh(const std::vector<VerbWords>& verbs) {
  std::string names;
  std::string values;
  std::string options;
  for (const VerbWords& verb : verbs) {
    names += fmt::format(" {}", quoted(verb.name + ":" + verb.help));
    if (!verb.kinds.empty()) {
      values +=
          fmt::format("    {}) compadd {}; return ;;\n", verb.name, fmt::join(verb.kinds, " "));
    }
    options += fmt::format("    {}) options=(", verb.name);
    for (const auto& [name, help] : verb.options) {
      options += fmt::format("{} ", quoted(fmt::format("{}:{}", name, help)));
    }
    options += ") ;;\n";
  }
  for (const auto& [option, known] : values_of_options()) {
    values += fmt::format("    {}) compadd {}; return ;;\n", option, fmt::join(known, " "));
  }
  return fmt::format(
      R"(#compdef outcore
# Completion of outcore in zsh: source <(outcore completion zsh)
_outcore() {{
  local -a verbs options
  verbs=('help:List the verbs'{})
  if ((CURRENT == 2)); then
    _describe verb verbs
    return
  fi
  case $words[CURRENT-1] in
    --layout) compadd -- $words[3]/layouts/*(N:t); return ;;
{}  esac
  if [[ $words[CURRENT] != -* ]]; then
    _files
    return
  fi
  case $words[2] in
{}  esac
  _describe option options
}}
if [[ $funcstack[1] == _outcore ]]; then _outcore; else compdef _outcore outcore; fi
)",
      names, values, options);
}

// fish has a backslash before a quote within single quotes.
std::string fish_quoted(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\'' || c == '\\') safe += '\\';
    safe += c;
  }
  return "'" + safe + "'";
}

std::string in_fish(const std::vector<VerbWords>& verbs) {
  const auto values = values_of_options();
  std::string text =
      "# Completion of outcore in fish: outcore completion fish | source\n"
      "complete -c outcore -n __fish_use_subcommand -f -a help -d 'List the verbs'\n";
  for (const VerbWords& verb : verbs) {
    text += fmt::format("complete -c outcore -n __fish_use_subcommand -f -a {} -d {}\n", verb.name,
                        fish_quoted(verb.help));
    const std::string within = fmt::format("-n '__fish_seen_subcommand_from {}'", verb.name);
    if (!verb.kinds.empty()) {
      text += fmt::format("complete -c outcore {} -a '{}'\n", within, fmt::join(verb.kinds, " "));
    }
    for (const auto& [name, help] : verb.options) {
      text += fmt::format("complete -c outcore {} -l {} -d {}", within, name.substr(2),
                          fish_quoted(help));
      if (const auto known = values.find(name); known != values.end()) {
        text += fmt::format(" -x -a '{}'", fmt::join(known->second, " "));
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace

void add_completion(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("completion", "Print what completes words in a shell");
  verb->add_option("shell", *shell, "bash, zsh or fish")->required();
  verb->footer(
      "Example: source <(outcore completion bash)\n"
      "To have it in every shell, put that line into ~/.bashrc (or with zsh into ~/.zshrc, behind\n"
      "compinit); with fish, write it to ~/.config/fish/completions/outcore.fish.");
  verb->callback([shell, &app] {
    const std::vector<VerbWords> verbs = all_verbs(app);
    if (*shell == "bash") {
      fmt::print("{}", in_bash(verbs));
    } else if (*shell == "zsh") {
      fmt::print("{}", in_zsh(verbs));
    } else if (*shell == "fish") {
      fmt::print("{}", in_fish(verbs));
    } else {
      throw unknown_name("shell", *shell, {"bash", "zsh", "fish"});
    }
  });
}

}  // namespace outcore
