// SPDX-License-Identifier: Apache-2.0
#include "common/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "common/error.h"
#include "common/named.h"
#include "common/parse_number.h"

namespace outcore {

namespace {

using Kind = Parameter::Kind;

bool allows(const Parameter& parameter, const std::string& text) {
  const auto& choices = parameter.choices;
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return true;
  switch (parameter.kind) {
    case Kind::text:
      return choices.empty();
    case Kind::vertex:
      return choices.empty() || parse_number<std::uint64_t>(text);
    case Kind::whole:
    case Kind::real:
      break;
  }
  if (parameter.kind == Kind::whole && !parse_number<std::uint64_t>(text)) return false;
  const auto number = parse_number<double>(text);
  // NaN lies in no range.
  return number && *number >= parameter.least && *number <= parameter.most;
}

// Name and value of "name=value".
std::pair<std::string, std::string> checked(const std::string& owner,
                                            std::span<const Parameter> declared,
                                            const std::string& assignment) {
  if (declared.empty()) {
    throw usage_error(fmt::format("{} takes no parameters, but '{}' was given", owner, assignment));
  }
  const std::size_t equals = assignment.find('=');
  const Parameter& parameter =
      find_named("parameter of " + owner, declared, assignment.substr(0, equals));
  if (equals == std::string::npos) {
    throw usage_error(fmt::format("{}: '{}' has no value; write {}={}", owner, assignment,
                                  parameter.name, parameter.fallback));
  }
  const std::string text = assignment.substr(equals + 1);
  if (!allows(parameter, text)) {
    throw usage_error(fmt::format("{}: {}: expected {}{}", owner, assignment, parameter.expected(),
                                  did_you_mean(text, parameter.choices)));
  }
  // "08" becomes "8", so that records and names of layouts agree.
  const auto number = parse_number<std::uint64_t>(text);
  const bool whole = parameter.kind == Kind::whole && number;
  return {parameter.name, whole ? std::to_string(*number) : text};
}

}  // namespace

std::string Parameter::expected() const {
  const std::string words = fmt::format("{}", fmt::join(choices, ", "));
  if (kind == Kind::text) return choices.empty() ? "" : "one of " + words;
  const std::string before = choices.empty() ? "" : words + ", or ";
  if (kind == Kind::vertex) return choices.empty() ? "" : before + "a vertex id";
  return fmt::format("{}a {}number from {} to {}", before, kind == Kind::whole ? "whole " : "",
                     least, most);
}

std::string Parameter::full_help() const {
  return expected().empty() ? help : fmt::format("{} ({})", help, expected());
}

Parameters::Parameters(std::span<const Parameter> declared) {
  for (const Parameter& parameter : declared) {
    values_.push_back({parameter.name, parameter.fallback, parameter.fallback});
  }
}

Parameters::Parameters(const std::string& owner, std::span<const Parameter> declared,
                       const std::vector<std::string>& assignments)
    : Parameters(declared) {
  for (const std::string& assignment : assignments) {
    const auto [name, text] = checked(owner, declared, assignment);
    for (Value& value : values_) {
      if (value.name == name) value.text = text;
    }
  }
}

const Parameters::Value* Parameters::find(const std::string& name) const {
  const auto at = std::find_if(values_.begin(), values_.end(),
                               [&](const Value& value) { return value.name == name; });
  return at == values_.end() ? nullptr : &*at;
}

const std::string& Parameters::text(const std::string& name) const {
  const Value* const value = find(name);
  if (value == nullptr) throw std::logic_error("no parameter is declared as '" + name + "'");
  return value->text;
}

std::uint64_t Parameters::whole(const std::string& name) const {
  return parse_number<std::uint64_t>(text(name)).value();
}

double Parameters::real(const std::string& name) const {
  return parse_number<double>(text(name)).value();
}

Parameters Parameters::or_defaults(std::span<const Parameter> declared) const {
  return values_.empty() ? Parameters(declared) : *this;
}

std::vector<std::pair<std::string, std::string>> Parameters::changed() const {
  std::vector<std::pair<std::string, std::string>> changed;
  for (const Value& value : values_) {
    if (value.text != value.fallback) changed.emplace_back(value.name, value.text);
  }
  return changed;
}

nlohmann::json Parameters::json() const {
  nlohmann::json json = nlohmann::json::object();
  for (const Value& value : values_) json[value.name] = value.text;
  return json;
}

std::string spec_name(const std::string& spec) { return spec.substr(0, spec.find(':')); }

std::vector<std::string> spec_assignments(const std::string& spec) {
  std::vector<std::string> assignments;
  std::size_t begin = spec_name(spec).size() + 1;
  while (begin <= spec.size()) {
    const std::size_t end = std::min(spec.find_first_of(",+", begin), spec.size());
    assignments.push_back(spec.substr(begin, end - begin));
    begin = end + 1;
  }
  return assignments;
}

}  // namespace outcore
