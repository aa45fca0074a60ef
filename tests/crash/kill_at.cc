// SPDX-License-Identifier: Apache-2.0
// A library that is loaded before the binary's own (LD_PRELOAD) and kills the process at a *hook*:
// OUTCORE_KILL_AT=HOOK:N kills it the N-th time that it comes there. Hooks are the calls by which a
// store in a folder reaches its disk, so the binary itself has none:
//
//   group.begin, group.end    a group of the log is handed to io_uring; it is durable, and not yet
//                             acknowledged
//   write.begin               a piece of a run, or a manifest (the log too where io_uring is
//   refused) sync.begin, sync.end      a file of a run, a manifest, the log in recovery
//   folder.begin, folder.end  a folder is synced
//   rename.begin, rename.end  a manifest gets its name
//   remove.begin, remove.end  a file or folder of a run that was merged, or that was left over
#include <dlfcn.h>
#include <liburing.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace {

// What OUTCORE_KILL_AT says; no hook, if nothing.
struct Wish {
  const char* text = std::getenv("OUTCORE_KILL_AT");
  const char* colon = text == nullptr ? nullptr : std::strchr(text, ':');
  unsigned long times = colon == nullptr ? 0 : std::strtoul(colon + 1, nullptr, 10);

  [[nodiscard]] bool is(const char* hook) const {
    const std::size_t length = std::strlen(hook);
    return colon != nullptr && static_cast<std::size_t>(colon - text) == length &&
           std::strncmp(text, hook, length) == 0;
  }
};

void come_to(const char* hook) {
  static const Wish wish;
  static std::atomic<unsigned long> times{0};
  if (wish.is(hook) && ++times == wish.times) ::kill(::getpid(), SIGKILL);
}

// The function that this library stands in front of.
template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int io_uring_submit_and_wait(io_uring* ring, unsigned wait) {
  static auto* const call = real<int(io_uring*, unsigned)>("io_uring_submit_and_wait");
  come_to("group.begin");
  const int result = call(ring, wait);
  come_to("group.end");
  return result;
}

ssize_t pwrite(int fd, const void* bytes, size_t count, off_t offset) {
  static auto* const call = real<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  come_to("write.begin");
  return call(fd, bytes, count, offset);
}

int fdatasync(int fd) {
  static auto* const call = real<int(int)>("fdatasync");
  come_to("sync.begin");
  const int result = call(fd);
  come_to("sync.end");
  return result;
}

int fsync(int fd) {
  static auto* const call = real<int(int)>("fsync");
  come_to("folder.begin");
  const int result = call(fd);
  come_to("folder.end");
  return result;
}

int rename(const char* from, const char* to) noexcept {
  static auto* const call = real<int(const char*, const char*)>("rename");
  come_to("rename.begin");
  const int result = call(from, to);
  come_to("rename.end");
  return result;
}

int remove(const char* path) noexcept {
  static auto* const call = real<int(const char*)>("remove");
  come_to("remove.begin");
  const int result = call(path);
  come_to("remove.end");
  return result;
}

}  // extern "C"
