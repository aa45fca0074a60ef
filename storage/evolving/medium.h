// SPDX-License-Identifier: Apache-2.0
// What a store tells of its accesses to the medium that its lists live on, so that a model of that
// medium can count them, or a file can have them too: appends to the edge log and reads of it, and
// writes of blocks of adjacency with their headers and links. Vertex buffers and what is known of
// each vertex are in DRAM, and nothing is told of them.
//
// The data itself lies in memory. A store without a medium of this kind pays nothing.
#pragma once

#include <cstdint>

namespace outcore::evolving {

class Medium {
 public:
  virtual ~Medium() = default;
  // May calls come from several threads at once? Otherwise they come from one, in program order.
  [[nodiscard]] virtual bool takes_any_thread() const { return false; }
  // `place` is an address on the medium; the bytes lie at `data`.
  virtual void wrote(std::uint64_t place, std::uint64_t bytes, const void* data) = 0;
  virtual void read(std::uint64_t place, std::uint64_t bytes) = 0;
  // These bytes leave the cache now (clwb).
  virtual void flush(std::uint64_t place, std::uint64_t bytes) = 0;
};

}  // namespace outcore::evolving
