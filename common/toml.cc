// SPDX-License-Identifier: Apache-2.0
#include "common/toml.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <sstream>
#include <stdexcept>
#include <vector>

#include "common/error.h"
#include "common/files.h"

namespace outcore {

namespace {

nlohmann::json as_json(const toml::node& node) {
  if (const toml::table* table = node.as_table()) {
    nlohmann::json object = nlohmann::json::object();
    for (const auto& [key, value] : *table) object[std::string(key.str())] = as_json(value);
    return object;
  }
  if (const toml::array* array = node.as_array()) {
    nlohmann::json list = nlohmann::json::array();
    for (const toml::node& value : *array) list.push_back(as_json(value));
    return list;
  }
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return whole->get();
  if (const auto* real = node.as_floating_point()) return real->get();
  if (const auto* flag = node.as_boolean()) return flag->get();
  std::ostringstream time;
  node.visit([&](const auto& value) { time << value; });
  return time.str();
}

// A value on one line. Scalars look the same in TOML and JSON (text, and numbers with as many
// digits as they need).
std::string inline_text(const nlohmann::json& value) {
  if (value.is_null()) throw std::logic_error("TOML has no null");
  if (value.is_primitive()) return value.dump();
  std::vector<std::string> parts;
  for (const auto& [key, part] : value.items()) {
    parts.push_back(value.is_object() ? fmt::format("{} = {}", key, inline_text(part))
                                      : inline_text(part));
  }
  const std::string joined = fmt::format("{}", fmt::join(parts, ", "));
  return value.is_object() ? fmt::format("{{ {} }}", joined) : fmt::format("[{}]", joined);
}

bool is_list_of_objects(const nlohmann::json& value) {
  return value.is_array() && !value.empty() && value.front().is_object();
}

// First the entries of an object that are not tables, then the tables, each under its name.
void append_table(const nlohmann::json& object, const std::string& name, std::string& text) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) continue;
    text += key + " = ";
    if (is_list_of_objects(value)) {
      text += "[\n";
      for (const nlohmann::json& entry : value) text += fmt::format("  {},\n", inline_text(entry));
      text += "]\n";
    } else {
      text += inline_text(value) + "\n";
    }
  }
  for (const auto& [key, value] : object.items()) {
    if (!value.is_object()) continue;
    const std::string path = name.empty() ? key : fmt::format("{}.{}", name, key);
    text += fmt::format("\n[{}]\n", path);
    append_table(value, path, text);
  }
}

}  // namespace

nlohmann::json read_toml(const std::filesystem::path& path) {
  const File file = File::open_read(path);
  std::string text(file.size(), '\0');
  file.read(std::as_writable_bytes(std::span(text)), 0);
  try {
    return as_json(toml::parse(text));
  } catch (const toml::parse_error& e) {
    throw bad_input(Place::line(path, e.source().begin.line), std::string(e.description()), "TOML");
  }
}

std::string to_toml(const nlohmann::json& json) {
  std::string text;
  append_table(json, "", text);
  return text;
}

}  // namespace outcore
