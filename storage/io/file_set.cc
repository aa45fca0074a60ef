// SPDX-License-Identifier: Apache-2.0
#include "storage/io/file_set.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "common/error.h"

namespace outcore {
namespace {

// Nothing: either the file system has no O_DIRECT or the file cannot be opened at all. A second
// attempt without it tells which, and then throws the reason.
std::optional<File> open_direct(const std::filesystem::path& path) {
  try {
    return File::open_read(path, true);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::uint32_t FileSet::add(const std::filesystem::path& path) {
  std::optional<File> direct = direct_ ? open_direct(path) : std::nullopt;
  if (direct) {
    files_.push_back(*std::move(direct));
    return static_cast<std::uint32_t>(files_.size() - 1);
  }
  files_.push_back(File::open_read(path, false));
  if (direct_) {
    notes_.push_back(fmt::format(
        "the file system of {} refuses O_DIRECT: read through the page cache", path.string()));
  }
  return static_cast<std::uint32_t>(files_.size() - 1);
}

}  // namespace outcore
