// SPDX-License-Identifier: Apache-2.0
#include "common/machine.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <sstream>
#include <thread>

#include "common/numa.h"
#include "common/version.h"

namespace outcore {

namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

}  // namespace

nlohmann::json machine_facts() {
  utsname system{};
  ::uname(&system);
  const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return {{"host", system.nodename},
          {"cpu", cpu_model()},
          {"cores", std::thread::hardware_concurrency()},
          {"memory_bytes", pages * page_bytes},
          {"kernel", system.release},
          {"numa_nodes", numa::nodes()}};
}

nlohmann::json device_facts(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::string absolute = std::filesystem::weakly_canonical(path, ignored).string() + "/";
  std::ifstream table("/proc/mounts");
  nlohmann::json best = {{"filesystem", "unknown"}, {"source", "unknown"}};
  std::size_t longest = 0;
  for (std::string line; std::getline(table, line);) {
    std::istringstream fields(line);
    std::string source;
    std::string where;
    std::string kind;
    fields >> source >> where >> kind;
    const std::string prefix = where == "/" ? where : where + "/";
    if (!absolute.starts_with(prefix) || prefix.size() < longest) continue;
    longest = prefix.size();
    best = {{"filesystem", kind}, {"source", source}};
  }
  return best;
}

nlohmann::json build_facts() {
#ifdef NDEBUG
  const char* type = "release";
#else
  const char* type = "debug";
#endif
  return {{"version", version()},
          {"git_commit", git_commit()},
          {"compiler", fmt::format("gcc {}", __VERSION__)},
          {"type", type}};
}

std::vector<std::string> command_words() {
  std::ifstream file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

std::string timestamp() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t reserved = 0;
  std::uint64_t pages = 0;
  file >> reserved >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t peak_resident_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace outcore
