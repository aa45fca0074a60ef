// SPDX-License-Identifier: Apache-2.0
// What a record says about the machine of a run. Whatever cannot be read is "unknown" or 0.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace outcore {

// host, cpu, cores, memory_bytes, kernel, numa_nodes
nlohmann::json machine_facts();

// filesystem and source (device) of the mount that holds `path`
nlohmann::json device_facts(const std::filesystem::path& path);

// version, git_commit, compiler, type
nlohmann::json build_facts();

// The words of this process's command line.
std::vector<std::string> command_words();

// Now, in UTC: "2025-01-31T12:00:00Z"
std::string timestamp();

// The resident set of this process in bytes, including mapped files: now, and the largest so far.
std::uint64_t resident_bytes();
std::uint64_t peak_resident_bytes();

}  // namespace outcore
