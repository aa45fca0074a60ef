// SPDX-License-Identifier: Apache-2.0
// One cell of the probe's tables: the rate of reads, or of writes, of one size at one concurrency.
// One thread keeps the requests in flight. It uses io_uring with O_DIRECT, or threads where
// io_uring is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "storage/cache/frame_pool.h"
#include "storage/io/backend.h"
#include "storage/io/device_model.h"
#include "storage/io/probe/scratch_file.h"

namespace outcore {

class RateMeter {
 public:
  static constexpr std::uint32_t kMostBytes = 1 << 20;
  static constexpr unsigned kMostConcurrency = 128;

  explicit RateMeter(const ScratchFile& file);

  // Reads or writes at random places, or from front to back, for at most `seconds`; ends sooner
  // once the rate is known to `good_enough` (0: never). Fills in the rate and the latencies. Writes
  // are not synced.
  void measure(ReadRate& cell, double seconds, double good_enough = kGoodEnough) {
    measure(Op::read, cell, seconds, good_enough);
  }
  void measure_writes(ReadRate& cell, double seconds) {
    measure(Op::write, cell, seconds, kGoodEnough);
  }

  // The backend that was used: "uring", or its replacement.
  [[nodiscard]] const std::string& backend() const { return backend_; }
  // What did not go as asked, one line each.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  static constexpr double kGoodEnough = 0.015;  // standard error of the slices / mean

 private:
  void measure(Op op, ReadRate& cell, double seconds, double good_enough);

  const ScratchFile& file_;
  FrameArena buffers_;
  std::uint64_t seed_ = 0;
  std::string backend_;
  std::vector<std::string> notes_;
};

}  // namespace outcore
