// SPDX-License-Identifier: Apache-2.0
// The worker threads of engines: a fixed set that runs one body at a time, on every worker.
//
// It is our own rather than OpenMP because GCC's libgomp reports false races under the thread
// sanitizer, and because a worker here owns things: a ring, frames, a NUMA node. Construct one per
// engine. run() may be called from one thread at a time, never from inside a body. The caller is
// worker 0, so Executor(1) starts no thread and is deterministic.
//
// When a body throws, stopping() becomes true. Long bodies ask it between units of work, so that
// they stop early. run() waits until all workers are through, and then throws the first exception
// again.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace outcore {

// Told what an executor's workers do, for a recorder of events. began() and ended() are called on
// the worker's thread, met() by the caller of run() when all have ended and none has begun again.
class ExecutorWatch {
 public:
  virtual ~ExecutorWatch() = default;
  virtual void open(unsigned workers) = 0;  // once, before everything else
  virtual void began(unsigned worker) = 0;
  virtual void ended(unsigned worker) = 0;
  virtual void met() = 0;
};

class Executor {
 public:
  using Body = std::function<void(unsigned worker)>;

  // `watch` null: nobody watches.
  explicit Executor(unsigned workers, std::unique_ptr<ExecutorWatch> watch = nullptr);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(threads_.size()) + 1; }

  void run(const Body& body);

  // Cuts [begin, end) into grains and calls body(worker, first, last) for each. Every worker has a
  // share of the range and takes its grains first, then what is left of the other shares. If two
  // workers took neighbouring grains of new memory in turn, the kernel might clear the same huge
  // page for both and throw one away (64 MB by two workers: 5.3 to 6.2 ms with shares, 5.7 to 11.8
  // in turn).
  template <typename F>
  void parallel_for(std::size_t begin, std::size_t end, std::size_t grain, F&& body) {
    if (begin >= end) return;
    if (end - begin <= grain || size() == 1) {
      body(0U, begin, end);
      return;
    }
    const std::size_t grains = (end - begin + grain - 1) / grain;
    const auto share_begin = [&](unsigned share) {
      return begin + std::min(end - begin, grains * share / size() * grain);
    };
    std::vector<Next> next(size());
    for (unsigned share = 0; share < size(); ++share) next[share].grain = share_begin(share);
    run([&](unsigned worker) {
      for (unsigned other = 0; other < size(); ++other) {
        const unsigned share = (worker + other) % size();
        const std::size_t share_end = share_begin(share + 1);
        while (!stopping()) {
          // Relaxed: the counter hands out disjoint ranges and publishes no other data.
          const std::size_t first = next[share].grain.fetch_add(grain, std::memory_order_relaxed);
          if (first >= share_end) break;
          body(worker, first, std::min(share_end, first + grain));
        }
      }
    });
  }

  // True once some worker of the current run() has thrown.
  // Relaxed: a hint to stop early; the exception itself is handed over under the mutex.
  [[nodiscard]] bool stopping() const { return stopping_.load(std::memory_order_relaxed); }

 private:
  struct alignas(64) Next {
    std::atomic<std::size_t> grain;  // the first index that no worker has taken
  };

  void work(unsigned worker);
  void guarded(unsigned worker);

  const std::unique_ptr<ExecutorWatch> watch_;
  std::mutex mutex_;
  std::condition_variable start_;
  std::condition_variable done_;
  const Body* body_ = nullptr;
  std::size_t generation_ = 0;
  std::size_t running_ = 0;
  bool quitting_ = false;
  std::exception_ptr failure_;
  std::atomic<bool> stopping_{false};
  std::vector<std::jthread> threads_;
};

}  // namespace outcore
