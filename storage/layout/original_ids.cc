// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/original_ids.h"

#include <algorithm>

namespace outcore {

OriginalIds::OriginalIds(std::span<const VertexId> vertices) : OriginalIds(vertices.size()) {
  for (const VertexId vertex : vertices) add(vertex);
}

OriginalIds::OriginalIds(std::size_t ids) : ids_(ids) {
  near_.reserve(ids);
  groups_.reserve((ids + kGroup - 1) / kGroup);
}

void OriginalIds::add(VertexId vertex) {
  if (!plain_.empty()) {
    plain_.push_back(vertex);
    return;
  }
  const auto id = static_cast<VertexId>(near_.size());
  if (id % kGroup == 0) {
    // As far below as above: the first of a group need not be its least. A virtual one lies where
    // the one before it does.
    const VertexId middle = vertex != kNoVertex ? vertex : id == 0 ? 0 : (*this)[id - 1];
    groups_.push_back({.base = middle - std::min<VertexId>(middle, kFar / 2),
                       .far_before = static_cast<std::uint32_t>(far_.size())});
  }
  const VertexId distance = vertex - groups_.back().base;  // of a smaller one it is far too large
  if (vertex == kNoVertex) {
    near_.push_back(kVirtual);
  } else if (distance < kFar) {
    near_.push_back(static_cast<std::uint16_t>(distance));
  } else {
    near_.push_back(kFar);
    far_.push_back(vertex);
    if (far_.size() > ids_ / kFewFar) {
      plain_ = all();
      near_ = {};
      groups_ = {};
      far_ = {};
    }
  }
}

VertexId OriginalIds::beyond(VertexId id) const {
  const std::size_t group = id / kGroup;
  const auto begin = near_.begin() + static_cast<std::ptrdiff_t>(group * kGroup);
  const auto before = std::count(begin, near_.begin() + id, kFar);
  return far_[groups_[group].far_before + static_cast<std::size_t>(before)];
}

std::vector<VertexId> OriginalIds::all() const {
  std::vector<VertexId> vertices;
  vertices.reserve(ids_);
  for (VertexId id = 0; id < size(); ++id) vertices.push_back((*this)[id]);
  return vertices;
}

std::uint64_t OriginalIds::memory_bytes() const {
  return near_.size() * sizeof(std::uint16_t) + groups_.size() * sizeof(Group) +
         (far_.size() + plain_.size()) * sizeof(VertexId);
}

}  // namespace outcore
