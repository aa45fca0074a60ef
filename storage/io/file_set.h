// SPDX-License-Identifier: Apache-2.0
// The files of a backend, opened past the page cache where the file system allows it, and for
// writing only if asked for. Files are added before any thread reads or writes; after that a
// FileSet does not change and may be used from any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/files.h"

namespace outcore {

class FileSet {
 public:
  explicit FileSet(bool direct) : direct_(direct) {}
  std::uint32_t add(const std::filesystem::path& path, bool writable = false);

  [[nodiscard]] const File& operator[](std::size_t number) const { return files_[number]; }
  [[nodiscard]] std::size_t size() const { return files_.size(); }
  // A line for each file that had to be opened without O_DIRECT.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  bool direct_;
  std::vector<File> files_;
  std::vector<std::string> notes_;
};

}  // namespace outcore
