// SPDX-License-Identifier: Apache-2.0
#include "common/memory_limit.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "common/error.h"
#include "common/machine.h"
#include "common/sizes.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

bool write_line(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  return file.good();
}

bool has_word(const fs::path& path, const std::string& word) {
  std::ifstream file(path);
  for (std::string found; file >> found;) {
    if (found == word) return true;
  }
  return false;
}

// The number after `key` in a file of "key number" lines; 0 when `key` is missing.
std::uint64_t number_of(const fs::path& path, const std::string& key) {
  std::ifstream file(path);
  std::string name;
  for (std::uint64_t value = 0; file >> name >> value;) {
    if (name == key) return value;
  }
  return 0;
}

// Without this, a process over the limit would continue slowly from swap. These files do not exist
// where the kernel does not count swap.
void forbid_swap(const fs::path& folder, bool v2, std::uint64_t bytes) {
  const fs::path path = folder / (v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes");
  if (fs::exists(path)) write_line(path, v2 ? "0" : std::to_string(bytes));
}

// False where the controller is missing: the file is not there, and is not created.
bool write_limit(const fs::path& folder, bool v2, std::uint64_t bytes) {
  return write_line(folder / (v2 ? "memory.max" : "memory.limit_in_bytes"), std::to_string(bytes));
}

// This process's own group in the version 2 hierarchy: "/user.slice/..." in "0::/user.slice/...".
std::string own_group(const fs::path& own_cgroups) {
  std::ifstream file(own_cgroups);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::/")) return line.substr(4);
  }
  return {};
}

struct Resident {
  std::uint64_t bytes = 0;
  std::uint64_t of_files = 0;  // and of shared memory
};

Resident resident(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/statm", process));
  std::uint64_t reserved = 0;
  Resident now;
  file >> reserved >> now.bytes >> now.of_files;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  now.bytes *= page;
  now.of_files *= page;
  return now;
}

struct Hierarchy {
  fs::path mount;
  bool v2 = false;
};

std::vector<Hierarchy> memory_hierarchies(const fs::path& mounts) {
  std::vector<Hierarchy> all;
  std::ifstream table(mounts);
  for (std::string line; std::getline(table, line);) {
    std::istringstream fields(line);
    std::string source;
    std::string where;
    std::string kind;
    std::string options;
    fields >> source >> where >> kind >> options;
    const bool v1 = kind == "cgroup" && ("," + options + ",").find(",memory,") != std::string::npos;
    const bool v2 = kind == "cgroup2" && has_word(fs::path(where) / "cgroup.controllers", "memory");
    if (v1 || v2) all.push_back({where, v2});
  }
  return all;
}

}  // namespace

MemoryLimit::MemoryLimit(std::uint64_t bytes, BeyondLimit beyond, const KernelFiles& files)
    : bytes_(bytes), beyond_(beyond) {
  for (const auto& [mount, v2] : memory_hierarchies(files.mounts)) {
    if (make_group(mount, v2)) return;
    if (!v2) continue;
    // A user who may not write at the root may own a part of the tree (systemd gives users one).
    // The new group is created beside the process's own group, because a group that holds processes
    // cannot have limited groups below it.
    const fs::path beside = (mount / own_group(files.own_cgroups)).parent_path();
    if (beside != mount && make_group(beside, v2)) return;
  }
}

bool MemoryLimit::make_group(const fs::path& parent, bool v2) {
  if (v2) write_line(parent / "cgroup.subtree_control", "+memory");  // may be set already
  const fs::path folder = parent / fmt::format("outcore-{}", ::getpid());
  std::error_code error;
  fs::create_directory(folder, error);
  if (error) return false;
  if (write_limit(folder, v2, bytes_)) {
    if (beyond_ == BeyondLimit::ends) forbid_swap(folder, v2, bytes_);
    folder_ = folder;
    kind_ = v2 ? Kind::cgroup_v2 : Kind::cgroup_v1;
    return true;
  }
  fs::remove(folder, error);
  return false;
}

MemoryLimit::~MemoryLimit() {
  if (folder_.empty()) return;
  std::error_code ignored;  // an empty group that cannot be removed costs nothing
  fs::remove(folder_, ignored);
}

void MemoryLimit::enter() const {
  if (kind_ == Kind::residency_budget) {
    const rlimit hard = {bytes_ + kSlack, bytes_ + kSlack};
    if (::setrlimit(RLIMIT_DATA, &hard) == 0) return;
    throw Error(ExitCode::io, fmt::format("--memory {}: cannot set RLIMIT_DATA: {} (errno {})",
                                          bytes_, std::strerror(errno), errno));
  }
  const fs::path path = folder_ / "cgroup.procs";
  if (!write_line(path, std::to_string(::getpid()))) {
    throw io_error(Place::file(path), "cannot enter the memory control group", 0);
  }
}

void MemoryLimit::lift() const {
  // In version 1 memory with swap cannot be limited to less than memory alone.
  if (kind_ == Kind::cgroup_v1) {
    write_line(folder_ / "memory.memsw.limit_in_bytes", "-1");
    write_line(folder_ / "memory.limit_in_bytes", "-1");
  }
  if (kind_ == Kind::cgroup_v2) write_line(folder_ / "memory.max", "max");
}

void MemoryLimit::bind() const {
  if (kind_ == Kind::residency_budget) return;
  const bool v2 = kind_ == Kind::cgroup_v2;
  if (!write_limit(folder_, v2, bytes_))
    throw io_error(Place::file(folder_), "cannot limit memory again", 0);
  if (beyond_ == BeyondLimit::ends) forbid_swap(folder_, v2, bytes_);
}

void MemoryLimit::check() const {
  if (kind_ != Kind::residency_budget) return;
  // The kernel's peak resident set includes mapped files. They stay mapped, so what is resident of
  // files now is at least what was resident of them at the peak.
  const std::uint64_t files = resident(::getpid()).of_files;
  const std::uint64_t peak = peak_resident_bytes();
  if (peak <= bytes_ + files) return;
  throw Error(ExitCode::memory, fmt::format("went over its memory limit of {} ({}): {} at most",
                                            human_size(bytes_), name(), human_size(peak - files)));
}

bool MemoryLimit::exceeded_by(pid_t inside) {
  if (kind_ != Kind::residency_budget) return false;
  seen_ = std::max(seen_, anonymous_bytes(inside));
  ended_ = ended_ || seen_ > bytes_;
  return ended_;
}

bool MemoryLimit::killed() const {
  switch (kind_) {
    case Kind::cgroup_v1:
      return number_of(folder_ / "memory.oom_control", "oom_kill") > 0;
    case Kind::cgroup_v2:
      return number_of(folder_ / "memory.events", "oom_kill") > 0;
    case Kind::residency_budget:
      break;
  }
  return ended_;
}

bool has_swap_space(const std::filesystem::path& swaps) {
  std::ifstream file(swaps);
  std::string line;
  return std::getline(file, line) && std::getline(file, line);
}

std::string MemoryLimit::name() const {
  switch (kind_) {
    case Kind::cgroup_v1:
      return "cgroup v1";
    case Kind::cgroup_v2:
      return "cgroup v2";
    case Kind::residency_budget:
      break;
  }
  return "residency budget";
}

std::uint64_t MemoryLimit::peak() const {
  if (kind_ == Kind::residency_budget) return seen_;
  const bool v2 = kind_ == Kind::cgroup_v2;
  std::ifstream file(folder_ / (v2 ? "memory.peak" : "memory.max_usage_in_bytes"));
  std::uint64_t bytes = 0;
  file >> bytes;
  return std::min(bytes, bytes_);  // the kernel does not forget what came while it was lifted
}

std::uint64_t anonymous_bytes(pid_t process) {
  const Resident now = resident(process);
  return now.bytes - std::min(now.of_files, now.bytes);
}

}  // namespace outcore
