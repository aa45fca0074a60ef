// SPDX-License-Identifier: Apache-2.0
// The paper's I/O thread: it reads the pages of a round in order, and lends them to those who
// scatter. Whoever has nothing to do sleeps in the kernel, where the original spins.
//
// Threads: read() on one, take() and give_back() on any. One mutex guards what is passed on; it
// publishes a page's bytes to whoever takes it, and that they are used to the reader.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include "engines/lists/requests.h"
#include "storage/source/block_source.h"

namespace outcore {

class PageReader {
 public:
  struct Pages {
    BlockSource::Ticket ticket = 0;
    std::size_t run = 0;
    const std::byte* data = nullptr;
  };

  // All outlive it.
  PageReader(const Round& round, Requests& requests, BlockSource& source)
      : round_(round), requests_(requests), source_(source), asked_for_(source.tickets()) {}

  // Until all pages were read and given back, or stop().
  void read();
  // Waits for pages. False once there will be no more.
  bool take(Pages& pages);
  // They are used. `holes`: bytes of them that nobody wanted.
  void give_back(const Pages& pages, std::uint64_t holes);
  // Wakes all who wait; nothing more is read.
  void stop();

 private:
  bool reclaim();
  void ask();
  void lend(std::span<const BlockSource::Ticket> tickets);

  const Round& round_;
  Requests& requests_;
  BlockSource& source_;
  std::vector<std::size_t> asked_for_;  // which run, by ticket
  std::size_t run_ = 0;
  std::size_t last_run_ = 0;
  bool asked_all_ = false;

  std::mutex mutex_;
  std::condition_variable lent_;
  std::condition_variable returned_;
  std::deque<Pages> there_;
  std::vector<BlockSource::Ticket> used_;
  std::uint64_t holes_ = 0;
  bool ended_ = false;
};

}  // namespace outcore
