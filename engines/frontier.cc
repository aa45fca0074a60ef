// SPDX-License-Identifier: Apache-2.0
#include "engines/frontier.h"

#include <algorithm>
#include <functional>

#include "engines/note_found.h"

namespace outcore {

Frontier Frontier::of(VertexId id_space, std::span<const VertexId> vertices) {
  Frontier frontier(id_space);
  for (const VertexId v : vertices) frontier.add(v);
  return frontier;
}

Frontier Frontier::all(const Graph& graph) {
  Bitmap real(graph.id_space);
  if (graph.id_space == graph.vertices) {
    real.set_all();
  } else {
    real.set_where(0, graph.id_space,
                   [&](std::size_t v) { return graph.is_real(static_cast<VertexId>(v)); });
  }
  return from_bits(std::move(real));
}

Frontier Frontier::from_bits(Bitmap&& bits) {
  Frontier frontier(0);
  frontier.bits_ = std::move(bits);
  frontier.size_ = frontier.bits_.count();
  frontier.sparse_ = false;
  return frontier;
}

void Frontier::add(VertexId v) {
  if (!bits_.set(v)) return;
  ++size_;
  if (!sparse_) return;
  list_.push_back(v);
  if (!small(size_)) {
    sparse_ = false;
    list_.clear();
  }
}

void Frontier::add(const Frontier& other) {
  if (other.sparse_) {
    for (const VertexId v : other.list_) add(v);
    return;
  }
  const std::span<std::uint64_t> words = bits_.words();
  std::transform(words.begin(), words.end(), other.bits_.words().begin(), words.begin(),
                 std::bit_or<>());
  size_ = bits_.count();
  sparse_ = false;
  list_.clear();
}

void Frontier::clear() {
  if (sparse_) {
    for (const VertexId v : list_) bits_.clear(v);
  } else {
    bits_.clear_all();
  }
  list_.clear();
  size_ = 0;
  sparse_ = true;
}

void Frontier::adopt(std::span<Collector> collectors) {
  for (Collector& collector : collectors) collector.drain();
  for (const Collector& collector : collectors) size_ += collector.added_;
  sparse_ = sparse_ && small(size_);
  for (Collector& collector : collectors) {
    if (sparse_) list_.insert(list_.end(), collector.list_.begin(), collector.list_.end());
  }
}

void Collector::take(std::span<const Entry> entries) {
  reported_ += entries.size();
  if (events_ != nullptr) note_found(*events_, entries);
  for (const Entry& entry : entries) {
    if (!(alone_ ? next_->bits_.set_alone(entry.v) : next_->bits_.set(entry.v))) continue;
    ++added_;
    if (next_->small(added_)) list_.push_back(entry.v);
  }
}

}  // namespace outcore
