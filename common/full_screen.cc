// SPDX-License-Identifier: Apache-2.0
#include "common/full_screen.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
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

// Held while somebody writes to the screen. A thread that holds it has SIGTSTP blocked, so the
// handler never waits for its own thread.
std::atomic_flag writing = ATOMIC_FLAG_INIT;
// Is the screen the shell's again, since SIGTSTP? Guarded by `writing`.
std::atomic<bool> given_back{false};
struct sigaction stop_before {};

void take_writing() {
  while (writing.test_and_set()) ::sched_yield();
}

sigset_t only_stop() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTSTP);
  return signals;
}

class Writes {
 public:
  Writes() {
    const sigset_t stop = only_stop();
    ::pthread_sigmask(SIG_BLOCK, &stop, &before_);
    take_writing();
  }
  ~Writes() {
    writing.clear();
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  Writes(const Writes&) = delete;
  Writes& operator=(const Writes&) = delete;

 private:
  sigset_t before_{};
};

// By write(2), which handlers may call. A terminal that is gone shows nothing.
void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// The flag is set before the screen is taken and cleared after it was given back: a child that is
// killed in between makes its parent put back once too often, which is harmless.
void take_screen() {
  if (screen_taken != nullptr) *screen_taken = true;
  print(kEnter);
}
void give_screen_back() {
  print(kLeave);
  if (screen_taken != nullptr) *screen_taken = false;
}

void handle_stop_with(const struct sigaction& action) { ::sigaction(SIGTSTP, &action, nullptr); }

// Gives the screen back, then stops as if there were no handler. It goes on from here with SIGCONT.
void on_stop(int /*signal*/) {
  const int error = errno;
  take_writing();
  if (!given_back.exchange(true)) give_screen_back();
  struct sigaction own {};
  ::sigaction(SIGTSTP, &stop_before, &own);
  ::raise(SIGTSTP);
  const sigset_t stop = only_stop();
  sigset_t before;
  ::pthread_sigmask(SIG_UNBLOCK, &stop, &before);  // it stops here
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  handle_stop_with(own);
  writing.clear();
  errno = error;
}

bool in_background() {
  const pid_t foreground = ::tcgetpgrp(STDERR_FILENO);
  return foreground > 0 && foreground != ::getpgrp();
}

}  // namespace

std::optional<TerminalSize> screen_size() {
  const char* const kind = std::getenv("TERM");
  if (!shows_progress() || kind == nullptr || std::string_view(kind) == "dumb") return {};
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) return {};
  return TerminalSize{size.ws_row, size.ws_col};
}

FullScreen::FullScreen() {
  struct sigaction action {};
  action.sa_handler = on_stop;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGTSTP, &action, &stop_before);
  if (stop_before.sa_handler == SIG_IGN) handle_stop_with(stop_before);
  const Writes writes;
  given_back = false;
  take_screen();
}

FullScreen::~FullScreen() {
  {
    const Writes writes;
    if (!given_back) give_screen_back();
    given_back = true;
  }
  handle_stop_with(stop_before);
}

void FullScreen::draw(const std::string& lines) {
  const TerminalSize size = screen_size().value_or(size_);
  const Writes writes;
  if (given_back) {
    if (in_background()) return;
    take_screen();
    given_back = false;
    drawn_.clear();
  }
  if (lines == drawn_ && size == size_) return;
  drawn_ = lines;
  size_ = size;
  std::string text = "\033[H";
  unsigned rows = 1;
  for (const char c : lines) {
    if (c == '\n') {
      if (rows++ == size.rows) break;
      text += "\033[K";
    }
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
