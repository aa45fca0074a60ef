// SPDX-License-Identifier: Apache-2.0
// A file of 32-bit numbers, most of which are a little larger than the previous one: ids by
// position, positions by id. A number takes a byte and a quarter if the difference fits a byte, and
// at most 4.25 bytes.
//
//   groups of 65536 numbers (the last group may be shorter), each: u32, the number of bytes of its
//   code; the code, which is that of codec svb: differences modulo 2^32, the first from 0
//
// Writing and reading keep one group in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "storage/container/hashed_file.h"

namespace outcore {

class CodedFile {
 public:
  explicit CodedFile(const std::filesystem::path& path) : file_(path) {}

  void put(std::uint32_t number) {
    numbers_.push_back(number);
    if (numbers_.size() == kGroup) write_group();
  }
  // As HashedFile::finish().
  nlohmann::json finish();

  static constexpr std::size_t kGroup = 65536;

 private:
  void write_group();

  HashedFile file_;
  std::vector<std::uint32_t> numbers_;  // of the group that is not written yet
  std::vector<std::byte> code_;
};

// Reads the `count` numbers of a file of the layout in `folder` and passes them on group by group,
// before the checksum is known. Throws bad_input if their number differs, or if the file is not the
// one in the manifest.
void read_coded(const std::filesystem::path& folder, const std::string& name, std::uint64_t count,
                const nlohmann::json& manifest,
                const std::function<void(std::span<const std::uint32_t>)>& f);

}  // namespace outcore
