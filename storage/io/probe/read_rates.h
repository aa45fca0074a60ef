// SPDX-License-Identifier: Apache-2.0
// The rate of reads of one size at one concurrency: one cell of the probe's table. One thread keeps
// the requests in flight, over io_uring with O_DIRECT (or over threads if that is refused).
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

  // Reads at random places, or from front to back, for at most `seconds`; ends sooner once the rate
  // is known to `good_enough` (0: never). Fills in the rate and the latencies.
  void measure(ReadRate& cell, double seconds, double good_enough = kGoodEnough);

  // The backend that read: "uring", or its replacement.
  [[nodiscard]] const std::string& backend() const { return backend_; }
  // What did not go as asked, one line each.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  static constexpr double kGoodEnough = 0.015;  // standard error of the slices / mean

 private:
  const ScratchFile& file_;
  FrameArena buffers_;
  std::uint64_t seed_ = 0;
  std::string backend_;
  std::vector<std::string> notes_;
};

}  // namespace outcore
