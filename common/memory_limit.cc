// SPDX-License-Identifier: Apache-2.0
#include "common/memory_limit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "common/error.h"

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

// The number after `key` in a file of "key number" lines; 0 when it is not there.
std::uint64_t number_of(const fs::path& path, const std::string& key) {
  std::ifstream file(path);
  std::string name;
  for (std::uint64_t value = 0; file >> name >> value;) {
    if (name == key) return value;
  }
  return 0;
}

// Else a process over the limit would go on, slowly, from swap. Where the kernel does not count
// swap there are no such files.
void forbid_swap(const fs::path& folder, bool v2, std::uint64_t bytes) {
  const fs::path path = folder / (v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes");
  if (fs::exists(path)) write_line(path, v2 ? "0" : std::to_string(bytes));
}

}  // namespace

MemoryLimit::MemoryLimit(std::uint64_t bytes, const fs::path& mounts) {
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
    if (!v1 && !v2) continue;
    if (v2)
      write_line(fs::path(where) / "cgroup.subtree_control", "+memory");  // may be set already
    const fs::path folder = fs::path(where) / fmt::format("outcore-{}", ::getpid());
    std::error_code error;
    fs::create_directory(folder, error);
    if (error) continue;
    folder_ = folder;
    v2_ = v2;
    const bool limited =
        write_line(folder / (v2 ? "memory.max" : "memory.limit_in_bytes"), std::to_string(bytes));
    if (limited) {
      forbid_swap(folder, v2, bytes);
      return;
    }
    fs::remove(folder, error);
  }
  throw usage_error(fmt::format(
      "--memory {}: no memory control group can be had here (cgroup v1 or v2, usually as root); "
      "run as root, or without --memory and say so with the result",
      bytes));
}

MemoryLimit::~MemoryLimit() {
  std::error_code ignored;  // a group that cannot be removed now holds nothing and costs nothing
  fs::remove(folder_, ignored);
}

void MemoryLimit::enter() const {
  const fs::path path = folder_ / "cgroup.procs";
  if (!write_line(path, std::to_string(::getpid()))) {
    throw io_error(Place::file(path), "cannot enter the memory control group", 0);
  }
}

bool MemoryLimit::killed() const {
  return number_of(folder_ / (v2_ ? "memory.events" : "memory.oom_control"), "oom_kill") > 0;
}

std::string MemoryLimit::kind() const { return v2_ ? "cgroup v2" : "cgroup v1"; }

}  // namespace outcore
