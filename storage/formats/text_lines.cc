// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/text_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace outcore {

// The 17th and further digits, one at a time.
bool LineCursor::more_digits(std::uint64_t& value) {
  for (; *at_ >= '0' && *at_ <= '9'; ++at_) {
    const auto digit = static_cast<std::uint64_t>(*at_ - '0');
    if (value > (~std::uint64_t{0} - digit) / 10) return false;
    value = value * 10 + digit;
  }
  return true;
}

bool parse_weight(const char* begin, const char* end, float& value) {
  if (begin < end && *begin == '+' && begin + 1 < end) ++begin;
  auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range) {
    // Too small a number becomes 0; too large a number is not a weight.
    double wide = 0;
    const auto wide_result = std::from_chars(begin, end, wide);
    value = static_cast<float>(wide);
    error = wide_result.ec;
  }
  return error == std::errc{} && stop == end && std::isfinite(value);
}

bool LineCursor::weight(float& value) {
  const char* end = at_;
  while (!is_blank(*end) && *end != '\n') ++end;
  if (!parse_weight(at_, end, value)) return refuse_word("a weight (a finite number)");
  at_ = end;
  skip_blanks();
  return true;
}

bool LineCursor::refuse_id(const char* word, std::uint64_t least, std::uint64_t most) {
  return refuse(word, fmt::format("a vertex id ({} to {})", least, most));
}

bool LineCursor::refuse(const char* word, const std::string& expected) {
  const char* last = word;
  while (*last != '\n' && !is_blank(*last) && last - word < 40) ++last;
  found_ = last == word ? "the end of the line" : fmt::format("'{}'", std::string(word, last));
  expected_ = expected;
  return false;
}

bool HeaderLines::next(std::string& line) {
  line.clear();
  for (;;) {
    std::array<char, 4096> window;
    const std::size_t filled = source_.read(window);
    const auto end = window.begin() + filled;
    const auto newline = std::find(window.begin(), end, '\n');
    line.append(window.begin(), newline);
    if (newline != end) {
      source_.put_back({newline + 1, end});
      ++lines_;
      return true;
    }
    if (line.size() > FilePiece::kBytes) {
      throw bad_input(Place::line(source_.file().path(), lines_ + 1), "a line of more than 1 MiB",
                      "a header");
    }
    if (filled < window.size()) {
      lines_ += line.empty() ? 0 : 1;
      return !line.empty();
    }
  }
}

}  // namespace outcore
