// SPDX-License-Identifier: Apache-2.0
// A persistent memory that loses power (persistent_memory.h says what it then keeps). It has an
// image that is kept and one that is seen. After a power cut each line of 64 bytes whose images
// differ is what was kept, what was flushed and not fenced, what is seen, or a mixture of these by
// aligned words of 8 bytes.
//
// Every flush, every fence and every request for room is an *operation* and has a number, from 1.
// At one of them power may be cut, or there may be no room from then on. One thread uses it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "storage/evolving/pmem/persistent_memory.h"
#include "tests/crash/sim_disk.h"

namespace outcore::evolving {

class SimMemory final : public PersistentMemory {
 public:
  enum class Fault : std::uint8_t { power_cut, full };

  SimMemory(std::uint64_t bytes, std::uint64_t seed);

  [[nodiscard]] std::uint64_t operations() const { return operations_; }
  // A power cut is before that operation; a full memory stays full until make_room_again().
  void plan(Fault fault, std::uint64_t at) {
    fault_ = fault;
    fault_at_ = at;
  }
  void make_room_again() { full_ = false; }
  // Power was cut and is back. The process is gone, too.
  void after_power_cut();
  // The same bytes in another memory, for a reader that writes privately.
  [[nodiscard]] std::shared_ptr<SimMemory> copy() const;

  [[nodiscard]] std::byte* base() const override { return seen_.get(); }
  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }
  void make_room(std::uint64_t offset, std::uint64_t bytes) override;
  void flush(const void* at, std::uint64_t bytes) override;
  void fence() override;
  [[nodiscard]] bool is_persistent() const override { return true; }
  [[nodiscard]] bool serves_threads() const override { return false; }
  [[nodiscard]] std::filesystem::path path() const override { return "sim/store.pmem"; }

 private:
  struct Free {
    std::uint64_t bytes = 0;
    void operator()(std::byte* memory) const;
  };
  using Bytes = std::unique_ptr<std::byte[], Free>;
  using Line = std::array<std::uint64_t, kLine / 8>;
  static Bytes zeroed(std::uint64_t bytes);

  void step();
  void lose(std::uint64_t line);
  [[nodiscard]] Line line_of(const Bytes& bytes, std::uint64_t line) const;
  static void set_line(const Bytes& bytes, std::uint64_t line, const Line& to);

  std::uint64_t bytes_;
  std::mt19937_64 random_;
  Bytes seen_;
  Bytes kept_;
  std::map<std::uint64_t, Line> flushed_;         // and not fenced
  std::map<std::uint64_t, std::uint64_t> rooms_;  // where something may be written: offset, bytes
  std::uint64_t operations_ = 0;
  Fault fault_ = Fault::power_cut;
  std::uint64_t fault_at_ = 0;
  bool dead_ = false;
  bool full_ = false;
};

}  // namespace outcore::evolving
