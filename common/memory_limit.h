// SPDX-License-Identifier: Apache-2.0
// A limit on the memory of a whole process, enforced by the kernel: a control group made for one
// run. Version 1 and version 2 hierarchies; the first that can be used is taken.
//
// One process makes the limit (and stays outside of it), another enters, and the first asks
// afterwards whether it bound. The group is removed with the object, once it is empty.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace outcore {

class MemoryLimit {
 public:
  // `mounts` is a table of mounted filesystems in the form of /proc/mounts. Throws a usage Error
  // with advice when no memory control group can be had.
  explicit MemoryLimit(std::uint64_t bytes, const std::filesystem::path& mounts = "/proc/mounts");
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

  // Moves the calling process in.
  void enter() const;
  // Did the kernel kill a process of the group for going over the limit?
  [[nodiscard]] bool killed() const;
  // "cgroup v1", "cgroup v2": for the record.
  [[nodiscard]] std::string kind() const;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  bool v2_ = false;
};

}  // namespace outcore
