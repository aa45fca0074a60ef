// SPDX-License-Identifier: Apache-2.0
// How bytes come from a device and go to it: a Backend makes Channels, and a Channel carries
// requests.
//
// Designed after fio's I/O engines: a backend is a small table of operations, declares its traits
// (BackendTraits), and has its own parameters. submit() answers *completed*, *queued* or *busy*;
// this makes io_uring, a pool of blocking threads and plain memory interchangeable.
//
// Threads: a Backend is shared, and any thread may open channels. A Channel belongs to the thread
// that first submits to it; no other may use it. With requests in flight only that thread may
// destroy it, otherwise any. Lifetime: files are added before channels are opened. A Channel must
// not outlive its Backend. `memory` must stay valid, and that of a write unchanged, until its
// request has been reaped. Destroying a Channel waits for the requests in flight (so their buffers
// may be freed afterwards) and drops the answers. Requests that were never flushed may be dropped
// too: a write is certain only once it has been reaped.
//
// Units: offsets and sizes in bytes. With O_DIRECT, the offset, size and address of reads and
// writes must be multiples of kAlignment. Callers always follow that rule, so every backend sees
// the same requests.
//
// Order: requests in flight are carried out in any order, even those of one channel. A read sees
// every write that was reaped before the read was submitted, through whichever channel. Of a write
// that was in flight during the read, it may see a part. A sync covers the writes to its file that
// were reaped before the sync was submitted, through whichever channel, and no others. So, to keep
// a write: reap it, submit the sync, reap the sync.
//
// Writes: a file is written only if it was added as writable, and it never grows: a write lies
// within the file's size when it was added. Without a sync, a reaped write survives the process but
// not a crash of the machine.
//
// Errors: reap() throws Error (io) with file, offset and errno for a request that failed, for a
// read past the end of its file, and for a write to a file that is not writable (EBADF). After that
// the channel may only be destroyed. Then each write that was not reaped may have happened fully,
// in part or not at all. After a failed sync the same holds for every write that no earlier sync
// covers, even if a later sync succeeds. submit() and flush() throw only when the operating system
// refuses the batch as a whole. Incomplete reads and writes are continued. Nothing hangs: a channel
// answers each request in flight, or throws.
//
// To add a backend: one file <name>_backend.cc with its factory, and one line in registry.cc.
// storage/io/README.md has the steps; skeleton_backend.h is the smallest backend that keeps this
// contract.
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

class EventRecorder;

class ModelledDevice;

inline constexpr std::size_t kAlignment = 4096;

enum class Op : std::uint8_t {
  read,   // from the file into memory
  write,  // from memory, which must not change, into the file
  sync    // fdatasync of the file; ignores bytes, offset and memory
};

struct Request {
  std::uint32_t file = 0;  // the number from Backend::add_file
  std::uint32_t bytes = 0;
  std::uint64_t offset = 0;
  std::byte* memory = nullptr;
  std::uint64_t tag = 0;  // returned with the completion
  Op op = Op::read;
};

struct Completion {
  std::uint64_t tag = 0;
};

enum class Submit : std::uint8_t {
  completed,  // already carried out; no completion follows
  queued,     // reap() will return a completion
  busy,       // the channel is full: reap() first
};

class Channel {
 public:
  virtual ~Channel() = default;
  // Queues a request. It may wait in the channel until flush() or reap() passes it on in a batch.
  virtual Submit submit(const Request& request) = 0;
  virtual void flush() = 0;
  // Passes on what waits, then stores finished requests in `done`, in any order, until there are at
  // least `at_least` (or in_flight() or done.size(), if these are fewer). Returns how many.
  virtual std::size_t reap(std::span<Completion> done, std::size_t at_least) = 0;
  [[nodiscard]] virtual std::size_t in_flight() const = 0;
};

// Each file is mapped twice, because a page fault should bring one of two things: what the
// backend's own advice says, or a whole *window* of 2 MB, aligned, which is one huge folio where
// the file system has them. A window costs the processors a tenth of what its pages cost one by
// one; it suits ranges that are wanted nearly whole. (Changing the advice for each range instead
// would split the mapping, and vm.max_map_count limits the number of mappings.)
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{2} << 20;

struct MappedRange {
  std::uint32_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool window = false;  // use the second mapping
};

// What the kernel is told about page faults: they come in random order, so each should bring only
// what it needs; they come in sequence, so it should read far ahead; each should bring its window;
// or nothing.
enum class MapAdvice : std::uint8_t { normal, random, sequential, windows };
// "normal", "random" or "sequential": the names that users may give.
MapAdvice advice_named(const std::string& name);

// The files of a mapping backend where they are mapped, for engines that use bytes in place. A view
// belongs to one thread and must not outlive its Backend. All views of a backend show the same
// memory: what one releases is gone for the others too, and comes back when it is touched.
class MappedView {
 public:
  virtual ~MappedView() = default;
  // The file's bytes; in the second mapping if `window` is set.
  [[nodiscard]] virtual std::span<const std::byte> bytes(std::uint32_t file,
                                                         bool window = false) const = 0;
  // Starts to bring ranges into memory, as many at once as the backend can.
  virtual void start(std::span<const MappedRange> ranges) = 0;
  // Returns when the ranges of the oldest unfinished start() are in memory, where they stay until
  // the kernel reclaims them. REQUIRES: there is an unfinished start(). Touching other ranges is
  // allowed, but slow.
  virtual void finish() = 0;
  // For a few large ranges only: each range with different advice than its neighbours is one more
  // mapping in the kernel. Their number is limited (vm.max_map_count), and each makes the others
  // slower.
  virtual void advise(const MappedRange& range, MapAdvice advice) = 0;
  // Drops the whole pages of the ranges from memory and from both mappings; returns the number of
  // bytes dropped. Some may stay: pages that another process maps, and pages of a large folio that
  // lies only partly in a range.
  virtual std::uint64_t release(std::span<const MappedRange> ranges) = 0;
  // How many bytes of the range are in memory, in whole pages. The kernel tells this only for files
  // that the process owns or may write; other files appear fully resident.
  [[nodiscard]] virtual std::uint64_t resident(const MappedRange& range) const = 0;
  // Call it after using the bytes of a range. Throws Error (io), with the offset, if they were not
  // the file's (it was truncated, or a sector is bad).
  virtual void check(const MappedRange& range) const = 0;
};

// The requests of all channels of a Door. Relaxed: the values are only displayed.
struct RequestGauge {
  std::atomic<std::int64_t> in_flight{0};  // of any kind, submitted and not yet reaped
  std::atomic<std::uint64_t> asked{0};     // reads so far
  std::atomic<std::uint64_t> writes{0};    // writes and syncs so far
};

struct BackendOptions {
  unsigned depth = 64;  // requests in flight in one channel
  bool direct = true;   // O_DIRECT: bypasses the page cache
  // Only for `fault`: what goes wrong, and when (fault_backend.h).
  std::string fault_plan = {};
  // A modelled device in front of the backend (modelled_backend.h); null: none. Channels of several
  // backends may share it.
  std::shared_ptr<ModelledDevice> device = nullptr;
  RequestGauge* gauge = nullptr;    // kept up to date by a Door, for a watcher; not owned
  EventRecorder* events = nullptr;  // of requests, noted by a Door; not owned
  // The backend's own parameters, filled in by make_backend.
  Parameters settings = {};
};

// The properties of a backend, like fio's flags.
struct BackendTraits {
  bool direct = false;    // can read past the page cache
  bool copies = false;    // the processor copies every byte, from the page cache or from memory
  bool maps = false;      // has views: see MappedView
  bool blocking = false;  // a thread waits for each request
  bool contents = true;   // delivers the files' contents, so that checksums hold
  bool writes = true;     // false: refuses files that are to be written
  [[nodiscard]] std::vector<std::string> names() const;  // of those that are true
};

class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual BackendTraits traits() const = 0;
  // Opens `path` and returns its number (0, 1, ...); with `writable`, opens it for writing too.
  // Throws a usage Error with the file's name for a writable file unless traits().writes.
  virtual std::uint32_t add_file(const std::filesystem::path& path, bool writable = false) = 0;
  // `buffers` is the memory that this channel's requests will use; a backend may register it. May
  // be called from many threads.
  virtual std::unique_ptr<Channel> open_channel(std::span<std::byte> buffers) = 0;
  // Null unless traits().maps.
  virtual std::unique_ptr<MappedView> open_view() { return nullptr; }
  // What the backend had to do differently ("io_uring refused: fell back to threads"); goes into
  // the record. Empty if all went as asked. Complete once every channel has been opened.
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
// `spec` is a name, with parameters if wanted (common/parameters.h); empty means the default. For
// an unknown name or value it throws a usage Error with the known ones and the nearest.
std::unique_ptr<Backend> make_backend(const std::string& spec, const BackendOptions& options);

}  // namespace outcore
