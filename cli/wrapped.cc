// SPDX-License-Identifier: Apache-2.0
#include "cli/wrapped.h"

#include <algorithm>

namespace outcore {

namespace {

void append_line(std::string& into, std::string_view line, std::size_t columns,
                 std::size_t hanging) {
  const std::size_t words = std::min(line.find_first_not_of(' '), line.size());
  const std::string indent(words + hanging, ' ');
  std::size_t least = words;  // a blank before this one is part of the indentation
  std::string beginning;
  while (beginning.size() + line.size() > columns) {
    const std::size_t room = columns - std::min(columns, beginning.size());
    std::size_t blank = line.rfind(' ', room);
    if (blank == std::string_view::npos || blank <= least) blank = line.find(' ', least);
    if (blank == std::string_view::npos) break;
    into.append(beginning).append(line.substr(0, blank)).append("\n");
    line.remove_prefix(std::min(line.find_first_not_of(' ', blank), line.size()));
    beginning = indent;
    least = 0;
  }
  into.append(beginning).append(line);
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t columns, std::size_t hanging) {
  std::string lines;
  while (true) {
    const std::size_t end = text.find('\n');
    append_line(lines, text.substr(0, end), columns, hanging);
    if (end == std::string_view::npos) return lines;
    lines += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string WrappedHelp::make_option_desc(const CLI::Option* option) const {
  return wrapped(CLI::Formatter::make_option_desc(option), kTextColumns - kNameColumns, 0);
}

std::string WrappedHelp::make_footer(const CLI::App* app) const {
  return wrapped(CLI::Formatter::make_footer(app));
}

}  // namespace outcore
