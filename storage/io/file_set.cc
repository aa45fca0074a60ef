// SPDX-License-Identifier: Apache-2.0
#include "storage/io/file_set.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "common/error.h"

namespace outcore {
namespace {

File open_file(const std::filesystem::path& path, bool writable, bool direct) {
  return writable ? File::open_update(path, direct) : File::open_read(path, direct);
}

// Returns nothing if the file system has no O_DIRECT or the file cannot be opened at all. A second
// attempt without O_DIRECT distinguishes these, and throws the reason.
std::optional<File> open_direct(const std::filesystem::path& path, bool writable) {
  try {
    return open_file(path, writable, true);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::uint32_t FileSet::add(const std::filesystem::path& path, bool writable) {
  std::optional<File> direct = direct_ ? open_direct(path, writable) : std::nullopt;
  if (direct) {
    files_.push_back(*std::move(direct));
    return static_cast<std::uint32_t>(files_.size() - 1);
  }
  files_.push_back(open_file(path, writable, false));
  if (direct_) {
    notes_.push_back(
        fmt::format("the file system of {} refuses O_DIRECT: {} through the page cache",
                    path.string(), writable ? "read and written" : "read"));
  }
  return static_cast<std::uint32_t>(files_.size() - 1);
}

}  // namespace outcore
