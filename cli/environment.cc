// SPDX-License-Identifier: Apache-2.0
#include "cli/environment.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "common/machine.h"

namespace outcore {

std::string environment_name(const std::string& option) {
  std::string name = "OUTCORE_" + option;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return name;
}

std::vector<std::string> command_as_given() {
  std::vector<std::string> words;
  for (const char* option : kFromEnvironment) {
    const std::string name = environment_name(option);
    if (const char* value = std::getenv(name.c_str())) words.push_back(name + "=" + value);
  }
  const std::vector<std::string> given = command_words();
  words.insert(words.end(), given.begin(), given.end());
  return words;
}

}  // namespace outcore
