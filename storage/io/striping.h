// SPDX-License-Identifier: Apache-2.0
// Blocks of one file that are laid round-robin over several, `unit` blocks at a time, as Blaze lays
// pages over its SSDs (SC 2022, section 4) and RAID 0 lays stripes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/ids.h"

namespace outcore {

struct Striping {
  std::uint32_t files = 1;
  std::uint32_t unit = 0;  // blocks; REQUIRES: at least one where there are several files

  // Where a block lies, and how many blocks from it on lie behind one another there.
  struct At {
    std::uint32_t file = 0;
    BlockId block = 0;
    std::uint32_t run = 0;
  };
  [[nodiscard]] At at(BlockId block) const {
    const BlockId number = block / unit;  // of the unit
    const auto in_unit = static_cast<std::uint32_t>(block % unit);
    return {static_cast<std::uint32_t>(number % files), number / files * unit + in_unit,
            unit - in_unit};
  }
  // How many of so many blocks a file has.
  [[nodiscard]] std::uint64_t blocks_of(std::uint32_t file, std::uint64_t blocks) const {
    const std::uint64_t row = std::uint64_t{files} * unit;
    const std::uint64_t rest = blocks % row;
    const std::uint64_t before = std::uint64_t{file} * unit;
    return blocks / row * unit + std::min<std::uint64_t>(rest - std::min(rest, before), unit);
  }
};

}  // namespace outcore
