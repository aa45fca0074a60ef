// SPDX-License-Identifier: Apache-2.0
// A memory limit for a whole process that is really enforced. There are three kinds; the first one
// that is available is used:
//
//   cgroup v1, cgroup v2   a control group made for one run. The kernel counts everything that the
//                          run causes, page cache included, and kills a process that exceeds it.
//   residency budget       where no group can be made (an unprivileged user, most containers): a
//                          process outside asks every kInterval how much anonymous memory the
//                          process inside has, and ends it when that is over the limit. Page cache
//                          is not counted, because the kernel may reclaim it at any time. For the
//                          length of an interval the limit can be exceeded; `peak` says by how
//                          much that was seen. The kernel's own hard limit (RLIMIT_DATA) is set
//                          kSlack higher. It counts memory that is reserved, such as stacks, not
//                          memory that is used, so it cannot be the limit itself.
//
// One process makes the limit and stays outside of it. Another process enters it. The first one
// watches, and asks afterwards whether the limit was hit. The group is removed with the object,
// once it is empty.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace outcore {

// What happens to a process that needs more than its control group may have: it is ended, or goes
// on from swap space, where the machine has some.
enum class BeyondLimit : std::uint8_t { ends, swaps };

// Where the kernel's files are; a test has a tree of its own.
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

  // Moves the calling process into the limit.
  void enter() const;
  // Call both inside: what follows is not the run, such as the verification of its answer, which
  // may need more; and the run goes on. A residency budget stays, because the page cache, of which
  // a verification wants most, does not count against it.
  void lift() const;
  void bind() const;
  // Call it inside, at the end. Throws Error (memory) when this process exceeded a residency budget
  // at any time, also between two looks from outside.
  void check() const;
  // Call it outside every kInterval while the process inside runs. True when that process exceeded
  // a residency budget and must be ended. Always false for groups, where the kernel ends it.
  bool exceeded_by(pid_t inside);
  // Did the limit end a process inside?
  [[nodiscard]] bool killed() const;

  [[nodiscard]] Kind kind() const { return kind_; }
  // "cgroup v1", "cgroup v2", "residency budget": for the record.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  // The largest amount counted while the limit bound; 0 where the kernel does not say.
  [[nodiscard]] std::uint64_t peak() const;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  bool make_group(const std::filesystem::path& parent, bool v2);

  std::uint64_t bytes_;
  BeyondLimit beyond_;
  Kind kind_ = Kind::residency_budget;
  std::filesystem::path folder_;  // the group's
  std::uint64_t seen_ = 0;        // the largest amount that exceeded_by() saw
  bool ended_ = false;
};

// Does the machine have swap space? `swaps` lists it below a line of headings.
bool has_swap_space(const std::filesystem::path& swaps = "/proc/swaps");

// The anonymous memory that a process has now: its resident pages without those of files and shared
// memory. 0 when the process is gone.
std::uint64_t anonymous_bytes(pid_t process);

}  // namespace outcore
