// SPDX-License-Identifier: Apache-2.0
#include "common/progress.h"

#include <fmt/format.h>

#include <cstdio>

#include "common/terminal.h"

namespace outcore {

Progress::Progress(std::string what, std::uint64_t total, std::string unit)
    : what_(std::move(what)), total_(total), unit_(std::move(unit)), enabled_(shows_progress()) {}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

void Progress::show() {
  const double seconds = watch_.seconds();
  if (seconds < next_seconds_) return;
  next_seconds_ = seconds + 0.2;
  shown_ = true;
  const double done = static_cast<double>(done_) / 1e6;
  const std::string of =
      total_ == 0 ? std::string{} : fmt::format(" of {:.1f}", static_cast<double>(total_) / 1e6);
  const std::string share =
      total_ == 0 ? std::string{} : fmt::format(" ({}%)", done_ * 100 / total_);
  fmt::print(stderr, "\r\033[K{}: {:.1f}{} M {}{}, {:.1f} M {}/s", what_, done, of, unit_, share,
             done / seconds, unit_);
  std::fflush(stderr);
}

}  // namespace outcore
