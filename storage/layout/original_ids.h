// SPDX-License-Identifier: Apache-2.0
// The canonical vertex of each layout id. Most packs leave ids near those of their neighbours (LPLF
// moves a list by at most a partition). So an id takes 2 bytes: its distance from a base that 64 of
// them share. Ids that are too far from it are kept separately, group by group (with number degree
// these are the hubs, 4% on a Kronecker graph). If they are many, as with number random, all ids
// take 4 bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/ids.h"

namespace outcore {

class OriginalIds {
 public:
  OriginalIds() = default;
  explicit OriginalIds(std::span<const VertexId> vertices);

  // For `ids` ids; then add() the vertex of each in order, kNoVertex for virtual ones.
  explicit OriginalIds(std::size_t ids);
  void add(std::span<const VertexId> vertices);

  [[nodiscard]] std::size_t size() const { return plain_.empty() ? near_.size() : plain_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] VertexId operator[](VertexId id) const {
    if (!plain_.empty()) return plain_[id];
    const std::uint16_t distance = near_[id];
    if (distance < kFar) return groups_[id / kGroup].base + distance;
    return distance == kVirtual ? kNoVertex : beyond(id);
  }
  // Does this id have a vertex?
  [[nodiscard]] bool is_real(VertexId id) const {
    return plain_.empty() ? near_[id] != kVirtual : plain_[id] != kNoVertex;
  }
  [[nodiscard]] std::vector<VertexId> all() const;
  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  static constexpr std::size_t kGroup = 64;
  static constexpr std::uint16_t kVirtual = 0xffff;
  static constexpr std::uint16_t kFar = 0xfffe;
  static constexpr std::size_t kFewFar = 4;  // at most one far id per this many ids

  // The base of a group: half of the range below its first vertex, which need not be the smallest.
  static VertexId base_below(VertexId first) { return first - std::min<VertexId>(first, kFar / 2); }
  void add(VertexId vertex);
  bool add_group(std::span<const VertexId, kGroup> vertices);
  [[nodiscard]] VertexId beyond(VertexId id) const;

  std::size_t ids_ = 0;
  struct Group {
    VertexId base;
    std::uint32_t far_before;  // far ids in earlier groups
  };
  std::vector<std::uint16_t> near_;  // distance from the group's base
  std::vector<Group> groups_;
  std::vector<VertexId> far_;    // by id
  std::vector<VertexId> plain_;  // instead of all the others
};

}  // namespace outcore
