// SPDX-License-Identifier: Apache-2.0
// The buffer of a vertex and what is known of the vertex beside it (sections III-B and III-C).
//
// Buffers have layers: powers of two of bytes, from the least to the greatest of a store. A buffer
// that is full moves up a layer, and one of the greatest layer is written as one block of its own
// size, so it holds what such a block holds beside the block's own data.
//
// The paper keeps a buffer's count and limit in its first 4 bytes. Here the count stands beside the
// pointer to the buffer, in the vertex's record: a full buffer is recognised before it is touched,
// and a snapshot has counts of its own. So 16 bytes hold 4 neighbours, not 3.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "common/ids.h"
#include "storage/evolving/log_edge.h"

namespace outcore::evolving {

// 16 bytes a vertex and direction.
struct VertexRecord {
  std::uint32_t buffer = 0;   // its place in the pool; 0: none
  std::uint32_t chain = 0;    // the place of its newest block; 0: none
  std::uint32_t flushed = 0;  // entries in the chain
  std::uint8_t used = 0;      // entries in the buffer
  std::uint8_t layer = 0;     // the buffer has 2^layer bytes; 0: none
  bool has_removals = false;  // some entry is a removal
};
static_assert(sizeof(VertexRecord) == 16);

// Layers are numbered by their size: layer 4 has 16 bytes.
inline constexpr unsigned kLeastLayer = 3;
inline constexpr unsigned kMostLayer = 9;

// How many entries buffers of each layer hold.
class Layers {
 public:
  // A block has `block_bytes` beside its entries.
  Layers(std::uint32_t least_bytes, std::uint32_t most_bytes, std::uint32_t block_bytes)
      : least_(static_cast<unsigned>(std::countr_zero(least_bytes))),
        most_(static_cast<unsigned>(std::countr_zero(most_bytes))) {
    for (unsigned layer = least_; layer < most_; ++layer)
      capacity_[layer] = static_cast<std::uint8_t>((1U << layer) / sizeof(Entry));
    capacity_[most_] = static_cast<std::uint8_t>(std::max<std::uint32_t>(
        1, (most_bytes - std::min(most_bytes, block_bytes)) / sizeof(Entry)));
  }

  [[nodiscard]] unsigned least() const { return least_; }
  [[nodiscard]] unsigned most() const { return most_; }
  [[nodiscard]] std::uint32_t capacity(unsigned layer) const { return capacity_[layer]; }
  // The lowest layer that holds so many entries, or the greatest: layers that a phase outgrows are
  // skipped (section III-C).
  [[nodiscard]] unsigned layer_of(std::uint64_t entries) const {
    unsigned layer = least_;
    while (layer < most_ && capacity_[layer] < entries) ++layer;
    return layer;
  }

 private:
  unsigned least_;
  unsigned most_;
  std::array<std::uint8_t, kMostLayer + 1> capacity_ = {};
};

// Vertices are kept in partitions. A snapshot shares them; the first change of a partition after
// that copies it.
inline constexpr unsigned kPartitionBits = 13;
inline constexpr VertexId kPartitionVertices = VertexId{1} << kPartitionBits;

struct Partition {
  // No record lies in two lines of the cache.
  alignas(64) std::array<VertexRecord, kPartitionVertices> records = {};
  std::uint64_t version = 0;  // the last snapshot that was made before this partition
};

}  // namespace outcore::evolving
