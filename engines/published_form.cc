// SPDX-License-Identifier: Apache-2.0
#include "engines/published_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace outcore {

namespace {

constexpr const char* kForm = "form";
constexpr const char* kPublished = "published";

std::pair<std::string, std::string> cut_assignment(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  return {assignment.substr(0, equals), assignment.substr(equals + 1)};
}

}  // namespace

std::map<std::string, std::string> PublishedForm::knobs() const {
  std::map<std::string, std::string> knobs;
  for (const std::string& assignment : settings) knobs.insert(cut_assignment(assignment));
  if (max_request) knobs["max-request"] = fmt::format("{}K", *max_request / 1024);
  if (!backend.empty()) knobs["backend"] = backend;
  return knobs;
}

bool is_published(const Parameters& settings) {
  return settings.has(kForm) && settings.text(kForm) == kPublished;
}

Parameter form_parameter(const PublishedForm& published) {
  std::string named;
  for (const std::string& assignment : published.settings) named += assignment + ", ";
  if (!published.backend.empty()) named += fmt::format("--backend {}, ", published.backend);
  if (published.max_request) {
    named += fmt::format("--max-request {}, ", published.knobs().at("max-request"));
  }
  return {.name = kForm,
          .fallback = "usual",
          .help = fmt::format("knobs that are not given: as listed here, or as the program of the "
                              "paper has them: {}and the others as here",
                              named),
          .choices = {"usual", kPublished}};
}

std::vector<Parameter> with_published_defaults(std::vector<Parameter> declared,
                                               const PublishedForm& published) {
  for (const std::string& assignment : published.settings) {
    const auto [name, value] = cut_assignment(assignment);
    const auto at = std::find_if(declared.begin(), declared.end(),
                                 [&, &name = name](const Parameter& p) { return p.name == name; });
    if (at == declared.end()) throw std::logic_error("no parameter is declared as '" + name + "'");
    at->fallback = value;
  }
  return declared;
}

}  // namespace outcore
