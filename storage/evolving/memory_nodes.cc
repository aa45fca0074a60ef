// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/memory_nodes.h"

#include "common/numa.h"

namespace outcore::evolving {

namespace {

class NodesOfMachine final : public MemoryNodes {
 public:
  [[nodiscard]] unsigned count() const override { return numa::nodes(); }
  void bind_thread(unsigned node) override { numa::bind_worker(node); }
  void free_thread() override { numa::free_thread(); }
  void place(std::byte* memory, std::uint64_t bytes, unsigned node) override {
    numa::place(memory, bytes, node);
  }
};

}  // namespace

MemoryNodes& MemoryNodes::of_machine() {
  static NodesOfMachine nodes;
  return nodes;
}

}  // namespace outcore::evolving
