// SPDX-License-Identifier: Apache-2.0
#include "engines/psw/updates.h"

namespace outcore {

void Updates::start(Program& program, const Frontier& frontier, bool deterministic) {
  program_ = &program;
  message_bytes_ = program.traits().message_bytes;
  deterministic_ = deterministic;
  newest_is_enough_ = program.traits().newest_is_enough();
  active_ = frontier.bits();
  told_.assign(frontier.id_space());
  clocks_.start(frontier.id_space());
  step_ = VertexClocks::first_step() - 1;
}

std::span<const std::uint8_t> Updates::enter(VertexRange sub_interval) {
  range_ = sub_interval;
  ++step_;
  due_.assign(size(), 0);
  speaks_.assign(size(), 0);
  VertexId count = 0;
  const auto take = [&](Bitmap& bits, std::vector<std::uint8_t>& bytes) {
    bits.for_each(range_.begin, range_.end, [&](std::size_t v) {
      bits.clear(v);
      bytes[v - range_.begin] = 1;
    });
  };
  take(told_, due_);
  take(active_, speaks_);
  for (VertexId k = 0; k < size(); ++k) {
    due_[k] |= speaks_[k];
    count += due_[k];
  }
  if (newest_is_enough_ && count < size() / kFew) {
    wanted_ = due_;
  } else {
    wanted_.assign(size(), 1);
  }
  return wanted_;
}

// A vertex whose turn in this step is still to come hears it then. Otherwise, or where its edges
// were not assigned, in its next step.
void Updates::tell(VertexId u, VertexId v) {
  const VertexId k = v - range_.begin;
  const bool here = k < size() && wanted_[k] != 0;
  if (here && (v > u || !deterministic_)) {
    // Relaxed: see take_due().
    std::atomic_ref(due_[k]).store(1, std::memory_order_relaxed);
    if (deterministic_) return;
  }
  told_.set(v);
}

void Updates::add_up() {
  for (Worker& worker : workers_) {
    counts_.updates += worker.counts.updates;
    counts_.serialised += worker.counts.serialised;
    counts_.spoke += worker.counts.spoke;
    counts_.edges += worker.hearing.edges();
    worker.counts = {};
  }
}

std::uint64_t Updates::memory_bytes() const {
  return clocks_.memory_bytes() + (active_.words().size() + told_.words().size()) * 8 +
         due_.capacity() + speaks_.capacity() + wanted_.capacity() +
         serialised_.capacity() * sizeof(VertexId);
}

}  // namespace outcore
