// SPDX-License-Identifier: Apache-2.0
// What reads of one size get, with so many in flight: one cell of the probe's table. One thread
// keeps the requests under way over io_uring with O_DIRECT (or threads, where that is refused).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "storage/cache/frame_pool.h"
#include "storage/io/device_model.h"
#include "storage/io/probe/scratch_file.h"

namespace outcore {

class ReadMeter {
 public:
  static constexpr std::uint32_t kMostBytes = 1 << 20;
  static constexpr unsigned kMostConcurrency = 128;

  explicit ReadMeter(const ScratchFile& file);

  // Reads places at random, or front to back, for at most `seconds`; ends sooner once the rate is
  // known to `good_enough` (0: never). Fills in the rate and the latencies.
  void measure(ReadRate& cell, double seconds, double good_enough = kGoodEnough);

  // Who read: "uring", or what stood in.
  [[nodiscard]] const std::string& backend() const { return backend_; }
  // What went otherwise than asked, a line each.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  static constexpr double kGoodEnough = 0.015;  // standard error over the mean of the slices

 private:
  const ScratchFile& file_;
  FrameArena buffers_;
  std::uint64_t seed_ = 0;
  std::string backend_;
  std::vector<std::string> notes_;
};

}  // namespace outcore
