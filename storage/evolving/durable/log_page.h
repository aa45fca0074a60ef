// SPDX-License-Identifier: Apache-2.0
// A page of the edge log: 4096 bytes, all integers little-endian. It has 500 updates, or 662 in a
// store with ids of 3 bytes.
//
//   0    u64  xxh3 of the other 4088 bytes
//   8    u64  the page's number, from 0; it lies at page number % pages of the file
//   16   u64  the number of its first update, from 1
//   24   u32  epoch: which opening of the store wrote it
//   28   u16  how many updates it has
//   30   u16  how many pages of its group come before it
//   32   512 bits, lowest first: which updates are removals (704 bits)
//   96   500 pairs of u32: source, target; 0 beyond the last (from 120 on 662 pairs of 3 bytes)
//
// A page is written once in a lap of the log. One that is acknowledged is never written again, full
// or not: if that were torn, what was acknowledged would be lost.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/hash.h"
#include "storage/evolving/durable/stored_ids.h"
#include "storage/evolving/update.h"

namespace outcore::evolving {

struct alignas(4096) LogPage {
  static constexpr std::size_t kUpdates = 500;  // with ids of 4 bytes
  static constexpr std::size_t updates_of(unsigned id_bytes) {
    return id_bytes == 4 ? kUpdates : 662;
  }

  std::uint64_t hash = 0;
  std::uint64_t number = 0;
  std::uint64_t first = 0;
  std::uint32_t epoch = 0;
  std::uint16_t count = 0;
  std::uint16_t before = 0;
  std::array<std::byte, 4064> updates{};

  template <unsigned kIdBytes = 4>
  void add(const Update& update) {
    updates[count / 8] |= static_cast<std::byte>(update.removes) << (count % 8);
    std::byte* const to = &updates[place_of<kIdBytes>(count)];
    put_id<kIdBytes>(to, update.source);
    put_id<kIdBytes>(to + kIdBytes, update.target);
    ++count;
  }
  template <unsigned kIdBytes = 4>
  [[nodiscard]] Update update(std::size_t i) const {
    const std::byte* const from = &updates[place_of<kIdBytes>(i)];
    return {get_id<kIdBytes>(from), get_id<kIdBytes>(from + kIdBytes),
            (updates[i / 8] >> (i % 8) & std::byte{1}) != std::byte{0}};
  }
  [[nodiscard]] std::uint64_t last() const { return first + count - 1; }
  [[nodiscard]] std::uint64_t right_hash() const {
    return hash_bytes(std::as_bytes(std::span(this, 1)).subspan(sizeof hash));
  }

 private:
  template <unsigned kIdBytes>
  static constexpr std::size_t place_of(std::size_t update) {
    return (kIdBytes == 4 ? 64 : 88) + update * 2 * kIdBytes;
  }
};
static_assert(sizeof(LogPage) == 4096);

}  // namespace outcore::evolving
