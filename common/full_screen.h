// SPDX-License-Identifier: Apache-2.0
// The whole terminal behind stderr, for a picture that is drawn over and over. While a FullScreen
// exists, what the terminal showed before is put aside (the alternate screen of xterm, which all
// terminals of today have), and the cursor is hidden; both come back with its end. They also come
// back while the process is stopped by ctrl-Z (SIGTSTP); the first draw() in the foreground takes
// the screen again.
//
// A process that is killed cannot put them back. Its parent can: ScreenOfChild.
//
// One thread at a time. At most one FullScreen in a process.
#pragma once

#include <atomic>
#include <optional>
#include <string>

namespace outcore {

struct TerminalSize {
  unsigned rows = 0;
  unsigned columns = 0;
  bool operator==(const TerminalSize&) const = default;
};

// The terminal's size, if a picture may be drawn on it: where shows_progress() (terminal.h), and
// not on a terminal that can only print (TERM=dumb).
[[nodiscard]] std::optional<TerminalSize> screen_size();

class FullScreen {
 public:
  FullScreen();
  ~FullScreen();
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;

  // Lines that end in '\n', but for the last. Those that the terminal has no row for are left out:
  // its window may have become smaller.
  void draw(const std::string& lines);

 private:
  std::string drawn_;
  TerminalSize size_;  // when that was drawn
};

// Of a child that is forked while it exists: had it a FullScreen when it was killed?
class ScreenOfChild {
 public:
  ScreenOfChild();
  ~ScreenOfChild();
  ScreenOfChild(const ScreenOfChild&) = delete;
  ScreenOfChild& operator=(const ScreenOfChild&) = delete;

  // Puts back what the terminal showed, if the child could not. REQUIRES: the child has ended.
  void restore() const;

 private:
  std::atomic<bool>* taken_;  // in memory that the two processes share
};

}  // namespace outcore
