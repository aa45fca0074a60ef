// SPDX-License-Identifier: Apache-2.0
#include "common/memory_limit.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <optional>
#include <vector>

#include "common/error.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;

// A tree of files that looks like a mounted hierarchy.
class FakeCgroups : public ::testing::Test {
 protected:
  FakeCgroups() : root_(fs::temp_directory_path() / ("cgroups-" + std::to_string(::getpid()))) {
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const fs::path& path, const std::string& text) const { std::ofstream(path) << text; }
  static std::string read(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  fs::path mounts(const std::string& kind, const std::string& options) {
    write(root_ / "mounts", "x " + root_.string() + " " + kind + " " + options + " 0 0\n");
    return root_ / "mounts";
  }
  fs::path root_;
};

TEST_F(FakeCgroups, VersionTwoIsLimitedEnteredAndAskedByItsOwnFiles) {
  write(root_ / "cgroup.controllers", "cpu memory io\n");
  const MemoryLimit limit(1 << 20, mounts("cgroup2", "rw"));
  EXPECT_EQ(limit.kind(), "cgroup v2");
  EXPECT_EQ(read(limit.folder() / "memory.max"), "1048576");
  EXPECT_EQ(read(root_ / "cgroup.subtree_control"), "+memory");
  limit.enter();
  EXPECT_EQ(read(limit.folder() / "cgroup.procs"), std::to_string(::getpid()));
  EXPECT_FALSE(limit.killed());
  write(limit.folder() / "memory.events", "low 0\nhigh 0\noom 1\noom_kill 1\n");
  EXPECT_TRUE(limit.killed());
}

TEST_F(FakeCgroups, VersionOneNeedsTheMemoryController) {
  EXPECT_THROW(MemoryLimit(1 << 20, mounts("cgroup", "rw,cpu")), Error);
  const MemoryLimit limit(1 << 20, mounts("cgroup", "rw,memory"));
  EXPECT_EQ(limit.kind(), "cgroup v1");
  EXPECT_EQ(read(limit.folder() / "memory.limit_in_bytes"), "1048576");
  write(limit.folder() / "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
  EXPECT_TRUE(limit.killed());
}

TEST(MemoryLimit, TheKernelKillsWhoGoesOverIt) {
  std::optional<MemoryLimit> limit;
  try {
    limit.emplace(std::uint64_t{16} << 20);
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  const pid_t child = ::fork();
  if (child == 0) {
    limit->enter();
    std::vector<char> memory(std::size_t{64} << 20);
    for (std::size_t i = 0; i < memory.size(); i += 4096) memory[i] = 1;
    ::_exit(memory[0]);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_TRUE(limit->killed());
}

}  // namespace
}  // namespace outcore
