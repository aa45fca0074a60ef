// SPDX-License-Identifier: Apache-2.0
// The store as a subject (pmem_subject.h): small, so that a short stream fills buffers, wraps the
// log and takes several bulks. plant.py pastes this behind a store with a fault.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "storage/evolving/store.h"
#include "tests/crash/pmem_subject.h"
#include "tests/crash/sim_memory.h"

namespace outcore::evolving {

class OpenPmemStoreOf final : public OpenPmemStore {
 public:
  explicit OpenPmemStoreOf(std::shared_ptr<PersistentMemory> memory)
      : store_(knobs(std::move(memory))) {}

  void add(std::span<const LogEdge> updates) override { store_.add_edges(updates); }
  void flush_all() override { store_.flush_all(); }
  void compact(VertexId v) override { store_.compact(v); }
  void compact_all() override { store_.compact_all(); }
  PmemContents contents() override {
    snapshot_ = store_.snapshot();
    snapshot_->prepare(1);
    PmemContents contents{.updates = snapshot_->updates(),
                          .removals_missed = snapshot_->removals_missed(),
                          .lists = {}};
    ListReader reader(*snapshot_);
    for (const Direction direction : {Direction::out, Direction::in}) {
      auto& lists = contents.lists[static_cast<unsigned>(direction)];
      lists.resize(snapshot_->vertices());
      for (VertexId v = 0; v < snapshot_->vertices(); ++v) {
        reader.for_each_piece(direction, v, [&](std::span<const VertexId> piece) {
          lists[v].insert(lists[v].end(), piece.begin(), piece.end());
        });
        std::sort(lists[v].begin(), lists[v].end());
      }
    }
    return contents;
  }

 private:
  static StoreKnobs knobs(std::shared_ptr<PersistentMemory> memory) {
    StoreKnobs knobs;
    knobs.threshold = 16;
    knobs.least_buffer = 16;
    knobs.most_buffer = 64;
    knobs.image = std::make_shared<PmemImage>(std::move(memory));
    return knobs;
  }

  Store store_;
  std::shared_ptr<Snapshot> snapshot_;
};

class PmemSubjectOf final : public PmemSubject {
 public:
  [[nodiscard]] std::shared_ptr<PersistentMemory> create(std::uint64_t seed) const override {
    const PmemShape shape{
        .sides = 2, .log_edges = 128, .bulk_bytes = 16384, .partitions = 1, .bulks = 64};
    auto memory = std::make_shared<SimMemory>(PmemImage::bytes_of(shape), seed);
    PmemImage::create(*memory, shape);
    return memory;
  }
  [[nodiscard]] std::unique_ptr<OpenPmemStore> open(
      std::shared_ptr<PersistentMemory> memory) const override {
    return std::make_unique<OpenPmemStoreOf>(std::move(memory));
  }
};

}  // namespace outcore::evolving
