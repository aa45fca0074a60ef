// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/ahead_feed.h"

#include <algorithm>

namespace outcore::evolving {

AheadFeed::AheadFeed(UpdateSink& sink, std::uint64_t at_once) : sink_(sink) {
  for (Buffer& buffer : buffers_) buffer.edges.resize(at_once);
  thread_ = std::jthread([this] { hand_on(); });
}

AheadFeed::~AheadFeed() {
  const std::lock_guard lock(mutex_);
  ends_ = true;
  changed_.notify_all();
}

std::span<LogEdge> AheadFeed::room(std::uint64_t most) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock,
                [this] { return appended_ - handed_on_ < buffers_.size() || failure_ != nullptr; });
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  const std::span<LogEdge> all(buffers_[appended_ % buffers_.size()].edges);
  return all.first(std::min<std::uint64_t>(most, all.size()));
}

void AheadFeed::append(std::uint64_t count) {
  if (count == 0) return;
  const std::lock_guard lock(mutex_);
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  buffers_[appended_++ % buffers_.size()].filled = count;
  changed_.notify_all();
}

void AheadFeed::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return handed_on_ == appended_ || failure_ != nullptr; });
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

void AheadFeed::hand_on() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return handed_on_ < appended_ || ends_; });
    if (ends_) return;
    const Buffer& next = buffers_[handed_on_ % buffers_.size()];
    lock.unlock();
    std::exception_ptr failure;
    try {
      hand_on(std::span(next.edges).first(next.filled));
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure;
    ++handed_on_;
    changed_.notify_all();
    if (failure != nullptr) return;
  }
}

void AheadFeed::hand_on(std::span<const LogEdge> edges) {
  while (!edges.empty()) {
    const std::span<LogEdge> into = sink_.room(edges.size());
    std::copy_n(edges.begin(), into.size(), into.begin());
    sink_.append(into.size());
    edges = edges.subspan(into.size());
  }
}

}  // namespace outcore::evolving
