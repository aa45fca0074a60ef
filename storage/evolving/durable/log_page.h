// SPDX-License-Identifier: Apache-2.0
// A page of the edge log: 4096 bytes, 500 updates, all integers little-endian.
//
//   0    u64  xxh3 of the other 4088 bytes
//   8    u64  the page's number, from 0; it lies at page number % pages of the file
//   16   u64  the number of its first update, from 1
//   24   u32  epoch: which opening of the store wrote it
//   28   u16  how many updates it has
//   30   u16  how many pages of its group come before it
//   32   512 bits, lowest first: which updates are removals
//   96   500 pairs of u32: source, target; 0 beyond the last
//
// A page is written once in a lap of the log. One that is acknowledged is never written again, full
// or not: if that were torn, what was acknowledged would be lost.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/hash.h"
#include "storage/evolving/update.h"

namespace outcore::evolving {

struct alignas(4096) LogPage {
  static constexpr std::size_t kUpdates = 500;

  std::uint64_t hash = 0;
  std::uint64_t number = 0;
  std::uint64_t first = 0;
  std::uint32_t epoch = 0;
  std::uint16_t count = 0;
  std::uint16_t before = 0;
  std::array<std::uint64_t, 8> removals{};
  std::array<std::array<std::uint32_t, 2>, kUpdates> edges{};

  void add(const Update& update) {
    edges[count] = {update.source, update.target};
    removals[count / 64] |= std::uint64_t{update.removes} << (count % 64);
    ++count;
  }
  [[nodiscard]] Update update(std::size_t i) const {
    return {edges[i][0], edges[i][1], (removals[i / 64] >> (i % 64) & 1) != 0};
  }
  [[nodiscard]] std::uint64_t last() const { return first + count - 1; }
  [[nodiscard]] std::uint64_t right_hash() const {
    return hash_bytes(std::as_bytes(std::span(this, 1)).subspan(sizeof hash));
  }
};
static_assert(sizeof(LogPage) == 4096);

}  // namespace outcore::evolving
