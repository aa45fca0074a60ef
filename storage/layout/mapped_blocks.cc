// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/mapped_blocks.h"

#include <algorithm>
#include <vector>

#include "common/files.h"

namespace outcore {

MappedFile map_blocks(const BlockFile& file) {
  if (file.stripes.empty()) return MappedFile(file.path);
  std::vector<File> stripes;
  for (const auto& path : file.stripes) stripes.push_back(File::open_read(path));
  File whole = File::create_nameless(file.path.parent_path());
  std::vector<std::byte> unit(std::size_t{file.stripe_blocks} * file.block_bytes);
  for (BlockId block = 0; block < file.blocks(); block += file.stripe_blocks) {
    const Striping::At at = file.striping().at(block);
    const std::uint64_t blocks = std::min<std::uint64_t>(at.run, file.blocks() - block);
    const std::span<std::byte> bytes = std::span(unit).first(blocks * file.block_bytes);
    stripes[at.file].read(bytes, at.block * file.block_bytes);
    whole.write(bytes);
  }
  return MappedFile(whole);
}

}  // namespace outcore
