// SPDX-License-Identifier: Apache-2.0
// The bytes of a file front to back: as they are, or what a compressed file holds (.gz, .zst;
// several members or frames in a file follow each other). Used by one thread at a time.
//
// Memory: 256 KiB; for .gz 32 KiB more, for .zst the window that the file was compressed with, at
// most 128 MiB (--long=27): files that want more are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "common/files.h"

namespace outcore {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills `into`; fewer bytes come only at the end. Throws bad_input with the offset in the
  // compressed file where that is broken or cut.
  virtual std::size_t read(std::span<char> into) = 0;
  // How far the file itself has been read.
  [[nodiscard]] virtual std::uint64_t position() const = 0;
};

// By the name's ending.
std::unique_ptr<ByteSource> open_source(const std::filesystem::path& path);
bool is_compressed(const std::filesystem::path& path);
// "edges.el.gz": "edges.el"
std::filesystem::path without_compression(const std::filesystem::path& path);

}  // namespace outcore
