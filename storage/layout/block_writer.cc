// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/block_writer.h"

#include <algorithm>

#include "common/hash.h"

namespace outcore {

BlockWriter::BlockWriter(const std::filesystem::path& folder, const std::string& prefix,
                         const CodecPart& codec, std::uint32_t slots_per_block)
    : prefix_(prefix),
      codec_(codec),
      slots_per_block_(slots_per_block),
      blocks_(folder / (prefix + ".blocks")),
      sums_(folder / (prefix + ".sums")),
      window_(kWindowBytes / sizeof(std::uint32_t), kNoVertex),
      window_blocks_(window_.size() / slots_per_block) {}

void BlockWriter::put(std::uint64_t position, std::span<const VertexId> list) {
  while (!list.empty()) {
    const BlockId block = position / slots_per_block_;
    const std::uint64_t slot = position % slots_per_block_;
    const std::size_t count = std::min<std::size_t>(list.size(), slots_per_block_ - slot);
    advance_to(block);
    const std::span<std::uint32_t> slots =
        std::span(window_).subspan((block - window_begin_) * slots_per_block_ + slot, count);
    codec_.encode(list.first(count), slots);
    most_lists_ = std::max(most_lists_, ++lists_);
    list = list.subspan(count);
    position += count;
  }
}

void BlockWriter::advance_to(BlockId block) {
  if (block != block_) lists_ = 0;
  block_ = block;
  while (block >= window_begin_ + window_blocks_) {
    flush();
    window_begin_ += window_blocks_;
  }
}

// Writes the whole window and empties it.
void BlockWriter::flush() {
  for (std::uint64_t b = 0; b < window_blocks_; ++b) {
    sums_.put(checksum32(
        std::as_bytes(std::span(window_).subspan(b * slots_per_block_, slots_per_block_))));
  }
  blocks_.write(std::as_bytes(std::span(window_)));
  std::fill(window_.begin(), window_.end(), kNoVertex);
}

void BlockWriter::finish(std::uint64_t blocks, nlohmann::json& files) {
  if (blocks > 0) advance_to(blocks - 1);
  window_blocks_ = blocks - window_begin_;
  window_.resize(window_blocks_ * slots_per_block_);
  flush();
  files[prefix_ + ".blocks"] = blocks_.finish();
  files[prefix_ + ".sums"] = sums_.finish();
}

}  // namespace outcore
