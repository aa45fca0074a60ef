// SPDX-License-Identifier: Apache-2.0
// A store in persistent memory as its crash campaign sees it, so that one with a planted fault can
// take its place.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "storage/evolving/log_edge.h"
#include "storage/evolving/pmem/persistent_memory.h"
#include "tests/planted.h"

namespace outcore::evolving {

// What a snapshot has: each list sorted, out-lists and in-lists.
struct PmemContents {
  std::uint64_t updates = 0;
  std::uint64_t removals_missed = 0;
  std::array<std::vector<std::vector<VertexId>>, 2> lists;
  friend bool operator==(const PmemContents&, const PmemContents&) = default;
};

class OpenPmemStore {
 public:
  virtual ~OpenPmemStore() = default;
  virtual void add(std::span<const LogEdge> updates) = 0;
  virtual void flush_all() = 0;
  virtual void compact(VertexId v) = 0;
  virtual void compact_all() = 0;
  // The snapshot is kept until the next one.
  virtual PmemContents contents() = 0;
};

class PmemSubject {
 public:
  virtual ~PmemSubject() = default;
  [[nodiscard]] virtual std::shared_ptr<PersistentMemory> create(std::uint64_t seed) const = 0;
  [[nodiscard]] virtual std::unique_ptr<OpenPmemStore> open(
      std::shared_ptr<PersistentMemory> memory) const = 0;
};

using PmemMutant = Planted<const PmemSubject*>;

}  // namespace outcore::evolving
