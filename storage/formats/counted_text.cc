// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/counted_text.h"

#include <charconv>
#include <sstream>

namespace outcore {

CountedText counted_text(std::uint64_t vertices, std::uint64_t edges, const HeaderLines& header,
                         const std::filesystem::path& file) {
  if (vertices > kMostVertices) {
    throw bad_input(Place::line(file, header.lines()), fmt::format("{} vertices", vertices),
                    fmt::format("at most {}", kMostVertices));
  }
  if (edges == 0) throw no_edges(file);
  return {vertices, edges, header.lines()};
}

Error wrong_count(const std::filesystem::path& file, const CountedText& counts,
                  const std::string& found) {
  return bad_input(Place::file(file), found + " edges",
                   fmt::format("{}, as line {} says", counts.edges, counts.header_lines),
                   "the file was cut, or its header is wrong");
}

std::vector<std::uint64_t> header_numbers(const std::string& text, std::size_t count,
                                          const std::string& expected, const HeaderLines& header,
                                          const std::filesystem::path& file) {
  std::vector<std::uint64_t> numbers;
  bool all = true;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    all = all && error == std::errc{} && stop == word.data() + word.size();
    numbers.push_back(number);
  }
  if (!all || numbers.size() != count) {
    throw bad_input(Place::line(file, header.lines()), fmt::format("'{}'", text.substr(0, 80)),
                    expected);
  }
  return numbers;
}

}  // namespace outcore
