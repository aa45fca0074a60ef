// SPDX-License-Identifier: Apache-2.0
// Which memory node the lists of a store lie on, and which threads work at them (XPGraph, section
// III-D). Three ways:
//
//   sub_graphs   vertex v is of sub-graph v mod P, each on a node of its own with threads of its
//                own. P is the greatest power of two for which there are nodes and threads
//   directions   out-lists on the first node, in-lists on the second; all threads go where the
//                lists are. The other node's processors rest meanwhile, as in the paper
//   none         threads and memory are where the kernel puts them; so it is with one node
//
// A *lane* is what takes memory for lists: one a thread, and with `directions` one a thread and
// direction, so that all memory of a lane is on one node.
#pragma once

#include <cstdint>

#include "storage/evolving/memory_nodes.h"
#include "storage/evolving/vertex_places.h"

namespace outcore::evolving {

enum class PlaceLists : std::uint8_t { none, sub_graphs, directions };

class Placement {
 public:
  Placement(PlaceLists how, MemoryNodes& nodes, unsigned threads);

  // Among which lists are divided; 1: nothing is placed.
  [[nodiscard]] unsigned nodes() const { return count_; }
  [[nodiscard]] VertexPlaces vertex_places() const {
    return VertexPlaces(how_ == PlaceLists::sub_graphs ? count_ : 1);
  }
  // The node of the lists that a thread works at while it is at lists of this side.
  [[nodiscard]] unsigned node(unsigned thread, unsigned side) const {
    return (how_ == PlaceLists::directions ? side : thread) % count_;
  }

  [[nodiscard]] unsigned lanes() const { return threads_ * sides(); }
  [[nodiscard]] unsigned lane(unsigned thread, unsigned side) const {
    return thread + threads_ * (side % sides());
  }
  [[nodiscard]] unsigned node_of_lane(unsigned lane) const {
    return node(lane % threads_, lane / threads_);
  }
  // REQUIRES: the memory was not touched yet.
  void place(std::byte* memory, std::uint64_t bytes, unsigned node) const {
    if (count_ > 1) nodes_.place(memory, bytes, node);
  }

  // Binds the calling thread while it works.
  class Bound {
   public:
    Bound(const Placement& placement, unsigned thread, unsigned side)
        : nodes_(placement.count_ > 1 ? &placement.nodes_ : nullptr) {
      if (nodes_ != nullptr) nodes_->bind_thread(placement.node(thread, side));
    }
    ~Bound() {
      if (nodes_ != nullptr) nodes_->free_thread();
    }
    Bound(const Bound&) = delete;
    Bound& operator=(const Bound&) = delete;

   private:
    MemoryNodes* nodes_;
  };

 private:
  [[nodiscard]] unsigned sides() const { return how_ == PlaceLists::directions ? 2 : 1; }

  PlaceLists how_;
  MemoryNodes& nodes_;
  unsigned threads_;
  unsigned count_;
};

}  // namespace outcore::evolving
