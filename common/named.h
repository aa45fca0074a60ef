// SPDX-License-Identifier: Apache-2.0
// Finds the entry of a registry that has a given name.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "common/error.h"

namespace outcore {

inline std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Throws a usage Error that lists the known names of this kind and suggests those in `meant`, or
// else the nearest name.
template <typename Entries>
const auto& find_named(const std::string& kind, const Entries& entries, const std::string& name,
                       const std::vector<std::string>& meant = {}) {
  std::vector<std::string> known;
  for (const auto& entry : entries) {
    if (entry.name == name) return entry;
    known.emplace_back(entry.name);
  }
  throw unknown_name(kind, name, known, meant);
}

}  // namespace outcore
