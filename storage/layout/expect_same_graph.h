// SPDX-License-Identifier: Apache-2.0
// For tests: that a layout holds the graph it was made from, shown by a reader of its own.
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

namespace outcore {

// One direction's blocks, each checked against its sum, and lists put together part by part.
class ListReader {
 public:
  ListReader(const Layout& layout, Direction direction)
      : index_(layout.index(direction)), slots_(index_.slots_per_block()) {
    const BlockFile& file = layout.block_files()[layout.file(direction)];
    blocks_.resize(file.blocks() * slots_);
    File::open_read(file.path).read(std::as_writable_bytes(std::span(blocks_)), 0);
    for (BlockId b = 0; b < file.blocks(); ++b) {
      EXPECT_EQ(checksum32(std::as_bytes(std::span(blocks_).subspan(b * slots_, slots_))),
                file.sums[b]);
    }
  }
  [[nodiscard]] std::vector<VertexId> list(VertexId id) const {
    const ListAddress address = index_.address(id);
    std::vector<VertexId> list(address.degree);
    if (list.empty()) return list;
    for (BlockId b = index_.first_block(address); b <= index_.last_block(address); ++b) {
      const BlockPart part = index_.part(address, b);
      EXPECT_LE(part.slot + part.count, slots_);
      EXPECT_GT(part.count, 0U);
      std::copy_n(blocks_.begin() + static_cast<std::ptrdiff_t>(b * slots_ + part.slot), part.count,
                  list.begin() + static_cast<std::ptrdiff_t>(part.first));
    }
    return list;
  }

 private:
  const ListIndex& index_;
  std::uint32_t slots_;
  std::vector<VertexId> blocks_;
};

inline void expect_same_graph(const std::filesystem::path& folder, const std::string& name) {
  Container container(folder);
  const Layout layout(container.layout_folder(name));
  for (const Direction direction : {Direction::out, Direction::in}) {
    const CsrView csr = container.csr(direction);
    const ListReader reader(layout, direction);
    for (VertexId v = 0; v < csr.vertices(); ++v) {
      std::vector<VertexId> expected;
      for (const VertexId u : csr.list(v)) expected.push_back(layout.from_original(u));
      std::sort(expected.begin(), expected.end());
      ASSERT_EQ(reader.list(layout.from_original(v)), expected) << "list " << v;
    }
  }
  EXPECT_FALSE(check_layout(container.layout_folder(name)).empty());
}

}  // namespace outcore
