// SPDX-License-Identifier: Apache-2.0
#include "common/memory_limit.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <tuple>
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
  // The hierarchy as the kernel would list it, with this process in the group `own`.
  KernelFiles kernel(const std::string& kind, const std::string& options,
                     const std::string& own = "/") const {
    write(root_ / "mounts", "x " + root_.string() + " " + kind + " " + options + " 0 0\n");
    write(root_ / "own", "3:cpu:/elsewhere\n0::" + own + "\n");
    return {root_ / "mounts", root_ / "own"};
  }
  fs::path root_;
};

TEST_F(FakeCgroups, VersionTwoIsLimitedEnteredAndAskedByItsOwnFiles) {
  write(root_ / "cgroup.controllers", "cpu memory io\n");
  MemoryLimit limit(1 << 20, BeyondLimit::ends, kernel("cgroup2", "rw"));
  EXPECT_EQ(limit.name(), "cgroup v2");
  EXPECT_EQ(limit.folder().parent_path(), root_);
  EXPECT_EQ(read(limit.folder() / "memory.max"), "1048576");
  EXPECT_EQ(read(root_ / "cgroup.subtree_control"), "+memory");
  limit.enter();
  EXPECT_EQ(read(limit.folder() / "cgroup.procs"), std::to_string(::getpid()));
  EXPECT_FALSE(limit.exceeded_by(::getpid())) << "the kernel sees to that";
  EXPECT_FALSE(limit.killed());
  EXPECT_EQ(limit.peak(), 0U) << "older kernels do not say";
  write(limit.folder() / "memory.events", "low 0\nhigh 0\noom 1\noom_kill 1\n");
  write(limit.folder() / "memory.peak", "1044480\n");
  EXPECT_TRUE(limit.killed());
  EXPECT_EQ(limit.peak(), 1044480U);
}

// A user does not own the root, but may own the part of the tree that holds her session.
TEST_F(FakeCgroups, VersionTwoIsFoundBesideTheOwnGroup) {
  if (::geteuid() == 0) {
    // Root may write anywhere, so a file with the group's name blocks the group at the root.
    write(root_ / ("outcore-" + std::to_string(::getpid())), "");
  }
  write(root_ / "cgroup.controllers", "memory\n");
  fs::create_directories(root_ / "user.slice" / "session");
  const KernelFiles files = kernel("cgroup2", "rw", "/user.slice/session");
  if (::geteuid() != 0) fs::permissions(root_, fs::perms::owner_read | fs::perms::owner_exec);
  {
    const MemoryLimit limit(1 << 20, BeyondLimit::ends, files);
    EXPECT_EQ(limit.name(), "cgroup v2");
    EXPECT_EQ(limit.folder().parent_path(), root_ / "user.slice");
    EXPECT_EQ(read(limit.folder() / "memory.max"), "1048576");
  }
  fs::permissions(root_, fs::perms::owner_all);
}

TEST_F(FakeCgroups, VersionOneNeedsTheMemoryController) {
  EXPECT_EQ(MemoryLimit(1 << 20, BeyondLimit::ends, kernel("cgroup", "rw,cpu")).name(),
            "residency budget");
  const MemoryLimit limit(1 << 20, BeyondLimit::ends, kernel("cgroup", "rw,memory"));
  EXPECT_EQ(limit.name(), "cgroup v1");
  EXPECT_EQ(read(limit.folder() / "memory.limit_in_bytes"), "1048576");
  write(limit.folder() / "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
  write(limit.folder() / "memory.max_usage_in_bytes", "1048576\n");
  EXPECT_TRUE(limit.killed());
  EXPECT_EQ(limit.peak(), 1U << 20);
}

// The group's swap is not limited then; the files are those that the kernel makes.
TEST_F(FakeCgroups, ForbidsSwapUnlessItIsWanted) {
  write(root_ / "cgroup.controllers", "memory\n");
  const fs::path group = root_ / ("outcore-" + std::to_string(::getpid()));
  for (const auto& [beyond, limit] :
       {std::pair(BeyondLimit::swaps, "max"), {BeyondLimit::ends, "0"}}) {
    fs::create_directories(group);
    write(group / "memory.swap.max", "max");
    const MemoryLimit made(1 << 20, beyond, kernel("cgroup2", "rw"));
    EXPECT_EQ(read(group / "memory.swap.max"), limit);
    fs::remove_all(group);
  }
}

// What is verified after a run may need more than the run was given.
TEST_F(FakeCgroups, AreLiftedAndBindAgain) {
  write(root_ / "cgroup.controllers", "memory\n");
  for (const auto& [kind, file, none] :
       {std::tuple("cgroup2", "memory.max", "max"), {"cgroup", "memory.limit_in_bytes", "-1"}}) {
    const MemoryLimit limit(1 << 20, BeyondLimit::ends, kernel(kind, "rw,memory"));
    limit.lift();
    EXPECT_EQ(read(limit.folder() / file), none);
    write(limit.folder() / "memory.peak", "9000000\n");
    write(limit.folder() / "memory.max_usage_in_bytes", "9000000\n");
    EXPECT_EQ(limit.peak(), 1U << 20) << "what came while it was lifted does not count";
    limit.bind();
    EXPECT_EQ(read(limit.folder() / file), "1048576");
    fs::remove_all(limit.folder());
  }
}

TEST_F(FakeCgroups, SwapSpaceStandsBehindTheHeadings) {
  write(root_ / "swaps", "Filename Type Size Used Priority\n");
  EXPECT_FALSE(has_swap_space(root_ / "swaps"));
  write(root_ / "swaps", "Filename Type Size Used Priority\n/swap file 1024 0 -2\n");
  EXPECT_TRUE(has_swap_space(root_ / "swaps"));
  EXPECT_FALSE(has_swap_space(root_ / "none"));
}

// Touches `bytes` of memory, and reports whether it survived.
void touch(std::size_t bytes) {
  std::vector<char> memory(bytes);
  for (std::size_t i = 0; i < memory.size(); i += 4096) memory[i] = 1;
  ::_exit(memory[0] == 1 ? 0 : 1);
}

class LiveGroups : public testing::TestWithParam<MemoryLimit::Kind> {};

// Sanitizers themselves use far more memory than these tests allow.
bool under_a_sanitizer() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  return false;
#endif
}

TEST_P(LiveGroups, TheKernelKillsWhoGoesOverThem) {
  if (under_a_sanitizer()) GTEST_SKIP() << "sanitizers hold far more memory themselves";
  // List only mounts of this kind: a machine may have both.
  const std::string kind = GetParam() == MemoryLimit::Kind::cgroup_v1 ? "cgroup" : "cgroup2";
  const fs::path mounts = fs::temp_directory_path() / ("mounts-" + std::to_string(::getpid()));
  {
    std::ifstream all("/proc/mounts");
    std::ofstream some(mounts);
    for (std::string line; std::getline(all, line);) {
      if (line.find(" " + kind + " ") != std::string::npos) some << line << '\n';
    }
  }
  MemoryLimit limit(std::uint64_t{16} << 20, BeyondLimit::ends, {mounts, "/proc/self/cgroup"});
  fs::remove(mounts);
  if (limit.kind() != GetParam()) {
    GTEST_SKIP() << "no " << kind << " hierarchy here lets this user limit memory";
  }
  for (const bool enough : {true, false}) {
    const pid_t child = ::fork();
    if (child == 0) {
      limit.enter();
      touch(std::size_t{enough ? 4U : 64U} << 20);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (enough) {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
      EXPECT_FALSE(limit.killed());
    } else {
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
      EXPECT_TRUE(limit.killed());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Both, LiveGroups, testing::Values(MemoryLimit::Kind::cgroup_v1, MemoryLimit::Kind::cgroup_v2),
    [](const auto& test) { return test.param == MemoryLimit::Kind::cgroup_v1 ? "v1" : "v2"; });

// A child that holds `bytes` until it is killed.
pid_t hold(std::size_t bytes) {
  int ready[2];
  EXPECT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<char> memory(bytes, 1);
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    while (memory[0] == 1) ::pause();
    ::_exit(0);
  }
  char byte = 0;
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  ::close(ready[1]);
  return child;
}

void end(pid_t child) {
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(ResidencyBudget, CountsAnonymousMemoryOfAnotherProcess) {
  constexpr std::uint64_t kHeld = 48 << 20;
  const pid_t child = hold(kHeld);
  const std::uint64_t bytes = anonymous_bytes(child);
  end(child);
  EXPECT_GE(bytes, kHeld);
  EXPECT_EQ(anonymous_bytes(child), 0U) << "gone";
}

TEST(ResidencyBudget, SaysWhoIsOverItAndRemembers) {
  if (under_a_sanitizer()) GTEST_SKIP() << "sanitizers hold far more memory themselves";
  const KernelFiles none = {"/nonexistent", "/nonexistent"};
  MemoryLimit limit(std::uint64_t{64} << 20, BeyondLimit::ends, none);
  EXPECT_EQ(limit.kind(), MemoryLimit::Kind::residency_budget);
  const pid_t small = hold(8 << 20);
  EXPECT_FALSE(limit.exceeded_by(small));
  EXPECT_FALSE(limit.killed());
  end(small);
  const pid_t large = hold(96 << 20);
  EXPECT_TRUE(limit.exceeded_by(large));
  end(large);
  EXPECT_TRUE(limit.killed());
  const pid_t small_again = hold(8 << 20);
  EXPECT_TRUE(limit.exceeded_by(small_again)) << "it was over the limit once";
  end(small_again);
  EXPECT_GE(limit.peak(), std::uint64_t{96} << 20);
}

// What was given back before anybody looked was too much all the same.
TEST(ResidencyBudget, ComparesThePeakAtTheEnd) {
  if (under_a_sanitizer()) GTEST_SKIP() << "sanitizers hold far more memory themselves";
  for (const std::size_t bytes : {std::size_t{8} << 20, std::size_t{96} << 20}) {
    const pid_t child = ::fork();
    if (child == 0) {
      const MemoryLimit limit(std::uint64_t{64} << 20, BeyondLimit::ends,
                              {"/nonexistent", "/nonexistent"});
      {
        const std::vector<char> memory(bytes, 1);
        if (memory[bytes / 2] != 1) ::_exit(2);
      }
      try {
        limit.check();
        ::_exit(0);
      } catch (const Error& error) {
        ::_exit(static_cast<int>(error.code()));
      }
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    const ExitCode expected = bytes > (std::size_t{64} << 20) ? ExitCode::memory : ExitCode::ok;
    EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(expected)) << bytes;
  }
}

// One allocation between two looks cannot take everything there is.
TEST(ResidencyBudget, TheKernelRefusesWhatLiesFarAboveIt) {
  if (under_a_sanitizer()) GTEST_SKIP() << "sanitizers reserve far more memory themselves";
  const pid_t child = ::fork();
  if (child == 0) {
    const MemoryLimit limit(std::uint64_t{16} << 20, BeyondLimit::ends,
                            {"/nonexistent", "/nonexistent"});
    limit.enter();
    void* memory = std::malloc(MemoryLimit::kSlack + (std::size_t{64} << 20));
    ::_exit(memory == nullptr ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace outcore
