// SPDX-License-Identifier: Apache-2.0
#include "storage/io/populate.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <liburing.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <thread>

#include "common/error.h"
#include "common/numa.h"
#include "storage/io/ring.h"

namespace outcore {

namespace {

struct Range {
  const GuardedMapping* file = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  [[nodiscard]] void* address() const {
    return const_cast<std::byte*>(file->data()) + offset;  // madvise only reads
  }
};

// Calls `f` for the parts of a range, each of at most `most` bytes.
template <typename F>
void for_parts(const Range& range, std::uint64_t most, F&& f) {
  for (std::uint64_t done = 0; done < range.bytes; done += most) {
    f(Range{range.file, range.offset + done, std::min(most, range.bytes - done)});
  }
}

void note_refusal(const Notes& note, const char* call, int reason) {
  note(fmt::format("{} refused ({}): pages come as they are touched", call, std::strerror(reason)));
}

// The ways that make one call after another. With `begins`, all reads are started at once.
class CallPopulator final : public Populator {
 public:
  enum class Call : std::uint8_t { none, populate, read };
  CallPopulator(bool begins, Call call, Notes note)
      : begins_(begins), call_(call), note_(std::move(note)) {
    if (call == Call::read) buffer_ = numa::allocate(kBuffer, 0);
  }

  void start(const GuardedMapping& file, std::uint64_t offset, std::uint64_t bytes) override {
    ranges_.push_back({&file, offset, bytes});
    if (!begins_) return;
    // A call starts at most the device's read_ahead_kb, whose default is 128 KB.
    for_parts(ranges_.back(), kReadAhead,
              [](const Range& part) { ::madvise(part.address(), part.bytes, MADV_WILLNEED); });
  }

  void finish_oldest() override {
    const Range range = ranges_.front();
    ranges_.pop_front();
    if (call_ == Call::populate) populate(range);
    if (call_ == Call::read) for_parts(range, kBuffer, [&](const Range& part) { read(part); });
  }

 private:
  static constexpr std::uint64_t kReadAhead = 128 << 10;
  static constexpr std::uint64_t kBuffer = 1 << 20;

  void populate(const Range& range) {
    while (::madvise(range.address(), range.bytes, MADV_POPULATE_READ) != 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      // EFAULT and EHWPOISON mean a page that cannot be read; touching it will show that.
      if (errno == EINVAL) note_refusal(note_, "MADV_POPULATE_READ", errno);
      return;
    }
  }

  void read(const Range& part) {
    std::uint64_t done = 0;
    while (done < part.bytes) {
      const auto got = ::pread(part.file->file().fd(), buffer_.get(), part.bytes - done,
                               static_cast<off_t>(part.offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return;
      done += static_cast<std::uint64_t>(got);
    }
  }

  bool begins_;
  Call call_;
  Notes note_;
  numa::Memory buffer_;
  std::deque<Range> ranges_;
};

class RingPopulator final : public Populator {
 public:
  // If no ring can be made, refused() returns the errno; then nothing else may be called.
  RingPopulator(bool reads, std::uint64_t part_bytes, Notes note)
      : reads_(reads), part_bytes_(part_bytes), note_(std::move(note)) {
    refused_ = -open_ring(kEntries, ring_, 0);
    if (refused_ == 0 && reads) buffer_ = numa::allocate(part_bytes, 0);
  }

  ~RingPopulator() override {
    if (refused_ == 0) drain_and_close(ring_, in_kernel_);
  }

  [[nodiscard]] int refused() const { return refused_; }

  void start(const GuardedMapping& file, std::uint64_t offset, std::uint64_t bytes) override {
    pending_.push_back(0);
    const std::uint64_t number = first_ + pending_.size() - 1;
    for_parts({&file, offset, bytes}, part_bytes_, [&](const Range& part) {
      io_uring_sqe* entry = io_uring_get_sqe(&ring_);
      while (entry == nullptr) {
        hand_on();
        entry = io_uring_get_sqe(&ring_);
      }
      if (reads_) {
        // All reads go into one buffer that is never used; the pages stay in the page cache.
        io_uring_prep_read(entry, file.file().fd(), buffer_.get(),
                           static_cast<unsigned>(part.bytes), part.offset);
      } else {
        io_uring_prep_madvise(entry, part.address(), static_cast<off_t>(part.bytes),
                              MADV_POPULATE_READ);
      }
      io_uring_sqe_set_data64(entry, number);
      ++pending_.back();
    });
    hand_on();
  }

  void finish_oldest() override {
    while (pending_.front() > 0) await_one();
    pending_.pop_front();
    ++first_;
  }

 private:
  static constexpr unsigned kEntries = 256;

  static void check(int result) {
    if (result >= 0 || result == -EINTR) return;
    if (result != -EAGAIN && result != -EBUSY) {
      throw Error(ExitCode::io, fmt::format("io_uring refuses to populate: {} (errno {})",
                                            std::strerror(-result), -result));
    }
    std::this_thread::yield();  // the kernel is short of memory or behind with completions
  }

  void hand_on() {
    const int handed = io_uring_submit(&ring_);
    check(handed);
    if (handed > 0) in_kernel_ += static_cast<std::size_t>(handed);
  }

  // Takes one completion, if there is one.
  void await_one() {
    hand_on();
    if (in_kernel_ == 0) return;
    io_uring_cqe* entry = nullptr;
    const int result = io_uring_wait_cqe(&ring_, &entry);
    check(result);
    if (result < 0) return;
    if (!reads_ && entry->res == -EINVAL) note_refusal(note_, "MADV_POPULATE_READ", EINVAL);
    --pending_[io_uring_cqe_get_data64(entry) - first_];
    io_uring_cqe_seen(&ring_, entry);
    --in_kernel_;
  }

  bool reads_;
  std::uint64_t part_bytes_;
  Notes note_;
  int refused_ = 0;
  io_uring ring_{};
  numa::Memory buffer_;
  std::size_t in_kernel_ = 0;
  std::uint64_t first_ = 0;            // number of the oldest unfinished range
  std::deque<std::uint32_t> pending_;  // unfinished parts of each range, from the oldest on
};

using Call = CallPopulator::Call;

constexpr std::uint64_t kPart = 256 << 10;

std::unique_ptr<Populator> ring_populator(bool reads, std::uint64_t part_bytes, const Notes& note) {
  auto ring = std::make_unique<RingPopulator>(reads, part_bytes, note);
  if (ring->refused() == 0) return ring;
  note(fmt::format("io_uring refused ({}): populated by {}", std::strerror(ring->refused()),
                   reads ? "pread" : "madvise"));
  return std::make_unique<CallPopulator>(false, reads ? Call::read : Call::populate, note);
}

}  // namespace

const std::vector<std::string>& ways_to_populate() {
  static const std::vector<std::string> kWays = {"none",  "madvise",       "willneed",
                                                 "pread", "uring-madvise", "uring-read"};
  return kWays;
}

std::unique_ptr<Populator> make_populator(const std::string& way, const Notes& note) {
  if (way == "none") return std::make_unique<CallPopulator>(false, Call::none, note);
  if (way == "madvise") return std::make_unique<CallPopulator>(false, Call::populate, note);
  if (way == "willneed") return std::make_unique<CallPopulator>(true, Call::populate, note);
  if (way == "pread") return std::make_unique<CallPopulator>(false, Call::read, note);
  if (way == "uring-madvise") return ring_populator(false, kPart, note);
  if (way == "uring-read") return ring_populator(true, kPart, note);
  throw unknown_name("way to populate", way, ways_to_populate());
}

std::unique_ptr<Populator> make_window_populator(const Notes& note) {
  return ring_populator(false, kWindowBytes, note);
}

}  // namespace outcore
