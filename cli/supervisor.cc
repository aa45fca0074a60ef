// SPDX-License-Identifier: Apache-2.0
#include "cli/supervisor.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <thread>

#include "common/error.h"
#include "common/sizes.h"
#include "common/terminal.h"

namespace outcore {

namespace {

constexpr int kHandedOn[] = {SIGINT, SIGTERM, SIGHUP};

// The parent forwards the signals that would end it to the child, and ends after the child. A
// signal may arrive on any thread before the child's id is known. So the handler first stores the
// signal and then loads the child's id; the parent first stores the id and then loads the signal.
// All four accesses are sequentially consistent, so at least one side sees the other's store.
std::atomic<int> signal_to_hand_on{0};
std::atomic<pid_t> child_of_signals{0};
static_assert(std::atomic<pid_t>::is_always_lock_free, "handlers may use it");

void hand_on_to_child() {
  const pid_t child = child_of_signals;
  if (child == 0) return;
  if (const int signal = signal_to_hand_on.exchange(0); signal != 0) ::kill(child, signal);
}
void hand_on(int signal) {
  signal_to_hand_on = signal;
  hand_on_to_child();
}

// Blocks the signals of kHandedOn in the thread that forks, so that the child receives none before
// it has restored its own handlers.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : kHandedOn) sigaddset(&held, signal);
    ::sigprocmask(SIG_BLOCK, &held, &before_);
  }
  ~HeldSignals() { release(); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  void release() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

// While it exists, signals that are not ignored are forwarded to the child once there is one.
class HandsOn {
 public:
  HandsOn() {
    child_of_signals = 0;
    signal_to_hand_on = 0;
    struct sigaction action {};
    action.sa_handler = hand_on;
    for (std::size_t i = 0; i < std::size(kHandedOn); ++i) {
      ::sigaction(kHandedOn[i], &action, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN) ::sigaction(kHandedOn[i], &before_[i], nullptr);
    }
  }
  ~HandsOn() { stop(); }
  HandsOn(const HandsOn&) = delete;
  HandsOn& operator=(const HandsOn&) = delete;
  static void to(pid_t child) {
    child_of_signals = child;
    hand_on_to_child();
  }
  void stop() const {
    for (std::size_t i = 0; i < std::size(kHandedOn); ++i) {
      ::sigaction(kHandedOn[i], &before_[i], nullptr);
    }
  }

 private:
  struct sigaction before_[std::size(kHandedOn)] = {};
};

// While it exists, ctrl-Z (SIGTSTP) is left to the child, which may have a screen to give back
// first. The parent stops after the child (wait_for): the shell waits for the parent.
class StopsAfterChild {
 public:
  StopsAfterChild() {
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    ::sigaction(SIGTSTP, &ignored, &before_);
  }
  ~StopsAfterChild() { end(); }
  StopsAfterChild(const StopsAfterChild&) = delete;
  StopsAfterChild& operator=(const StopsAfterChild&) = delete;
  // Returns when the process is continued.
  void stop() const {
    struct sigaction own {};
    ::sigaction(SIGTSTP, &before_, &own);
    ::raise(SIGTSTP);
    ::sigaction(SIGTSTP, &own, nullptr);
  }
  void end() const { ::sigaction(SIGTSTP, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

// No exception may leave this function: the frames above are the parent's.
[[noreturn]] void be_child(const std::function<ExitCode()>& work, const MemoryLimit* limit) {
  ExitCode code = ExitCode::internal;
  try {
    if (limit != nullptr) limit->enter();
    code = work();
  } catch (const Error& e) {
    fmt::print(stderr, "{}{}\n", error_prefix(), e.what());
    code = e.code();
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}{}\n", error_prefix(), e.what());
  }
  std::fflush(nullptr);
  ::_exit(static_cast<int>(code));
}

// Waits for the child, and returns its status and what it used. A limit that the kernel does not
// watch is watched here.
int wait_for(pid_t child, MemoryLimit* limit, const StopsAfterChild& stops, rusage& used) {
  const bool watch = limit != nullptr && limit->kind() == MemoryLimit::Kind::residency_budget;
  int status = 0;
  while (true) {
    const pid_t ended = ::wait4(child, &status, WUNTRACED | (watch ? WNOHANG : 0), &used);
    if (ended == child && WIFSTOPPED(status)) {
      if (WSTOPSIG(status) == SIGTSTP) stops.stop();
      continue;
    }
    if (ended == child || (ended < 0 && errno != EINTR)) return status;
    if (!watch) continue;
    if (limit->exceeded_by(child)) ::kill(child, SIGKILL);
    std::this_thread::sleep_for(MemoryLimit::kInterval);
  }
}

Ending ending_of(int status, const MemoryLimit* limit) {
  if (WIFEXITED(status)) {
    const int code = WEXITSTATUS(status);
    return {Ending::Kind::exited, code,
            code == 0 ? std::string() : fmt::format("ended with exit code {}", code)};
  }
  const int signal = WTERMSIG(status);
  if (signal == SIGKILL && limit != nullptr && limit->killed()) {
    return {Ending::Kind::out_of_memory, -signal,
            fmt::format("went over its memory limit of {} ({})", human_size(limit->bytes()),
                        limit->name())};
  }
  if (std::find(std::begin(kHandedOn), std::end(kHandedOn), signal) != std::end(kHandedOn)) {
    return {Ending::Kind::interrupted, -signal,
            fmt::format("stopped by signal {} ({})", signal, ::strsignal(signal))};
  }
  return {Ending::Kind::killed, -signal,
          fmt::format("ended by signal {} ({})", signal, ::strsignal(signal))};
}

}  // namespace

Ending run_supervised(const std::function<ExitCode()>& work, MemoryLimit* limit) {
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const HandsOn hands_on;
  const StopsAfterChild stops;
  const HeldSignals held;
  const pid_t child = ::fork();
  if (child < 0) throw Error(ExitCode::io, fmt::format("cannot fork: {}", std::strerror(errno)));
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the child dies with its parent
    if (::getppid() != parent) ::_exit(static_cast<int>(ExitCode::internal));
    hands_on.stop();
    stops.end();
    held.release();
    be_child(work, limit);
  }
  HandsOn::to(child);
  held.release();
  rusage used{};
  const int status = wait_for(child, limit, stops, used);
  // Its line of progress, which a child that was killed could not wipe.
  if (WIFSIGNALED(status) && shows_progress()) fmt::print(stderr, "\r\033[K");
  Ending ending = ending_of(status, limit);
  ending.peak_resident_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
  return ending;
}

}  // namespace outcore
