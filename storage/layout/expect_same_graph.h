// SPDX-License-Identifier: Apache-2.0
// For tests: checks with an independent reader that a layout holds the graph it was made from.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/hash.h"
#include "storage/container/container.h"
#include "storage/layout/layout.h"
#include "storage/layout/parts.h"

namespace outcore {

// Reads one direction's blocks, checks each against its checksum, and joins lists from their
// pieces.
class ListReader {
 public:
  ListReader(const Layout& layout, Direction direction)
      : layout_(layout), index_(layout.index(direction)) {
    const BlockFile& file = layout.block_files()[layout.file(direction)];
    block_bytes_ = file.block_bytes;
    blocks_.resize(file.blocks() * block_bytes_);
    File::open_read(file.path).read(blocks_, 0);
    for (BlockId b = 0; b < file.blocks(); ++b) {
      EXPECT_EQ(checksum32(std::span(blocks_).subspan(b * block_bytes_, block_bytes_)),
                file.sums[b]);
    }
    blocks_.resize(blocks_.size() + kReadAhead);
  }
  [[nodiscard]] std::vector<std::pair<VertexId, float>> list(VertexId id) const {
    std::vector<std::pair<VertexId, float>> list;
    const std::uint64_t degree = index_.degree(id);
    if (index_.is_inline(degree)) {
      const InlineList found = index_.inline_list(id);
      for (std::uint64_t i = 0; i < degree; ++i) {
        list.emplace_back(found.ids[i], found.weights == nullptr ? 0 : found.weights[i]);
      }
      return list;
    }
    const ListAddress address = index_.address(id);
    EXPECT_EQ(address.degree, degree);
    std::vector<VertexId> ids(layout_.pieces().most_edges());
    std::vector<float> weights(ids.size());
    for (BlockId b = index_.first_block(address); b <= index_.last_block(address); ++b) {
      // Each piece decodes alone, and says where in the list it belongs.
      const DecodedPiece piece = layout_.pieces().read(
          index_.part(address, b), blocks_.data() + b * block_bytes_, {ids.data(), weights.data()});
      EXPECT_GT(piece.count, 0U);
      EXPECT_EQ(piece.first, list.size());
      for (std::uint32_t i = 0; i < piece.count; ++i) {
        list.emplace_back(piece.ids[i], piece.weights == nullptr ? 0 : piece.weights[i]);
      }
    }
    return list;
  }

 private:
  const Layout& layout_;
  const ListIndex& index_;
  std::size_t block_bytes_ = 0;
  std::vector<std::byte> blocks_;
};

// Checks that the heads of `id` are the beginning of its list.
inline void expect_heads(const Layout& layout, Direction direction, VertexId id,
                         const std::vector<std::pair<VertexId, float>>& list) {
  const bool listed = id < layout.index(direction).listed();
  EXPECT_TRUE(listed || list.empty());
  const std::size_t count = listed ? layout.choices().heads : 0;
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(layout.heads(direction)[id * count + i], i < list.size() ? list[i].first : kNoVertex);
  }
}

inline void expect_same_graph(const std::filesystem::path& folder, const std::string& name) {
  Container container(folder);
  const Layout layout(container.layout_folder(name));
  const std::vector<VertexId> layout_of =
      inverse_of(layout.original_table(), container.facts().vertices);
  const auto id_of = [&](VertexId v) { return layout_of.empty() ? v : layout_of[v]; };
  for (const Direction direction : {Direction::out, Direction::in}) {
    const CsrView csr = container.csr(direction);
    const ListReader reader(layout, direction);
    for (VertexId v = 0; v < csr.vertices(); ++v) {
      std::vector<std::pair<VertexId, float>> expected;
      const std::span<const VertexId> targets = csr.list(v);
      for (std::size_t i = 0; i < targets.size(); ++i) {
        const std::string& weights = layout.choices().weights;
        expected.emplace_back(id_of(targets[i]), weights == "none" ? 0
                                                 : weights == "hashed"
                                                     ? hashed_weight(v, targets[i])
                                                     : csr.weights(v)[i]);
      }
      std::sort(expected.begin(), expected.end());
      const VertexId id = id_of(v);
      ASSERT_EQ(reader.list(id), expected) << "list " << v;
      expect_heads(layout, direction, id, expected);
    }
    for (VertexId id = 0; id < layout.facts().id_space; ++id) {
      if (layout.is_real(id)) continue;
      EXPECT_EQ(layout.index(direction).degree(id), 0U) << "virtual";
    }
  }
  EXPECT_FALSE(check_layout(container.layout_folder(name)).empty());
}

}  // namespace outcore
