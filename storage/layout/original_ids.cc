// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/original_ids.h"

#include <algorithm>

namespace outcore {

OriginalIds::OriginalIds(std::span<const VertexId> vertices) : OriginalIds(vertices.size()) {
  for (const VertexId vertex : vertices) add(vertex);
}

OriginalIds::OriginalIds(std::size_t ids) : ids_(ids) {
  near_.reserve(ids);
  bases_.reserve((ids + kGroup - 1) / kGroup);
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
    bases_.push_back(middle - std::min<VertexId>(middle, kFar / 2));
  }
  const VertexId distance = vertex - bases_.back();  // of a smaller one it is far too large
  if (vertex == kNoVertex) {
    near_.push_back(kVirtual);
  } else if (distance < kFar) {
    near_.push_back(static_cast<std::uint16_t>(distance));
  } else {
    near_.push_back(kFar);
    far_.emplace_back(id, vertex);
    if (far_.size() > ids_ / kFewFar) {
      plain_ = all();
      near_ = {};
      bases_ = {};
      far_ = {};
    }
  }
}

VertexId OriginalIds::beyond(VertexId id, std::uint16_t distance) const {
  if (distance == kVirtual) return kNoVertex;
  return std::lower_bound(far_.begin(), far_.end(), std::pair(id, VertexId{0}))->second;
}

std::vector<VertexId> OriginalIds::all() const {
  std::vector<VertexId> vertices;
  vertices.reserve(ids_);
  for (VertexId id = 0; id < size(); ++id) vertices.push_back((*this)[id]);
  return vertices;
}

std::uint64_t OriginalIds::memory_bytes() const {
  return near_.size() * sizeof(std::uint16_t) + (bases_.size() + plain_.size()) * sizeof(VertexId) +
         far_.size() * sizeof(far_.front());
}

}  // namespace outcore
