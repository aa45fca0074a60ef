// SPDX-License-Identifier: Apache-2.0
#include "common/shell.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace outcore {

std::string shell_word(const std::filesystem::path& path) {
  std::string text = (path.native().starts_with('-') ? "./" / path : path).string();
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-./+:@%,").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += R"('\'')";  // close the quoted part, add a quoted quote, open the next part
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace outcore
