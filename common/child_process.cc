// SPDX-License-Identifier: Apache-2.0
#include "common/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include "common/error.h"

namespace outcore {

namespace {

// What the child does between fork and exec.
class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  void give(int from, int to) { ::posix_spawn_file_actions_adddup2(&actions_, from, to); }
  void open_nothing(int to) {
    ::posix_spawn_file_actions_addopen(&actions_, to, "/dev/null", O_RDONLY, 0);
  }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

std::string last_line(const File& file) {
  constexpr std::uint64_t kMost = 4096;
  const std::uint64_t bytes = file.size();
  const std::uint64_t from = bytes > kMost ? bytes - kMost : 0;
  std::string text(bytes - from, '\0');
  file.read(std::as_writable_bytes(std::span(text)), from);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& words, int input)
    : said_(File::create_nameless(std::filesystem::temp_directory_path())) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    throw Error(ExitCode::io, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  output_ = pipe[0];
  // The most that the kernel allows: with a smaller pipe the two wait for each other more often.
  constexpr int kPipeBytes = 1 << 20;
  ::fcntl(pipe[1], F_SETPIPE_SZ, kPipeBytes);
  FileActions actions;
  if (input >= 0) {
    ::lseek(input, 0, SEEK_SET);
    actions.give(input, STDIN_FILENO);
  } else {
    actions.open_nothing(STDIN_FILENO);
  }
  actions.give(pipe[1], STDOUT_FILENO);
  actions.give(said_.fd(), STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int error =
      ::posix_spawnp(&process_, arguments[0], actions.get(), nullptr, arguments.data(), environ);
  ::close(pipe[1]);
  if (error == 0) return;
  ::close(pipe[0]);
  throw Error(ExitCode::io,
              fmt::format("cannot start {}: {}", words.front(), std::strerror(error)));
}

ChildProcess::~ChildProcess() {
  if (output_ >= 0) ::close(output_);
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  wait_for(process_);
}

int ChildProcess::take_output() { return std::exchange(output_, -1); }

ChildProcess::Ended ChildProcess::wait() {
  const int status = wait_for(std::exchange(process_, -1));
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), last_line(said_)};
}

}  // namespace outcore
