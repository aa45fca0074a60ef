// SPDX-License-Identifier: Apache-2.0
#include "common/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "common/named.h"

namespace outcore {

namespace {

std::optional<std::uint64_t> whole(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

void check_range(const std::string& owner, const Parameter& parameter, const std::string& value) {
  if (!parameter.whole) return;
  const auto [least, most] = *parameter.whole;
  const std::optional<std::uint64_t> number = whole(value);
  if (number && *number >= least && *number <= most) return;
  throw usage_error(fmt::format("{}: {}={}: expected a whole number from {} to {}", owner,
                                parameter.name, value, least, most));
}

void set(const std::string& owner, const std::vector<Parameter>& parameters,
         const std::string& setting, Settings& settings) {
  if (parameters.empty()) {
    throw usage_error(fmt::format("{} takes no parameters: '{}'", owner, setting));
  }
  const std::size_t equals = setting.find('=');
  const Parameter& parameter =
      find_named("parameter of " + owner, parameters, setting.substr(0, equals));
  if (equals == std::string::npos) {
    throw usage_error(fmt::format("{}: '{}' has no value; write {}={}", owner, setting, setting,
                                  parameter.fallback));
  }
  const std::string value = setting.substr(equals + 1);
  const std::vector<std::string>& values = parameter.values;
  if (!values.empty() && std::find(values.begin(), values.end(), value) == values.end()) {
    throw unknown_name(fmt::format("value of parameter of {} '{}'", owner, parameter.name), value,
                       values);
  }
  check_range(owner, parameter, value);
  settings[parameter.name] = value;
}

}  // namespace

std::string spec_name(const std::string& spec) { return spec.substr(0, spec.find(':')); }

Settings spec_settings(const std::string& owner, const std::vector<Parameter>& parameters,
                       const std::string& spec) {
  Settings settings;
  std::size_t begin = spec_name(spec).size() + 1;
  while (begin <= spec.size()) {
    const std::size_t end = std::min(spec.find_first_of(",+", begin), spec.size());
    set(owner, parameters, spec.substr(begin, end - begin), settings);
    begin = end + 1;
  }
  return settings;
}

Settings complete_settings(const std::vector<Parameter>& parameters, Settings settings) {
  for (const Parameter& parameter : parameters) {
    settings.try_emplace(parameter.name, parameter.fallback);
  }
  return settings;
}

std::uint64_t whole_setting(const Settings& settings, const std::string& name) {
  return whole(settings.at(name)).value();
}

}  // namespace outcore
