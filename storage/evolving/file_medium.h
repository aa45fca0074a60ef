// SPDX-License-Identifier: Apache-2.0
// Lists and log in a file, written by a call of the file system for each write: GraphOne-N, whose
// lists lie in a file system (sections II-C, V-B). The file has no name, so it is gone with the
// process. Lists are read from memory, as in every store of this folder.
//
// Any thread may call anything.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>

#include "common/files.h"
#include "storage/evolving/medium.h"

namespace outcore::evolving {

class FileMedium final : public Medium {
 public:
  // Throws Error (io) where no file can be made in the folder.
  explicit FileMedium(const std::filesystem::path& folder);

  [[nodiscard]] bool takes_any_thread() const override { return true; }
  // Throws Error (io): the disk is full.
  void wrote(std::uint64_t place, std::uint64_t bytes, const void* data) override;
  void read(std::uint64_t /*place*/, std::uint64_t /*bytes*/) override {}
  void flush(std::uint64_t /*place*/, std::uint64_t /*bytes*/) override {}
  // Everything is on the disk when it returns. Throws Error (io).
  void sync();

  [[nodiscard]] const File& file() const { return file_; }
  [[nodiscard]] std::uint64_t writes() const { return writes_; }
  [[nodiscard]] std::uint64_t written_bytes() const { return written_bytes_; }

 private:
  File file_;
  // Counts, which order nothing.
  std::atomic<std::uint64_t> writes_ = 0;
  std::atomic<std::uint64_t> written_bytes_ = 0;
};

}  // namespace outcore::evolving
