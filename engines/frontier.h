// SPDX-License-Identifier: Apache-2.0
// A set of active vertices: always a bitmap, and also a list while the set is small, so that a
// round over ten vertices of a million costs ten steps. Concurrent changes are not allowed.
#pragma once

#include <vector>

#include "engines/program.h"

namespace outcore {

class Collector;
class EventRecorder;

class Frontier {
 public:
  explicit Frontier(VertexId id_space) : bits_(id_space) {}
  static Frontier of(VertexId id_space, std::span<const VertexId> vertices);
  // All real vertices of the graph.
  static Frontier all(const Graph& graph);
  static Frontier from_bits(Bitmap&& bits);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] bool contains(VertexId v) const { return bits_.get(v); }
  [[nodiscard]] bool is_sparse() const { return sparse_; }
  [[nodiscard]] std::span<const VertexId> list() const { return list_; }
  [[nodiscard]] const Bitmap& bits() const { return bits_; }
  [[nodiscard]] VertexId id_space() const { return static_cast<VertexId>(bits_.size()); }

  void add(VertexId v);
  // All of `other`, which has the same ids.
  void add(const Frontier& other);
  // Empties it, in time proportional to its size.
  void clear();
  // A parallel round adds to a frontier through one Collector per worker; afterwards this drains
  // them.
  void adopt(std::span<Collector> collectors);

  // Calls f once for every vertex, in ascending order if the set is dense.
  template <typename F>
  void for_each(F&& f) const {
    if (sparse_) {
      for (const VertexId v : list_) f(v);
    } else {
      bits_.for_each(0, bits_.size(), [&](std::size_t v) { f(static_cast<VertexId>(v)); });
    }
  }

 private:
  friend class Collector;
  // Above this share of the id space the list is dropped, because scanning the words is cheaper.
  static constexpr std::size_t kDenseShare = 64;
  [[nodiscard]] bool small(std::size_t size) const { return size * kDenseShare <= bits_.size(); }

  Bitmap bits_;
  std::vector<VertexId> list_;
  std::size_t size_ = 0;
  bool sparse_ = true;
};

// Puts one worker's Activations into the next frontier and removes duplicates, also between
// workers. On cache lines of its own, because the workers' collectors are neighbours in memory.
class alignas(64) Collector : public Activations {
 public:
  // `alone`: the worker reports only vertices of its own ranges, which are whole words of bits.
  // `events`: notes which vertices are found; null: nobody does.
  explicit Collector(Frontier& next, bool alone = false, EventRecorder* events = nullptr)
      : next_(&next), alone_(alone), events_(events) {}
  // The number of activations reported, including duplicates.
  [[nodiscard]] std::uint64_t reported() const { return reported_; }

 protected:
  void take(std::span<const Entry> entries) override;

 private:
  friend class Frontier;
  Frontier* next_;
  bool alone_;
  EventRecorder* events_;
  std::vector<VertexId> list_;  // kept only while the whole frontier may be small
  std::size_t added_ = 0;
  std::uint64_t reported_ = 0;
};

}  // namespace outcore
