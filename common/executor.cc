// SPDX-License-Identifier: Apache-2.0
#include "common/executor.h"

#include <utility>

#include "common/numa.h"

namespace outcore {

Executor::Executor(unsigned workers, std::unique_ptr<ExecutorWatch> watch)
    : watch_(std::move(watch)) {
  if (watch_) watch_->open(std::max(workers, 1U));
  for (unsigned worker = 1; worker < workers; ++worker) {
    threads_.emplace_back([this, worker] { work(worker); });
  }
}

Executor::~Executor() {
  {
    const std::lock_guard lock(mutex_);
    quitting_ = true;
  }
  start_.notify_all();
}

void Executor::run(const Body& body) {
  {
    const std::lock_guard lock(mutex_);
    body_ = &body;
    failure_ = nullptr;
    stopping_.store(false, std::memory_order_relaxed);  // workers see it through the mutex
    running_ = threads_.size();
    ++generation_;
  }
  start_.notify_all();
  guarded(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return running_ == 0; });
  if (watch_) watch_->met();
  if (failure_) std::rethrow_exception(failure_);
}

void Executor::work(unsigned worker) {
  numa::bind_worker(worker);
  std::size_t seen = 0;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return quitting_ || generation_ != seen; });
      if (quitting_) return;
      seen = generation_;
    }
    guarded(worker);
    {
      const std::lock_guard lock(mutex_);
      --running_;
    }
    done_.notify_one();
  }
}

void Executor::guarded(unsigned worker) {
  if (watch_) watch_->began(worker);
  try {
    (*body_)(worker);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    stopping_.store(true, std::memory_order_relaxed);
  }
  if (watch_) watch_->ended(worker);
}

}  // namespace outcore
