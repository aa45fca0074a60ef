// SPDX-License-Identifier: Apache-2.0
#include "common/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "common/named.h"

namespace outcore {

namespace {

// How many letters must be inserted, deleted, changed, or swapped with the next one to turn `a`
// into `b`.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({last[j] + (a[i] == b[j] ? 0 : 1), row[j] + 1, last[j + 1] + 1});
      const bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (swapped) row[j + 1] = std::min(row[j + 1], before_last[j - 1] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last.back();
}

// The known names nearest to `name`, ignoring case. Empty when no known name is similar: when more
// than a third of the letters are wrong, unless `name` is the beginning of a known name.
std::vector<std::string> nearest_name(const std::string& name,
                                      const std::vector<std::string>& known) {
  const std::string lower = lower_case(name);
  std::size_t least = ~std::size_t{0};
  std::vector<std::string> nearest;
  for (const std::string& candidate : known) {
    const std::string other = lower_case(candidate);
    const std::size_t distance = edit_distance(lower, other);
    const bool begins = lower.size() > 1 && other.starts_with(lower);
    const bool near = begins || 3 * distance <= std::max(lower.size(), other.size());
    if (!near || distance >= least) continue;
    least = distance;
    nearest = {candidate};
  }
  return nearest;
}

std::string question(const std::vector<std::string>& meant) {
  return meant.empty() ? "" : fmt::format("; did you mean '{}'?", fmt::join(meant, "' or '"));
}

}  // namespace

Place::Place(Kind kind, std::filesystem::path path, std::uint64_t at)
    : kind_(kind), path_(std::move(path)), at_(at) {}

Place Place::file(std::filesystem::path path) { return {Kind::file, std::move(path), 0}; }

Place Place::line(std::filesystem::path path, std::uint64_t line) {
  return {Kind::line, std::move(path), line};
}

Place Place::offset(std::filesystem::path path, std::uint64_t offset) {
  return {Kind::offset, std::move(path), offset};
}

std::string Place::text() const {
  switch (kind_) {
    case Kind::line:
      return fmt::format("{}:{}", path_.string(), at_);
    case Kind::offset:
      return fmt::format("{} at offset {}", path_.string(), at_);
    case Kind::file:
      break;
  }
  return path_.string();
}

Error bad_input(const Place& place, const std::string& found, const std::string& expected,
                const std::string& advice) {
  return {ExitCode::bad_input, fmt::format("{}: found {}, expected {}{}{}", place.text(), found,
                                           expected, advice.empty() ? "" : "; ", advice)};
}

Error io_error(const Place& place, const std::string& what, int error_number) {
  if (error_number <= 0) return {ExitCode::io, fmt::format("{}: {}", place.text(), what)};
  return {ExitCode::io, fmt::format("{}: {}: {} (errno {})", place.text(), what,
                                    std::strerror(error_number), error_number)};
}

Error io_error(const std::filesystem::filesystem_error& error) {
  return {ExitCode::io, fmt::format("{}: {} (errno {})", error.path1().string(),
                                    error.code().message(), error.code().value())};
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known) {
  return question(nearest_name(name, known));
}

Error unknown_name(const std::string& kind, const std::string& name,
                   const std::vector<std::string>& known, const std::vector<std::string>& meant) {
  return usage_error(fmt::format("unknown {} '{}'; there are: {}{}", kind, name,
                                 fmt::join(known, ", "),
                                 meant.empty() ? did_you_mean(name, known) : question(meant)));
}

Error usage_error(const std::string& message) { return {ExitCode::usage, message}; }

}  // namespace outcore
