// SPDX-License-Identifier: Apache-2.0
#include "common/full_screen.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "common/error.h"
#include "common/terminal.h"

namespace outcore {

namespace {

// Lines are cut and not wrapped, as the terminal may become narrower.
constexpr const char* kEnter = "\033[?1049h\033[?25l\033[?7l";
// Plain letters first: the picture may have been cut within a colour.
constexpr const char* kLeave = "\033[0m\033[?7h\033[?25h\033[?1049l";

// Null in a process whose parent does not ask. Sequentially consistent: it is no hot path.
std::atomic<bool>* screen_taken = nullptr;

void print(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

std::optional<TerminalSize> screen_size() {
  const char* const kind = std::getenv("TERM");
  if (!shows_progress() || kind == nullptr || std::string_view(kind) == "dumb") return {};
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) return {};
  return TerminalSize{size.ws_row, size.ws_col};
}

// The flag is set before the screen is taken and cleared after it was given back: a child that is
// killed in between makes its parent put back once too often, which is harmless.
FullScreen::FullScreen() {
  if (screen_taken != nullptr) *screen_taken = true;
  print(kEnter);
}

FullScreen::~FullScreen() {
  print(kLeave);
  if (screen_taken != nullptr) *screen_taken = false;
}

void FullScreen::draw(const std::string& lines) {
  if (lines == drawn_) return;
  drawn_ = lines;
  std::string text = "\033[H";
  for (const char c : lines) {
    if (c == '\n') text += "\033[K";
    text += c;
  }
  print(text + "\033[K\033[J");
}

ScreenOfChild::ScreenOfChild() {
  void* const shared = ::mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    throw Error(ExitCode::internal, fmt::format("mmap: {}", std::strerror(errno)));
  }
  taken_ = screen_taken = new (shared) std::atomic<bool>(false);
}

ScreenOfChild::~ScreenOfChild() {
  screen_taken = nullptr;
  ::munmap(taken_, sizeof(std::atomic<bool>));
}

void ScreenOfChild::restore() const {
  if (taken_->exchange(false)) print(kLeave);
}

}  // namespace outcore
