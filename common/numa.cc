// SPDX-License-Identifier: Apache-2.0
#include "common/numa.h"

#include <fmt/format.h>
#include <numa.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "common/error.h"
#include "common/huge_pages.h"

namespace outcore::numa {

namespace {

constexpr std::size_t kPage = 4096;

int node_of(unsigned worker) { return static_cast<int>(worker % nodes()); }

}  // namespace

unsigned nodes() {
  static const unsigned count =
      numa_available() < 0 ? 1U : static_cast<unsigned>(numa_num_configured_nodes());
  return count == 0 ? 1U : count;
}

void bind_worker(unsigned worker) {
  if (nodes() > 1) numa_run_on_node(node_of(worker));
}

void free_thread() {
  if (nodes() > 1) numa_run_on_node(-1);
}

void place(std::byte* memory, std::size_t bytes, unsigned node) {
  if (nodes() > 1) numa_tonode_memory(memory, bytes, static_cast<int>(node));
}

void Free::operator()(std::byte* memory) const { munmap(memory, bytes); }

Memory allocate(std::size_t bytes) {
  // Aligns the memory to a huge page by asking for more and returning the surplus. A request into
  // one huge page reaches the device as one piece, into small pages as many.
  const std::size_t more = bytes < kHugePage ? 0 : kHugePage - kPage;
  void* memory = mmap(nullptr, bytes + more, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(ExitCode::memory,
                fmt::format("cannot allocate {} bytes: {}", bytes, std::strerror(errno)));
  }
  auto* begin = static_cast<std::byte*>(memory);
  if (more > 0) {
    const std::size_t skip = -reinterpret_cast<std::uintptr_t>(memory) % kHugePage;
    const std::size_t used = skip + (bytes + kPage - 1) / kPage * kPage;
    if (skip > 0) munmap(begin, skip);
    if (used < bytes + more) munmap(begin + used, bytes + more - used);
    begin += skip;
  }
  return Memory(begin, Free{bytes});
}

Memory allocate(std::size_t bytes, unsigned worker) {
  Memory memory = allocate(bytes);
  place(memory.get(), bytes, static_cast<unsigned>(node_of(worker)));
  return memory;
}

}  // namespace outcore::numa
