// SPDX-License-Identifier: Apache-2.0
#include "cli/supervisor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

namespace outcore {
namespace {

TEST(Supervisor, TellsTheExitCodeOfWork) {
  const Ending good = run_supervised([] { return ExitCode::ok; }, nullptr);
  EXPECT_EQ(good.kind, Ending::Kind::exited);
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_EQ(good.reason, "");
  const Ending bad = run_supervised([] { return ExitCode::wrong_answer; }, nullptr);
  EXPECT_EQ(bad.kind, Ending::Kind::exited);
  EXPECT_EQ(bad.exit_code, 5);
  EXPECT_EQ(bad.reason, "ended with exit code 5");
}

// An exception in the child must not unwind into the parent's frames, which the child has copies
// of.
TEST(Supervisor, KeepsExceptionsInTheChild) {
  const pid_t parent = ::getpid();
  const Ending error =
      run_supervised([]() -> ExitCode { throw Error(ExitCode::io, "no space"); }, nullptr);
  EXPECT_EQ(::getpid(), parent);
  EXPECT_EQ(error.exit_code, 4);
  const Ending other =
      run_supervised([]() -> ExitCode { throw std::runtime_error("what?"); }, nullptr);
  EXPECT_EQ(other.exit_code, 1);
}

TEST(Supervisor, TellsASignalFromTheUserFromAnother) {
  const auto ending = [](int signal) {
    return run_supervised(
        [signal] {
          ::signal(signal, SIG_DFL);
          ::raise(signal);
          return ExitCode::ok;
        },
        nullptr);
  };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EQ(ending(signal).kind, Ending::Kind::interrupted) << signal;
    EXPECT_EQ(ending(signal).exit_code, -signal);
  }
  const Ending killed = ending(SIGKILL);
  EXPECT_EQ(killed.kind, Ending::Kind::killed) << "without a limit there is none to go over";
  EXPECT_EQ(killed.reason, "ended by signal 9 (Killed)");
}

// Where no control group can be made, the parent watches.
TEST(Supervisor, EndsWhoGoesOverAResidencyBudget) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve far more memory themselves";
#endif
  const auto run = [](std::size_t held) {
    MemoryLimit limit(std::uint64_t{256} << 20, {"/nonexistent", "/nonexistent"});
    return run_supervised(
        [held] {
          std::vector<char> memory(held, 1);
          if (held > (std::size_t{256} << 20)) ::sleep(60);  // it is killed long before this ends
          return memory[0] == 1 ? ExitCode::ok : ExitCode::internal;
        },
        &limit);
  };
  EXPECT_EQ(run(std::size_t{16} << 20).kind, Ending::Kind::exited);
  const Ending over = run(std::size_t{512} << 20);
  EXPECT_EQ(over.kind, Ending::Kind::out_of_memory);
  EXPECT_EQ(over.reason, "went over its memory limit of 256.0 MiB (residency budget)");
}

// The signal is sent to another thread, because the thread that forks blocks it.
TEST(Supervisor, HandsOnWhatWouldEndItAndGoesOn) {
  const std::jthread other([](const std::stop_token& stop) {
    while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  struct sigaction before {};
  struct sigaction defaults {};
  defaults.sa_handler = SIG_DFL;
  ::sigaction(SIGTERM, &defaults, &before);
  const pid_t parent = ::getpid();
  const Ending ending = run_supervised(
      [parent] {
        ::kill(parent, SIGTERM);  // at once, perhaps before the handler is set
        while (true) ::pause();
        return ExitCode::ok;
      },
      nullptr);
  EXPECT_EQ(ending.kind, Ending::Kind::interrupted);
  EXPECT_EQ(ending.exit_code, -SIGTERM);
  struct sigaction after {};
  ::sigaction(SIGTERM, &before, &after);
  EXPECT_EQ(after.sa_handler, SIG_DFL) << "its own handlers are gone afterwards";
}

}  // namespace
}  // namespace outcore
