// SPDX-License-Identifier: Apache-2.0
// How bytes come from a device: a Backend makes Channels, a Channel carries requests.
//
// After fio's I/O engines: a backend is a small table of operations, says what it can do, and
// submit() answers *completed*, *queued* or *busy*, which is what makes io_uring, a pool of
// blocking threads and plain memory interchangeable.
//
// Threads: a Backend is shared, and channels may be opened from any thread; a Channel belongs to
// the thread that first submits to it, and is used by no other. With requests in flight it is that
// thread's to destroy, else any's. Lifetime: files are added before channels are opened; a Channel
// must not outlive its Backend; `into` must stay valid until its request was reaped. Destroying a
// Channel waits for what is in flight (so buffers may be freed after it), and drops the answers.
//
// Units: offsets and sizes in bytes. With O_DIRECT, offset, size and address are multiples of
// kAlignment; callers always keep to that, so every backend sees the same requests.
//
// Errors: reap() throws Error (io) that names file, offset and errno for a failed read or one past
// the end of its file; after that the channel may only be destroyed. submit() and flush() throw
// only when the operating system refuses the batch as a whole. Reads that deliver less than they
// should are continued. Nothing hangs: a channel with requests in flight answers each of them or
// throws.
//
// To add a backend: one file <name>_backend.cc with its factory and one line in registry.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace outcore {

inline constexpr std::size_t kAlignment = 4096;

struct ReadRequest {
  std::uint32_t file = 0;  // as numbered by Backend::add_file
  std::uint32_t bytes = 0;
  std::uint64_t offset = 0;
  std::byte* into = nullptr;
  std::uint64_t tag = 0;  // given back with the completion
};

struct Completion {
  std::uint64_t tag = 0;
};

enum class Submit : std::uint8_t {
  completed,  // the bytes are there already; no completion follows
  queued,     // a completion follows from reap()
  busy,       // the channel is full: reap() first
};

class Channel {
 public:
  virtual ~Channel() = default;
  // Queues a request; it may wait in the channel until flush() or reap() hands it on in a batch.
  virtual Submit submit(const ReadRequest& request) = 0;
  virtual void flush() = 0;
  // Hands on what waits, then takes finished requests into `done`, in any order, until at least
  // `at_least` are there (or in_flight() or done.size(), when these are fewer); returns how many.
  virtual std::size_t reap(std::span<Completion> done, std::size_t at_least) = 0;
  [[nodiscard]] virtual std::size_t in_flight() const = 0;
};

struct BackendOptions {
  unsigned depth = 64;  // requests in flight in one channel
  bool direct = true;   // O_DIRECT: past the page cache
  // `fault` only: what goes wrong, when; see fault_backend.h
  std::string fault_plan = {};
};

class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  // Opens `path` and returns its number (0, 1, ...).
  virtual std::uint32_t add_file(const std::filesystem::path& path) = 0;
  // `buffers` is where this channel's requests will put their bytes; a backend may register it.
  virtual std::unique_ptr<Channel> open_channel(std::span<std::byte> buffers) = 0;
  // What the backend had to do otherwise than asked ("io_uring refused: fell back to threads");
  // goes into the record. Empty when all went as asked; complete once every channel was opened.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
};

// By name: "uring", "threads", "mem", "fault" (registry.cc has one line each). Throws unknown_name.
std::unique_ptr<Backend> make_backend(const std::string& name, const BackendOptions& options);
std::vector<std::pair<std::string, std::string>> backends();  // name, one line of help

}  // namespace outcore
