// SPDX-License-Identifier: Apache-2.0
#include "storage/io/mmap_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <mutex>

#include "common/error.h"
#include "storage/io/guarded_mapping.h"
#include "storage/io/populate.h"
#include "storage/io/request_progress.h"

namespace outcore {

namespace {

class MmapBackend final : public Backend {
 public:
  explicit MmapBackend(const BackendOptions& options)
      : depth_(options.depth),
        populate_(options.settings.text("populate")),
        faults_(advice_named(options.settings.text("faults"))),
        reads_(advice_named(options.settings.text("reads"))) {}

  [[nodiscard]] std::string name() const override { return "mmap"; }
  [[nodiscard]] BackendTraits traits() const override {
    return {.copies = true, .maps = true, .blocking = populate_ != "uring-read", .writes = false};
  }

  std::uint32_t add_file(const std::filesystem::path& path, bool writable) override {
    if (writable) {
      throw usage_error(
          fmt::format("{} is to be written, but backend mmap only reads; choose one "
                      "that writes, such as uring or threads",
                      path.string()));
    }
    files_.push_back(std::make_unique<GuardedMapping>(path, faults_, reads_));
    return static_cast<std::uint32_t>(files_.size() - 1);
  }

  std::unique_ptr<Channel> open_channel(std::span<std::byte> buffers) override;
  std::unique_ptr<MappedView> open_view() override;

  [[nodiscard]] std::vector<std::string> notes() const override {
    const std::lock_guard lock(mutex_);
    return notes_;
  }

  [[nodiscard]] unsigned depth() const { return depth_; }
  [[nodiscard]] const GuardedMapping& file(std::uint32_t number) const { return *files_[number]; }
  // REQUIRES: a view has been opened.
  [[nodiscard]] const GuardedMapping& window(std::uint32_t number) const {
    return *windows_[number];
  }
  std::unique_ptr<Populator> populator() {
    return make_populator(populate_, [this](const std::string& text) { note(text); });
  }
  std::unique_ptr<Populator> window_populator() {
    return make_window_populator([this](const std::string& text) { note(text); });
  }

 private:
  // Every channel and range gets the same refusals; note each only once.
  void note(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(text);
  }

  unsigned depth_;
  std::string populate_;
  MapAdvice faults_;
  MapAdvice reads_;
  std::vector<std::unique_ptr<GuardedMapping>> files_;
  std::vector<std::unique_ptr<GuardedMapping>>
      windows_;  // the second mappings, made when a view is opened
  mutable std::mutex mutex_;
  std::vector<std::string> notes_;
};

// The mapped part of [offset, offset + bytes); the rest lies after the end of the file.
std::uint64_t mapped_part(const GuardedMapping& file, std::uint64_t offset, std::uint64_t bytes) {
  return std::min(bytes, file.bytes() - std::min(offset, file.bytes()));
}

class MmapChannel final : public Channel {
 public:
  explicit MmapChannel(MmapBackend& backend) : backend_(backend), populator_(backend.populator()) {}

  Submit submit(const Request& request) override {
    if (requests_.size() == backend_.depth()) return Submit::busy;
    requests_.push_back(request);
    return Submit::queued;
  }

  void flush() override {
    for (; started_ < requests_.size(); ++started_) {
      const Request& request = requests_[started_];
      const GuardedMapping& file = backend_.file(request.file);
      populator_->start(file, request.offset, mapped_part(file, request.offset, request.bytes));
    }
  }

  std::size_t reap(std::span<Completion> done, std::size_t at_least) override {
    flush();
    // At least one: a caller that asks without waiting must get everything in the end.
    const std::size_t wanted =
        std::min({std::max<std::size_t>(at_least, 1), requests_.size(), done.size()});
    for (std::size_t i = 0; i < wanted; ++i) {
      const Request request = requests_.front();
      requests_.pop_front();
      --started_;
      populator_->finish_oldest();
      const GuardedMapping& file = backend_.file(request.file);
      if (request.op != Op::read) RequestProgress(request).take(-EBADF, file.file().path());
      const std::uint64_t bytes = mapped_part(file, request.offset, request.bytes);
      if (bytes > 0) std::memcpy(request.memory, file.data() + request.offset, bytes);
      file.check(request.offset, request.bytes);
      done[i] = {request.tag};
    }
    return wanted;
  }

  [[nodiscard]] std::size_t in_flight() const override { return requests_.size(); }

 private:
  MmapBackend& backend_;
  std::deque<Request> requests_;  // in the order of submission
  std::size_t started_ = 0;       // how many of them are being populated
  std::unique_ptr<Populator> populator_;
};

class MmapView final : public MappedView {
 public:
  explicit MmapView(MmapBackend& backend) : backend_(backend), populator_(backend.populator()) {}

  [[nodiscard]] std::span<const std::byte> bytes(std::uint32_t file, bool window) const override {
    return {mapping(file, window).data(), mapping(file, window).bytes()};
  }

  void start(std::span<const MappedRange> ranges) override {
    Started& started = started_.emplace_back();
    for (const MappedRange& range : ranges) {
      const GuardedMapping& file = mapping(range.file, range.window);
      const std::uint64_t bytes = mapped_part(file, range.offset, range.bytes);
      if (range.window && !window_populator_) window_populator_ = backend_.window_populator();
      Populator& populator = range.window ? *window_populator_ : *populator_;
      populator.start(file, range.offset, bytes);
      ++(range.window ? started.windows : started.ranges);
    }
  }

  void finish() override {
    const Started oldest = started_.front();
    started_.pop_front();
    for (std::size_t i = 0; i < oldest.windows; ++i) window_populator_->finish_oldest();
    for (std::size_t i = 0; i < oldest.ranges; ++i) populator_->finish_oldest();
  }

  void advise(const MappedRange& range, MapAdvice advice) override {
    mapping(range.file, range.window).advise(range.offset, range.bytes, advice);
  }

  std::uint64_t release(std::span<const MappedRange> ranges) override {
    std::uint64_t left = 0;
    for (const MappedRange& range : ranges) {
      // The page cache keeps pages that either mapping maps, so unmap the range in both.
      mapping(range.file, true).unmap(range.offset, range.bytes);
      left += mapping(range.file, false).release(range.offset, range.bytes);
    }
    return left;
  }

  [[nodiscard]] std::uint64_t resident(const MappedRange& range) const override {
    return mapping(range.file, range.window).resident(range.offset, range.bytes);
  }

  void check(const MappedRange& range) const override {
    mapping(range.file, range.window).check(range.offset, range.bytes);
  }

 private:
  struct Started {  // by one start()
    std::size_t ranges = 0;
    std::size_t windows = 0;
  };

  [[nodiscard]] const GuardedMapping& mapping(std::uint32_t file, bool window) const {
    return window ? backend_.window(file) : backend_.file(file);
  }

  MmapBackend& backend_;
  std::deque<Started> started_;
  std::unique_ptr<Populator> populator_;
  std::unique_ptr<Populator> window_populator_;  // null until a window is wanted
};

std::unique_ptr<Channel> MmapBackend::open_channel(std::span<std::byte> /*buffers*/) {
  return std::make_unique<MmapChannel>(*this);
}

std::unique_ptr<MappedView> MmapBackend::open_view() {
  const std::lock_guard lock(mutex_);
  while (windows_.size() < files_.size()) {
    windows_.push_back(std::make_unique<GuardedMapping>(files_[windows_.size()]->file().path(),
                                                        MapAdvice::windows, MapAdvice::random));
  }
  return std::make_unique<MmapView>(*this);
}

}  // namespace

MapAdvice advice_named(const std::string& name) {
  if (name == "random") return MapAdvice::random;
  return name == "sequential" ? MapAdvice::sequential : MapAdvice::normal;
}

std::unique_ptr<Backend> make_mmap_backend(const BackendOptions& options) {
  return std::make_unique<MmapBackend>(options);
}

std::vector<Parameter> mmap_parameters() {
  const std::vector<std::string> advice = {"normal", "random", "sequential"};
  return {{.name = "populate",
           .fallback = "willneed",
           .help = "how blocks come into memory before they are touched",
           .choices = ways_to_populate()},
          {.name = "faults",
           .fallback = "random",
           .help = "the kernel's advice for page faults: may it read ahead?",
           .choices = advice},
          {.name = "reads",
           .fallback = "random",
           .help = "its advice for buffered reads: may it read ahead?",
           .choices = advice}};
}

}  // namespace outcore
