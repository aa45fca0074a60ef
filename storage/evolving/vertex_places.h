// SPDX-License-Identifier: Apache-2.0
// Where the records of vertices are. Vertex v belongs to sub-graph v mod P, P a power of two
// (XPGraph, section III-D). Vertices of one sub-graph are kept in partitions: partition p is of
// sub-graph p mod P, so a partition, and a range of partitions, lies on one memory node. With P = 1
// partitions are neighbouring vertices.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/ids.h"
#include "storage/evolving/vertex_buffer.h"

namespace outcore::evolving {

class VertexPlaces {
 public:
  // REQUIRES: `sub_graphs` is a power of two.
  explicit VertexPlaces(unsigned sub_graphs = 1)
      : bits_(static_cast<unsigned>(std::countr_zero(sub_graphs))), mask_(sub_graphs - 1) {}

  [[nodiscard]] unsigned sub_graphs() const { return mask_ + 1; }
  // Groups of 2^bits vertices of one sub-graph; a group's sub-graph is its number mod P.
  [[nodiscard]] VertexId group(VertexId v, unsigned bits) const {
    return (v >> (bits + bits_) << bits_) | (v & mask_);
  }
  // As many as vertices from 0 on are in; a multiple of P.
  [[nodiscard]] std::size_t groups(std::uint64_t vertices, unsigned bits) const {
    const std::uint64_t in_each = std::uint64_t{1} << (bits + bits_);
    return (vertices + in_each - 1) / in_each << bits_;
  }

  [[nodiscard]] std::size_t partition(VertexId v) const { return group(v, kPartitionBits); }
  [[nodiscard]] std::size_t partitions(std::uint64_t vertices) const {
    return groups(vertices, kPartitionBits);
  }
  // Of a vertex within its partition, or within any group.
  [[nodiscard]] VertexId number_in_sub_graph(VertexId v) const { return v >> bits_; }
  [[nodiscard]] VertexId index(VertexId v) const {
    return number_in_sub_graph(v) % kPartitionVertices;
  }
  [[nodiscard]] VertexId vertex(std::size_t partition, VertexId index) const {
    const auto number = static_cast<VertexId>(partition >> bits_ << kPartitionBits) + index;
    return (number << bits_) | (static_cast<VertexId>(partition) & mask_);
  }

 private:
  unsigned bits_;
  VertexId mask_;
};

}  // namespace outcore::evolving
