// SPDX-License-Identifier: Apache-2.0
// Memory that grows in bulks and never moves: its addresses are reserved at once, and bulks of them
// are made usable as threads ask (bulks.h). Each memory node has an equal part of the addresses.
//
// Any thread may call take() and the counts; no thread may use an arena while release_all() runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "storage/evolving/bulks.h"
#include "storage/evolving/placement.h"

namespace outcore::evolving {

class Arena final : public Bulks {
 public:
  // Throws Error (memory) where so much address space cannot be reserved.
  Arena(std::uint64_t reserved_bytes, std::uint64_t bulk_bytes, const Placement& placement);
  ~Arena() override;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // The next bulks of a node. Throws Error (memory) when the addresses of the node are used up.
  std::byte* take(std::uint64_t bytes, unsigned node) override;
  // Every bulk is free again. The memory stays with the process, for the next take().
  void release_all();

  [[nodiscard]] std::byte* base() const override { return base_; }
  [[nodiscard]] std::uint64_t bulk_bytes() const override { return bulk_; }
  [[nodiscard]] std::uint64_t taken_bytes() const override;
  [[nodiscard]] std::uint64_t taken_bytes(unsigned node) const override;
  [[nodiscard]] std::uint64_t most_taken_bytes() const;

 private:
  // What a node has. Bytes are counted from its first address.
  struct Part {
    std::byte* first = nullptr;
    std::uint64_t taken = 0;
    std::uint64_t usable = 0;
  };

  std::uint64_t reserved_;
  std::uint64_t bulk_;
  const Placement placement_;
  std::uint64_t part_bytes_;
  std::byte* base_ = nullptr;
  mutable std::mutex mutex_;  // of what follows
  std::vector<Part> parts_;
};

}  // namespace outcore::evolving
