// SPDX-License-Identifier: Apache-2.0
// How bytes come from a device and go to it: a Backend makes Channels, a Channel carries requests.
//
// After fio's I/O engines: a backend is a small table of operations, says what it is like
// (BackendTraits), has parameters of its own, and submit() answers *completed*, *queued* or *busy*,
// which is what makes io_uring, a pool of blocking threads and plain memory interchangeable.
//
// Threads: a Backend is shared, and channels may be opened from any thread; a Channel belongs to
// the thread that first submits to it, and is used by no other. With requests in flight it is that
// thread's to destroy, else any's. Lifetime: files are added before channels are opened; a Channel
// must not outlive its Backend; `memory` must stay valid, and that of a write unchanged, until its
// request was reaped. Destroying a Channel waits for what is in flight (so buffers may be freed
// after it), and drops the answers. Requests that were never flushed may then be dropped as well: a
// write is certain only when it was reaped.
//
// Units: offsets and sizes in bytes. With O_DIRECT, offset, size and address of reads and writes
// are multiples of kAlignment; callers always keep to that, so every backend sees the same
// requests.
//
// Order: requests in flight are carried out in any order, those of one channel too. A read sees a
// write that was reaped before the read was submitted, through whichever channel; one that was in
// flight meanwhile it may see in part. A sync covers the writes to its file that were reaped before
// the sync was submitted, through whichever channel, and promises nothing of the others: to keep a
// write, reap it, submit the sync, reap the sync.
//
// Writes: a file is written only if it was added as writable, and never grows: a write lies within
// the file as it was when it was added. Without a sync, a write that was reaped survives the
// process and not the machine.
//
// Errors: reap() throws Error (io) that names file, offset and errno for a request that failed, for
// a read past the end of its file, and for a write to a file that is not writable (EBADF). After
// that the channel may only be destroyed. Then every write that was not reaped may have happened
// whole, in part or not at all; after a failed sync so may all that no earlier sync covers, even
// if a later sync succeeds. submit() and flush() throw only when the operating system refuses the
// batch as a whole. Reads that deliver less than they should, and writes that take less, are
// continued. Nothing hangs: a channel with requests in flight answers each of them or throws.
//
// To add a backend: one file <name>_backend.cc with its factory and one line in registry.cc;
// storage/io/README.md has the steps, skeleton_backend.h the smallest one that keeps this contract.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/parameters.h"

namespace outcore {

class ModelledDevice;

inline constexpr std::size_t kAlignment = 4096;

enum class Op : std::uint8_t {
  read,   // from the file into memory
  write,  // from memory, which stays as it is, into the file
  sync    // fdatasync of the file; bytes, offset and memory are not looked at
};

struct Request {
  std::uint32_t file = 0;  // as numbered by Backend::add_file
  std::uint32_t bytes = 0;
  std::uint64_t offset = 0;
  std::byte* memory = nullptr;
  std::uint64_t tag = 0;  // given back with the completion
  Op op = Op::read;
};

struct Completion {
  std::uint64_t tag = 0;
};

enum class Submit : std::uint8_t {
  completed,  // carried out already; no completion follows
  queued,     // a completion follows from reap()
  busy,       // the channel is full: reap() first
};

class Channel {
 public:
  virtual ~Channel() = default;
  // Queues a request; it may wait in the channel until flush() or reap() hands it on in a batch.
  virtual Submit submit(const Request& request) = 0;
  virtual void flush() = 0;
  // Hands on what waits, then takes finished requests into `done`, in any order, until at least
  // `at_least` are there (or in_flight() or done.size(), when these are fewer); returns how many.
  virtual std::size_t reap(std::span<Completion> done, std::size_t at_least) = 0;
  [[nodiscard]] virtual std::size_t in_flight() const = 0;
};

// A file is mapped twice, for what a page fault brings is of two kinds: what the backend's own
// advice says, and whole *windows* of 2 MB, aligned, each in one huge folio where the file system
// has them. A window costs the processors a tenth of what its pages cost one by one, and suits
// ranges that are wanted nearly whole. (To change the advice by range instead would split the
// mapping: vm.max_map_count.)
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{2} << 20;

struct MappedRange {
  std::uint32_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool window = false;  // through the second mapping
};

// What the kernel is told of faults: that they come in no order, so that each brings what it needs
// and nothing else; that they come in order, so that it reads far ahead; that each is to bring its
// window; or nothing.
enum class MapAdvice : std::uint8_t { normal, random, sequential, windows };
// "normal", "random" or "sequential": what users may ask for.
MapAdvice advice_named(const std::string& name);

// The files of a backend that maps, where they lie, for engines that use bytes in place. A view
// belongs to one thread and must not outlive its Backend. Views of a backend show the same memory:
// what one of them releases has left the others too, and comes back when it is touched.
class MappedView {
 public:
  virtual ~MappedView() = default;
  // Through the second mapping if `window`.
  [[nodiscard]] virtual std::span<const std::byte> bytes(std::uint32_t file,
                                                         bool window = false) const = 0;
  // Begins to bring ranges into memory, as many at once as the backend can.
  virtual void start(std::span<const MappedRange> ranges) = 0;
  // Returns when the ranges of the oldest start() are there, until the kernel takes them away
  // again. REQUIRES: a start() that is not finished. Touching other ranges is allowed, and slow.
  virtual void finish() = 0;
  // For a few large ranges: each that has another advice than its neighbours is a mapping more for
  // the kernel, and these are limited (vm.max_map_count) and make each other slower.
  virtual void advise(const MappedRange& range, MapAdvice advice) = 0;
  // Lets whole pages of the ranges leave memory and both mappings; returns how many bytes did. Some
  // may stay: those that another process maps, and those of a large folio that lies only partly in
  // a range.
  virtual std::uint64_t release(std::span<const MappedRange> ranges) = 0;
  // How many bytes of the range are in memory, counted in whole pages. The kernel says so only of
  // files that the process owns or may write; any other seems to be there whole.
  [[nodiscard]] virtual std::uint64_t resident(const MappedRange& range) const = 0;
  // After the bytes of a range were used: throws Error (io), with the offset, unless they were the
  // file's (it was cut, a sector is bad).
  virtual void check(const MappedRange& range) const = 0;
};

// How it stands with the requests of all channels of a Door. Relaxed: only looked at.
struct RequestGauge {
  std::atomic<std::int64_t> in_flight{0};  // of any kind, asked for and not taken
  std::atomic<std::uint64_t> asked{0};     // reads so far
  std::atomic<std::uint64_t> writes{0};    // writes and syncs so far
};

struct BackendOptions {
  unsigned depth = 64;  // requests in flight in one channel
  bool direct = true;   // O_DIRECT: past the page cache
  // `fault` only: what goes wrong, when; see fault_backend.h
  std::string fault_plan = {};
  // A device that is not there, in front of the backend (modelled_backend.h); null: none. Channels
  // of several backends may share it.
  std::shared_ptr<ModelledDevice> device = nullptr;
  RequestGauge* gauge = nullptr;  // kept up to date by a Door, for who watches; not owned
  // The backend's own parameters, which make_backend fills in.
  Parameters settings = {};
};

// What a backend is like, in the manner of fio's flags.
struct BackendTraits {
  bool direct = false;    // reads past the page cache when asked to
  bool copies = false;    // the processor copies every byte, out of the page cache or of memory
  bool maps = false;      // has views: see MappedView
  bool blocking = false;  // some thread waits for each request
  bool contents = true;   // delivers what stands in the files, so that checksums hold
  bool writes = true;     // false: refuses files that are to be written
  [[nodiscard]] std::vector<std::string> names() const;  // of those that are so
};

class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual BackendTraits traits() const = 0;
  // Opens `path` and returns its number (0, 1, ...). With `writable` for writing too; a usage Error
  // that names the file unless traits().writes.
  virtual std::uint32_t add_file(const std::filesystem::path& path, bool writable = false) = 0;
  // `buffers` is where this channel's requests will put their bytes; a backend may register it.
  // Safe from many threads.
  virtual std::unique_ptr<Channel> open_channel(std::span<std::byte> buffers) = 0;
  // Null unless traits().maps.
  virtual std::unique_ptr<MappedView> open_view() { return nullptr; }
  // What the backend had to do otherwise than asked ("io_uring refused: fell back to threads");
  // goes into the record. Empty when all went as asked; complete once every channel was opened.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
};

// --- The registry (registry.cc has one line per backend) ---

struct BackendEntry {
  std::string name;
  std::string help;
  std::function<std::unique_ptr<Backend>(const BackendOptions&)> make;
  std::vector<Parameter> parameters = {};
};
const std::vector<BackendEntry>& backends();

inline constexpr const char* kUsualBackend = "uring";
// `spec` is a name, with parameters if wanted (common/parameters.h); empty: the usual one. Throws a
// usage Error that has the known names and the nearest of them for a name or value that is not
// known.
std::unique_ptr<Backend> make_backend(const std::string& spec, const BackendOptions& options);

}  // namespace outcore
