// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/segment_tree.h"

#include <gtest/gtest.h>

#include "common/hash.h"

namespace outcore {
namespace {

TEST(SegmentTree, AgreesWithALinearSearch) {
  for (const std::uint64_t blocks : {1, 2, 3, 64, 100}) {
    constexpr std::uint32_t kRoom = 16;
    SegmentTree tree(blocks, kRoom);
    std::vector<std::uint32_t> free(blocks, kRoom);
    for (std::uint64_t step = 0; step < 20 * blocks; ++step) {
      const auto need = static_cast<std::uint32_t>(mix(step) % kRoom + 1);
      const auto first =
          std::find_if(free.begin(), free.end(), [&](std::uint32_t f) { return f >= need; });
      if (first == free.end()) continue;  // callers make the row long enough
      const auto expected = static_cast<BlockId>(first - free.begin());
      ASSERT_EQ(tree.first_with(need), expected) << blocks << " blocks, step " << step;
      tree.take(expected, need);
      *first -= need;
      ASSERT_EQ(tree.free(expected), *first);
    }
  }
}

TEST(SegmentTree, FindsTheLastBlockUpToAGivenOne) {
  for (const std::uint64_t blocks : {1, 2, 3, 64, 100}) {
    SegmentTree tree(blocks, 0);
    std::vector<std::uint32_t> free(blocks, 0);
    for (std::uint64_t step = 0; step < 20 * blocks; ++step) {
      const BlockId changed = mix(step) % blocks;
      free[changed] = static_cast<std::uint32_t>(mix(~step) % 9);
      tree.set(changed, free[changed]);
      const auto need = static_cast<std::uint32_t>(mix(step + 1) % 9 + 1);
      const BlockId last = mix(step + 2) % blocks;
      std::optional<BlockId> expected;
      for (BlockId b = 0; b <= last; ++b) {
        if (free[b] >= need) expected = b;
      }
      ASSERT_EQ(tree.last_with(last, need), expected) << blocks << " blocks, step " << step;
    }
  }
}

}  // namespace
}  // namespace outcore
