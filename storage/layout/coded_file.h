// SPDX-License-Identifier: Apache-2.0
// A file of 32-bit numbers of which most are a little above the one before: ids by position,
// positions by id. They take a byte and a quarter each where the difference fits a byte, 4.25 at
// most.
//
//   groups of 65536 numbers, the last one shorter: u32, the bytes of its code; the code, which is
//   that of codec svb: differences modulo 2^32, the first from 0
//
// Writing and reading hold one group.
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
  std::vector<std::uint32_t> numbers_;  // of the group that is not yet written
  std::vector<std::byte> code_;
};

// The `count` numbers of a file of the layout in `folder`, group by group, before the checksum is
// known: throws bad_input when they are not as many, or the file is not the manifest's.
void read_coded(const std::filesystem::path& folder, const std::string& name, std::uint64_t count,
                const nlohmann::json& manifest,
                const std::function<void(std::span<const std::uint32_t>)>& f);

}  // namespace outcore
