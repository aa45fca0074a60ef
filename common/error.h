// SPDX-License-Identifier: Apache-2.0
// What goes wrong is an Error: an exception that says where it happened (file and line or offset),
// what was found, what was expected and what to do. It carries the process's exit code. `assert` is
// only for invariants of our own code, never for what a user, a file or a device can cause.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace outcore {

// The process's exit codes; README.md documents them for users.
enum class ExitCode : int {
  ok = 0,
  internal = 1,      // our own fault
  usage = 2,         // the command line asks for something impossible
  bad_input = 3,     // a file is not what it should be
  io = 4,            // the device or the operating system refused
  wrong_answer = 5,  // verification failed
  memory = 6,        // a memory limit was hit
  interrupted = 130,
};

// The exit code that a shell reports for a process ended by a signal: 137 for SIGKILL. `outcore
// run` ends with it too when a signal ended the run's own process and the supervisor recorded that.
constexpr ExitCode ended_by(int signal) { return static_cast<ExitCode>(128 + signal); }

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// Where in a file something was found: by line (from 1) or by byte offset.
class Place {
 public:
  static Place file(std::filesystem::path path);
  static Place line(std::filesystem::path path, std::uint64_t line);
  static Place offset(std::filesystem::path path, std::uint64_t offset);
  [[nodiscard]] std::string text() const;

 private:
  enum class Kind : std::uint8_t { file, line, offset };
  Place(Kind kind, std::filesystem::path path, std::uint64_t at);
  Kind kind_;
  std::filesystem::path path_;
  std::uint64_t at_;
};

// "edges.txt:17: found 'abc', expected a vertex id (0 to 4294967294); <advice>"
Error bad_input(const Place& place, const std::string& found, const std::string& expected,
                const std::string& advice = {});

// "graphs/k/out.blocks at offset 4096: read of 4096 bytes failed: Input/output error (errno 5)"
// A negative or zero error_number means that the call succeeded with too few bytes.
Error io_error(const Place& place, const std::string& what, int error_number);
// For what the standard library threw: "graphs/k: Permission denied (errno 13)"
Error io_error(const std::filesystem::filesystem_error& error);

// "unknown engine 'cocurrent'; there are: concurrent, in_memory; did you mean 'concurrent'?" The
// question suggests `meant` if the caller gives it, else the nearest known name if one is near.
Error unknown_name(const std::string& kind, const std::string& name,
                   const std::vector<std::string>& known,
                   const std::vector<std::string>& meant = {});

// "; did you mean 'concurrent'?" with the nearest name; empty if no name is near.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& known);

Error usage_error(const std::string& message);

}  // namespace outcore
