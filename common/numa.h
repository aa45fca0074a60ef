// SPDX-License-Identifier: Apache-2.0
// Placement on machines with several memory nodes, by libnuma. On machines with one node every call
// does nothing, so callers need no switch.
#pragma once

#include <cstddef>
#include <memory>

namespace outcore::numa {

// Number of memory nodes; 1 where the kernel offers no NUMA.
unsigned nodes();

// Workers are assigned to the nodes in turn. Binds the calling thread to its worker's node.
void bind_worker(unsigned worker);
// The calling thread may run on any node again.
void free_thread();
// Pages of this memory are allocated on this node, unless they were touched before.
void place(std::byte* memory, std::size_t bytes, unsigned node);

// Zeroed, page-aligned memory; from 2 MB on it is aligned to 2 MB. Its pages are allocated at the
// first write. Throws Error (memory) when there is not enough.
struct Free {
  std::size_t bytes = 0;
  void operator()(std::byte* memory) const;
};
using Memory = std::unique_ptr<std::byte[], Free>;
Memory allocate(std::size_t bytes);                   // on the node of the first writer
Memory allocate(std::size_t bytes, unsigned worker);  // on the worker's node

}  // namespace outcore::numa
