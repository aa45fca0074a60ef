// SPDX-License-Identifier: Apache-2.0
// Where models of devices and probes of real ones are kept: found by the device or by the model's
// name, whatever the current folder is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "storage/io/probe/probe.h"

namespace outcore {

// The folder of OUTCORE_DEVICES alone, where that is set. Else: configs/devices of the current
// folder, outcore/devices of the user's configuration (XDG_CONFIG_HOME, ~/.config), and what came
// with the program: configs/devices of the checkout that it was built in, or share/outcore/devices.
std::vector<std::filesystem::path> device_folders();

// The file of a model: the path if it exists, else the file of that name ("optane") in one of those
// folders. Throws a usage Error that lists the names in them.
std::filesystem::path model_file(const std::filesystem::path& named);

struct FoundProbe {
  std::filesystem::path path;
  ProbedDevice device;
};
// The first probe of the device `source` in those folders; `beside` comes before them all.
std::optional<FoundProbe> find_probe(const std::string& source,
                                     const std::filesystem::path& beside = {});

// Where `outcore probe` writes what it found, if the user names no file: local.toml in the current
// folder's configs/devices if that folder exists; else a file named for the device, in the first
// of those folders that the user can write to.
std::filesystem::path usual_probe_file(const std::string& source);

}  // namespace outcore
