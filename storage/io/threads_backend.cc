// SPDX-License-Identifier: Apache-2.0
#include "storage/io/threads_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "common/error.h"
#include "storage/io/file_set.h"
#include "storage/io/request_progress.h"

namespace outcore {

namespace {

class ThreadsChannel final : public Channel {
 public:
  ThreadsChannel(const FileSet& files, unsigned depth) : files_(files), depth_(depth) {
    try {
      for (unsigned i = 0; i < depth; ++i) workers_.emplace_back([this] { work_until_closed(); });
    } catch (const std::system_error& e) {
      close();  // or joining the started threads would never end
      throw Error(ExitCode::io,
                  fmt::format("cannot start {} threads to read and write: {}", depth, e.what()));
    }
  }

  ~ThreadsChannel() override { close(); }

  Submit submit(const Request& request) override {
    if (in_flight_ == depth_) return Submit::busy;
    staged_.push_back(request);
    ++in_flight_;
    return Submit::queued;
  }

  void flush() override {
    if (staged_.empty()) return;
    const std::size_t count = staged_.size();
    {
      const std::lock_guard lock(mutex_);
      waiting_.insert(waiting_.end(), staged_.begin(), staged_.end());
    }
    staged_.clear();
    for (std::size_t i = 0; i < count; ++i) work_.notify_one();
  }

  std::size_t reap(std::span<Completion> done, std::size_t at_least) override {
    flush();
    at_least = std::min({at_least, in_flight_, done.size()});
    std::unique_lock lock(mutex_);
    wanted_ = at_least;
    arrived_.wait(lock, [&] { return failure_ || finished_.size() >= at_least; });
    if (failure_) std::rethrow_exception(failure_);
    const std::size_t count = std::min(finished_.size(), done.size());
    std::copy_n(finished_.end() - static_cast<std::ptrdiff_t>(count), count, done.begin());
    finished_.resize(finished_.size() - count);
    in_flight_ -= count;
    return count;
  }

  [[nodiscard]] std::size_t in_flight() const override { return in_flight_; }

 private:
  // Drops requests that no worker has taken, and waits for those in progress.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      waiting_.clear();
      closing_ = true;
    }
    work_.notify_all();
    workers_.clear();
  }

  void work_until_closed() {
    std::unique_lock lock(mutex_);
    while (true) {
      work_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
      if (closing_) return;
      const Request request = waiting_.front();
      waiting_.pop_front();
      lock.unlock();
      std::exception_ptr failure;
      try {
        carry_out(files_[request.file], request);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure && !failure_) failure_ = failure;
      if (!failure) finished_.push_back({request.tag});
      if (failure_ || finished_.size() >= wanted_) arrived_.notify_one();
    }
  }

  const FileSet& files_;
  const std::size_t depth_;
  std::size_t in_flight_ = 0;    // used by the channel's thread only, like staged_
  std::vector<Request> staged_;  // submitted, not flushed

  std::mutex mutex_;  // guards all members below
  std::condition_variable work_;
  std::condition_variable arrived_;
  std::deque<Request> waiting_;
  std::vector<Completion> finished_;
  std::size_t wanted_ = 0;  // finished requests that the channel's thread waits for
  std::exception_ptr failure_;
  bool closing_ = false;

  std::vector<std::jthread> workers_;
};

class ThreadsBackend final : public Backend {
 public:
  ThreadsBackend(const BackendOptions& options, std::vector<std::string> notes)
      : depth_(options.depth), files_(options.direct), notes_(std::move(notes)) {}

  [[nodiscard]] std::string name() const override { return "threads"; }
  [[nodiscard]] BackendTraits traits() const override { return {.direct = true, .blocking = true}; }
  std::uint32_t add_file(const std::filesystem::path& path, bool writable) override {
    return files_.add(path, writable);
  }

  std::unique_ptr<Channel> open_channel(std::span<std::byte> /*buffers*/) override {
    return std::make_unique<ThreadsChannel>(files_, depth_);
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> all = notes_;
    all.insert(all.end(), files_.notes().begin(), files_.notes().end());
    return all;
  }

 private:
  unsigned depth_;
  FileSet files_;
  std::vector<std::string> notes_;
};

}  // namespace

std::unique_ptr<Backend> make_threads_backend(const BackendOptions& options,
                                              std::vector<std::string> notes) {
  return std::make_unique<ThreadsBackend>(options, std::move(notes));
}

}  // namespace outcore
