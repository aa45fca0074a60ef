// SPDX-License-Identifier: Apache-2.0
// `outcore run --watch`: a picture of a run on a terminal while it goes on, in 24 lines of text. It
// has the layout's blocks (a map), requests in flight, bytes a second, and the frontier.
//
// It is told of blocks and rounds by the run's events, of the device by the timeline's samples.
// Threads: hear() from the recorder's; sample() from the timeline's; all else from the thread that
// owns it, after Timeline::finish().
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/watched_run.h"
#include "common/full_screen.h"

namespace outcore {

// What is watched.
struct RunOnScreen {
  std::string title;
  std::uint64_t blocks = 0;  // of the layout
  std::uint32_t block_bytes = 4096;
};

// The picture as text, without a terminal.
class RunPicture {
 public:
  static constexpr unsigned kRows = 24;
  static constexpr unsigned kLeastColumns = 64;
  static constexpr unsigned kMostColumns = 100;

  // REQUIRES: kLeastColumns <= columns.
  RunPicture(RunOnScreen of, unsigned columns, bool coloured);

  [[nodiscard]] EventListener& listener() { return run_; }
  // A sample of the timeline. True if it completes a column of the curves, which stands for kEvery
  // samples: it is time to draw.
  bool sample(const nlohmann::json& sample);
  // kRows lines or fewer, of at most so many columns.
  [[nodiscard]] std::string lines();

 private:
  static constexpr unsigned kEvery = 2;  // samples

  [[nodiscard]] std::string map();
  [[nodiscard]] std::string sums() const;
  [[nodiscard]] std::uint64_t bytes_read() const;

  RunOnScreen of_;
  unsigned columns_;
  bool coloured_;
  WatchedRun run_;
  // One value a column, the newest last.
  std::deque<std::uint64_t> depths_;
  std::deque<std::uint64_t> rates_;
  std::deque<std::uint64_t> activations_;
  double seconds_ = 0;
  double column_began_ = 0;
  std::uint64_t kernel_bytes_ = 0;
  std::uint64_t bytes_before_ = 0;        // this column
  std::uint64_t activations_before_ = 0;  // this column
  std::uint64_t depth_ = 0;               // the greatest of this column
  unsigned samples_ = 0;                  // of this column
};

// The picture on the terminal.
class RunScreen {
 public:
  // Is there a terminal with room for it?
  [[nodiscard]] static bool fits();
  // REQUIRES: fits().
  explicit RunScreen(const RunOnScreen& of);

  [[nodiscard]] EventListener& listener() { return picture_.listener(); }
  void sample(const nlohmann::json& sample);
  // Gives the terminal back.
  void close() { screen_.reset(); }
  // The last picture, below what the terminal showed before. REQUIRES: closed.
  void print_last();

 private:
  RunPicture picture_;
  std::optional<FullScreen> screen_;
};

}  // namespace outcore
