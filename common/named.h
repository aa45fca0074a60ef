// SPDX-License-Identifier: Apache-2.0
// The entry of a registry that has a name.
#pragma once

#include <string>
#include <vector>

#include "common/error.h"

namespace outcore {

// Throws a usage Error that has the known names of this kind and the nearest of them.
template <typename Entries>
const auto& find_named(const std::string& kind, const Entries& entries, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& entry : entries) {
    if (entry.name == name) return entry;
    known.emplace_back(entry.name);
  }
  throw unknown_name(kind, name, known);
}

}  // namespace outcore
