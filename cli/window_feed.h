// SPDX-License-Identifier: Apache-2.0
// Tells queries where their windows end in a stream that is fed to a store.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "cli/timed_feed.h"
#include "cli/window_queries.h"
#include "storage/evolving/stream.h"

namespace outcore {

class WindowFeed final : public evolving::UpdateSink {
 public:
  // `before` updates were in the store already. Without queries everything is handed on.
  WindowFeed(TimedFeed& feed, WindowQueries* queries, std::uint64_t before,
             WindowQueries::MakeOpen make_open)
      : feed_(feed), queries_(queries), before_(before), make_open_(std::move(make_open)) {}

  std::span<evolving::LogEdge> room(std::uint64_t most) override {
    if (queries_ == nullptr) return feed_.room(most);
    return feed_.room(std::min(most, queries_->wishes().every - in_window()));
  }
  void append(std::uint64_t count) override {
    feed_.append(count);
    if (queries_ == nullptr) return;
    queries_->took(before_ + feed_.taken());
    if (in_window() == 0) end_window();
  }
  // The stream has ended, and with it its last window. Waits for all answers.
  void finish() {
    if (queries_ == nullptr) return;
    end_window();
    queries_->finish(make_open_);
  }

 private:
  [[nodiscard]] std::uint64_t in_window() const { return feed_.taken() % queries_->wishes().every; }
  void end_window() {
    if (feed_.taken() == ended_at_) return;  // nothing came since
    ended_at_ = feed_.taken();
    queries_->window_ends(make_open_);
  }

  TimedFeed& feed_;
  WindowQueries* queries_;
  const std::uint64_t before_;
  const WindowQueries::MakeOpen make_open_;
  std::uint64_t ended_at_ = 0;
};

}  // namespace outcore
