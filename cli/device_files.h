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

// The file of a model: a path that is there as it is, a name ("optane") from those folders. Throws
// a usage Error with the names that there are.
std::filesystem::path model_file(const std::filesystem::path& named);

struct FoundProbe {
  std::filesystem::path path;
  ProbedDevice device;
};
// The first probe of the device `source` in those folders; `beside` comes before them all.
std::optional<FoundProbe> find_probe(const std::string& source,
                                     const std::filesystem::path& beside = {});

// Where `outcore probe` writes what it finds of the device, unless told otherwise: local.toml of
// the current folder's configs/devices, where there is that folder; else a file of the device's
// name in the first of those that a user can write to.
std::filesystem::path usual_probe_file(const std::string& source);

}  // namespace outcore
