// SPDX-License-Identifier: Apache-2.0
// A limit on the memory of a whole process that binds, of one of three kinds; the first that can be
// had is taken:
//
//   cgroup v1, cgroup v2   a control group made for one run. The kernel counts everything the run
//                          causes, page cache too, and kills who goes over it.
//   residency budget       where no group can be had (an unprivileged user, most containers): the
//                          process outside asks every kInterval how much anonymous memory the one
//                          inside has, and ends it when that is more. Page cache is not counted
//                          (the kernel takes it back as it likes), and for the length of an
//                          interval the limit can be overrun; by how much was seen is said
//                          (`peak`). A hard stop of the kernel (RLIMIT_DATA) lies kSlack above the
//                          limit: it counts what is reserved, stacks say, not what is used, so it
//                          cannot be the limit itself.
//
// One process makes the limit (and stays outside of it), another enters, and the first watches and
// asks afterwards whether it bound. A group is removed with the object, once it is empty.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace outcore {

// What a process is to do that needs more than its control group may have: is ended, or goes on
// from swap space, where the machine has some.
enum class BeyondLimit : std::uint8_t { ends, swaps };

// Where to look for what the kernel offers; a test has a tree of its own.
struct KernelFiles {
  std::filesystem::path mounts = "/proc/mounts";
  std::filesystem::path own_cgroups = "/proc/self/cgroup";
};

class MemoryLimit {
 public:
  enum class Kind : std::uint8_t { cgroup_v1, cgroup_v2, residency_budget };
  static constexpr std::chrono::milliseconds kInterval{2};
  static constexpr std::uint64_t kSlack = std::uint64_t{1} << 30;

  explicit MemoryLimit(std::uint64_t bytes, BeyondLimit beyond = BeyondLimit::ends,
                       const KernelFiles& files = {});
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

  // Moves the calling process in.
  void enter() const;
  // From inside, at the end: throws Error (memory) when this process was over a residency budget
  // at any time, also between two looks from outside.
  void check() const;
  // From outside, as long as the process inside runs: every kInterval. True when it has gone over a
  // residency budget, and is to be ended; false for groups, where the kernel sees to that.
  bool exceeded_by(pid_t inside);
  // Did the limit end a process inside?
  [[nodiscard]] bool killed() const;

  [[nodiscard]] Kind kind() const { return kind_; }
  // "cgroup v1", "cgroup v2", "residency budget": for the record.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  // The most that was counted against the limit; 0 where the kernel does not say.
  [[nodiscard]] std::uint64_t peak() const;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  bool make_group(const std::filesystem::path& parent, bool v2, BeyondLimit beyond);

  std::uint64_t bytes_;
  Kind kind_ = Kind::residency_budget;
  std::filesystem::path folder_;  // of the group
  std::uint64_t seen_ = 0;        // the most, by exceeded_by
  bool ended_ = false;
};

// Does the machine have swap space? `swaps` lists it behind a line of headings.
bool has_swap_space(const std::filesystem::path& swaps = "/proc/swaps");

// Anonymous memory that a process has now (its resident pages but those of files and shared ones);
// 0 when it is gone.
std::uint64_t anonymous_bytes(pid_t process);

}  // namespace outcore
