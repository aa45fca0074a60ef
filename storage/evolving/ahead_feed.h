// SPDX-License-Identifier: Apache-2.0
// Reading and archiving at the same time, as in the paper (section IV-A: logging and archiving have
// threads of their own): updates are handed on to a sink by a thread of this, while the next ones
// are read. They are copied once more for that, which costs less than threads that stand still
// while a file is read.
//
// Memory: two buffers of `at_once` updates. One thread feeds. What the sink throws is thrown to it,
// by the next call.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "storage/evolving/stream.h"

namespace outcore::evolving {

class AheadFeed final : public UpdateSink {
 public:
  // REQUIRES: the sink outlives this, and nothing else feeds it until finish().
  AheadFeed(UpdateSink& sink, std::uint64_t at_once);
  // What is not handed on yet is dropped: finish() first.
  ~AheadFeed() override;
  AheadFeed(const AheadFeed&) = delete;
  AheadFeed& operator=(const AheadFeed&) = delete;

  // Waits while the sink is two buffers behind.
  std::span<LogEdge> room(std::uint64_t most) override;
  void append(std::uint64_t count) override;
  // Returns when the sink has all of it.
  void finish();

 private:
  struct Buffer {
    std::vector<LogEdge> edges;
    std::uint64_t filled = 0;  // 0: free
  };
  void hand_on();
  void hand_on(std::span<const LogEdge> edges);

  UpdateSink& sink_;
  std::mutex mutex_;  // of what follows; a buffer that is not free is the handing thread's
  std::condition_variable changed_;
  std::array<Buffer, 2> buffers_;
  std::uint64_t appended_ = 0;  // buffers so far; the next one is at this place modulo 2
  std::uint64_t handed_on_ = 0;
  bool ends_ = false;
  std::exception_ptr failure_;
  std::jthread thread_;
};

}  // namespace outcore::evolving
