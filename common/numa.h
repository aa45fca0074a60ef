// SPDX-License-Identifier: Apache-2.0
// Placement on machines with several memory nodes, by libnuma. On one node every call is a no-op
// that costs nothing, so callers need no switch.
#pragma once

#include <cstddef>
#include <memory>

namespace outcore::numa {

// Number of memory nodes; 1 where the kernel offers no NUMA.
unsigned nodes();

// Workers are spread over the nodes in turn; binds the calling thread to its worker's node.
void bind_worker(unsigned worker);

// Zeroed, page-aligned memory, from 2 MB on aligned to that, whose pages come with the first write.
// Throws Error (memory) when it cannot be had.
struct Free {
  std::size_t bytes = 0;
  void operator()(std::byte* memory) const;
};
using Memory = std::unique_ptr<std::byte[], Free>;
Memory allocate(std::size_t bytes);                   // on the node of whoever writes first
Memory allocate(std::size_t bytes, unsigned worker);  // on the worker's

}  // namespace outcore::numa
