// SPDX-License-Identifier: Apache-2.0
#include "engines/psw/half_passes.h"

#include "engines/psw/vertex_ranges.h"

namespace outcore {

void HalfPasses::start(Program& program, const Frontier& frontier, std::span<Collector> outs) {
  program_ = &program;
  message_bytes_ = program.traits().message_bytes;
  outs_ = outs;
  active_ = &frontier.bits();
  all_active_ = frontier.size() == layout_.facts().vertices;
  told_.assign(frontier.id_space());
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    workers_[w].hearing.start(program, outs[w], slots_.weights != nullptr);
  }
}

void HalfPasses::settle(VertexRange interval) {
  for_ranges(executor_, interval,
             [&](unsigned worker, VertexRange range) { program_->settle(range, outs_[worker]); });
}

std::uint64_t HalfPasses::edges() const {
  std::uint64_t edges = 0;
  for (const Worker& worker : workers_) edges += worker.hearing.edges();
  return edges;
}

}  // namespace outcore
