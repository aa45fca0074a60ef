// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/vertex_labels.h"

namespace outcore {

std::string quoted(std::string_view text, char separator) {
  if (text.find(separator) == std::string_view::npos &&
      text.find_first_of("\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + '"';
}

}  // namespace outcore
