// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/original_ids.h"

#include <algorithm>

namespace outcore {

OriginalIds::OriginalIds(std::span<const VertexId> vertices) : OriginalIds(vertices.size()) {
  add(vertices);
}

OriginalIds::OriginalIds(std::size_t ids) : ids_(ids) {
  near_.reserve(ids);
  groups_.reserve((ids + kGroup - 1) / kGroup);
}

void OriginalIds::add(std::span<const VertexId> vertices) {
  while (!vertices.empty()) {
    if (vertices.size() >= kGroup && add_group(vertices.first<kGroup>())) {
      vertices = vertices.subspan(kGroup);
    } else {
      add(vertices.front());
      vertices = vertices.subspan(1);
    }
  }
}

// Adds a whole group in which all vertices are near and none is virtual, as in most groups; this
// loop is vectorised. False if the group is not of this kind.
bool OriginalIds::add_group(std::span<const VertexId, kGroup> vertices) {
  if (!plain_.empty() || near_.size() % kGroup != 0) return false;
  const VertexId base = base_below(vertices.front());
  std::uint16_t distances[kGroup];
  VertexId farthest = 0;
  for (std::size_t i = 0; i < kGroup; ++i) {
    const VertexId distance = vertices[i] - base;  // wraps around if the vertex is smaller
    farthest = std::max(farthest, vertices[i] == kNoVertex ? kFar : distance);
    distances[i] = static_cast<std::uint16_t>(distance);
  }
  if (farthest >= kFar) return false;
  groups_.push_back({.base = base, .far_before = static_cast<std::uint32_t>(far_.size())});
  near_.insert(near_.end(), distances, distances + kGroup);
  return true;
}

void OriginalIds::add(VertexId vertex) {
  if (!plain_.empty()) {
    plain_.push_back(vertex);
    return;
  }
  const auto id = static_cast<VertexId>(near_.size());
  if (id % kGroup == 0) {
    // A virtual id takes the place of the id before it.
    const VertexId middle = vertex != kNoVertex ? vertex : id == 0 ? 0 : (*this)[id - 1];
    groups_.push_back(
        {.base = base_below(middle), .far_before = static_cast<std::uint32_t>(far_.size())});
  }
  const VertexId distance = vertex - groups_.back().base;  // wraps around if the vertex is smaller
  if (vertex == kNoVertex) {
    near_.push_back(kVirtual);
  } else if (distance < kFar) {
    near_.push_back(static_cast<std::uint16_t>(distance));
  } else {
    near_.push_back(kFar);
    far_.push_back(vertex);
    if (far_.size() > ids_ / kFewFar) {
      plain_ = all();
      // Assigning {} would keep the memory.
      near_ = std::vector<std::uint16_t>();
      groups_ = std::vector<Group>();
      far_ = std::vector<VertexId>();
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
