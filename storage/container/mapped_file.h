// SPDX-License-Identifier: Apache-2.0
// A whole file mapped for reading. Spans of it are valid as long as the object. If another process
// truncates the file meanwhile, SIGBUS ends this one; so engines read through storage/io instead.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "common/files.h"

namespace outcore {

class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  explicit MappedFile(const File& file);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  template <typename T>
  [[nodiscard]] std::span<const T> as() const {
    return {static_cast<const T*>(memory_), bytes_ / sizeof(T)};
  }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace outcore
