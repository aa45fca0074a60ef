// SPDX-License-Identifier: Apache-2.0
// For tests: the values of a layout's edges and a door of their own, one request at a time.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "common/numa.h"
#include "storage/io/door.h"
#include "storage/layout/edges/edge_values.h"

namespace outcore {

class ValuesDoor {
 public:
  explicit ValuesDoor(const EdgeLayout& layout, const std::string& backend = "threads",
                      const BackendOptions& options = {})
      : block_bytes_(layout.facts().block_bytes),
        values_(layout),
        door_({values_.take_file()}, backend, options) {}

  [[nodiscard]] const EdgeValues& values() const { return values_; }
  [[nodiscard]] std::vector<std::byte> read(const EdgeCell& cell) {
    const std::uint64_t blocks = values_.blocks(cell);
    if (blocks == 0) return {};
    const numa::Memory memory = numa::allocate(blocks * block_bytes_);
    one_request([&](DoorChannel& channel) {
      channel.read(0, values_.first_block(cell), static_cast<std::uint32_t>(blocks), memory.get(),
                   0);
    });
    return {memory.get(), memory.get() + blocks * block_bytes_};
  }
  // As many blocks of the cell as `bytes` are.
  void write(const EdgeCell& cell, const std::vector<std::byte>& bytes) {
    const numa::Memory memory = numa::allocate(bytes.size());
    std::copy(bytes.begin(), bytes.end(), memory.get());
    one_request([&](DoorChannel& channel) {
      channel.write(0, values_.first_block(cell),
                    static_cast<std::uint32_t>(bytes.size() / block_bytes_), memory.get(), 0);
    });
  }
  void close() { values_.close(door_, 0); }
  [[nodiscard]] IoCounters counters() const { return door_.counters(); }

 private:
  template <typename F>
  void one_request(F&& submit) {
    DoorChannel channel(door_, {});
    submit(channel);
    std::array<std::uint64_t, 1> tag{};
    channel.reap(tag, 1);
  }

  std::uint32_t block_bytes_;
  EdgeValues values_;
  Door door_;
};

}  // namespace outcore
