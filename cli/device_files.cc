// SPDX-License-Identifier: Apache-2.0
#include "cli/device_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "common/error.h"
#include "common/own_program.h"
#include "common/toml.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

constexpr const char* kInCheckout = "configs/devices";

std::optional<fs::path> from_environment(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return fs::path(value);
}

// The folder with the user's own files; empty if the user has no home folder.
fs::path users_folder() {
  if (const auto config = from_environment("XDG_CONFIG_HOME")) return *config / "outcore/devices";
  if (const auto home = from_environment("HOME")) return *home / ".config/outcore/devices";
  return {};
}

// build/release/outcore lies in a checkout, bin/outcore beside share/.
std::vector<fs::path> programs_folders() {
  return {own_checkout() / kInCheckout,
          own_program().parent_path().parent_path() / "share/outcore/devices"};
}

// What the file holds; empty where that is not TOML.
nlohmann::json as_toml(const fs::path& file) {
  try {
    return read_toml(file);
  } catch (const Error&) {
    return {};
  }
}

// Does the file hold what `outcore probe` writes?
bool is_probe(const fs::path& file) { return as_toml(file).contains("probe"); }

std::vector<fs::path> toml_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;  // where there is no such folder there are no files
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The probe in `file`, if it is one and of this device.
std::optional<FoundProbe> probe_of(const fs::path& file, const std::string& source) {
  if (!fs::is_regular_file(file)) return std::nullopt;
  const nlohmann::json document = as_toml(file);
  if (!document.contains("probe")) return std::nullopt;
  ProbedDevice probed = ProbedDevice::read(document, file);
  if (probed.source != source) return std::nullopt;
  return FoundProbe{file, std::move(probed)};
}

}  // namespace

std::vector<fs::path> device_folders() {
  if (const auto only = from_environment("OUTCORE_DEVICES")) return {*only};
  std::vector<fs::path> folders = {kInCheckout};
  if (const fs::path users = users_folder(); !users.empty()) folders.push_back(users);
  for (fs::path& folder : programs_folders()) folders.push_back(std::move(folder));
  return folders;
}

fs::path model_file(const fs::path& named) {
  const bool is_name = !named.has_parent_path() && !named.has_extension();
  if (fs::exists(named) || !is_name) return named;  // if it cannot be opened, its reader says so
  std::vector<std::string> known;
  for (const fs::path& folder : device_folders()) {
    const fs::path file = folder / (named.string() + ".toml");
    if (fs::is_regular_file(file)) return file;
    for (const fs::path& other : toml_files(folder)) {
      if (!is_probe(other)) known.push_back(other.stem().string());
    }
  }
  throw unknown_name("modelled device", named.string(), known);
}

std::optional<FoundProbe> find_probe(const std::string& source, const fs::path& beside) {
  if (!beside.empty()) {
    if (auto found = probe_of(beside, source)) return found;
  }
  for (const fs::path& folder : device_folders()) {
    for (const fs::path& file : toml_files(folder)) {
      if (auto found = probe_of(file, source)) return found;
    }
  }
  return std::nullopt;
}

fs::path usual_probe_file(const std::string& source) {
  std::string name = source;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
  name.erase(0, name.find_first_not_of('-'));
  if (const auto only = from_environment("OUTCORE_DEVICES")) return *only / (name + ".toml");
  const fs::path users = users_folder();
  if (fs::is_directory(kInCheckout) || users.empty()) return fs::path(kInCheckout) / "local.toml";
  return users / (name + ".toml");
}

}  // namespace outcore
