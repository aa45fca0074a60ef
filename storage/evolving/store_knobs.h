// SPDX-License-Identifier: Apache-2.0
// The knobs of a store. Each has a counter that moves with it (counters.h).
#pragma once

#include <cstdint>
#include <memory>

#include "storage/evolving/medium.h"
#include "storage/evolving/memory_nodes.h"
#include "storage/evolving/placement.h"
#include "storage/evolving/pmem/pmem_image.h"

namespace outcore::evolving {

// How edges get from the log into lists.
enum class Archiving : std::uint8_t {
  buffers,      // XPGraph: a buffer a vertex, which is written as a block when it is full
  edge_by_edge  // GraphOne: a block a vertex and phase, into which each edge is written by itself
};

struct StoreKnobs {
  bool symmetric = false;  // one direction of lists, in which each edge stands at both ends
  unsigned threads = 1;
  Archiving archiving = Archiving::buffers;
  // Battery-backed or not durable at all (-B and -D, section IV-C): the log may overwrite edges
  // that are only buffered.
  bool reuse_buffered = false;

  std::uint64_t log_edges = std::uint64_t{1} << 24;  // a power of two
  std::uint64_t threshold = std::uint64_t{1} << 16;  // edges not buffered that start a phase
  bool exact_batches = false;  // a phase takes `threshold` edges, and not all that are there

  std::uint32_t least_buffer = 16;  // bytes, powers of two from 8 to 512
  std::uint32_t most_buffer = 256;
  std::uint64_t pool_bytes = std::uint64_t{16} << 30;  // beyond it everything is flushed
  std::uint64_t bulk_bytes = std::uint64_t{16} << 20;  // what a thread takes of the pool at once
  unsigned ranges = 0;                                 // of sources; 0: by the size of the phase

  Medium* medium = nullptr;  // what accesses of lists and log are told to
  bool clwb = false;         // blocks of 256 bytes and more leave the cache at once (section IV-A)
  // The store goes on with what this has, and keeps in it what it takes: directions, log and bulks
  // are those of the image. Null: the store ends with the process.
  std::shared_ptr<PmemImage> image = nullptr;

  PlaceLists place = PlaceLists::sub_graphs;  // on the nodes, if there are several
  MemoryNodes* nodes = &MemoryNodes::of_machine();
};

}  // namespace outcore::evolving
