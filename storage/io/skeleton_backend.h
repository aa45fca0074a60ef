// SPDX-License-Identifier: Apache-2.0
// The smallest backend that keeps the contract of backend.h, to copy from: each request is carried
// out in submit(). It is not registered; backend_test.cc tests it like all others.
#pragma once

#include <exception>
#include <memory>

#include "storage/io/backend.h"
#include "storage/io/file_set.h"
#include "storage/io/request_progress.h"

namespace outcore {

class SkeletonChannel final : public Channel {
 public:
  explicit SkeletonChannel(const FileSet& files) : files_(files) {}

  // carry_out continues partial reads and writes, and words the errors. A request's failure is kept
  // for reap(), where callers expect it.
  Submit submit(const Request& request) override {
    try {
      carry_out(files_[request.file], request);
      return Submit::completed;
    } catch (...) {
      failure_ = std::current_exception();
      return Submit::queued;
    }
  }

  void flush() override {}  // nothing ever waits in the channel

  std::size_t reap(std::span<Completion> done, std::size_t at_least) override {
    if (failure_ && at_least > 0 && !done.empty()) std::rethrow_exception(failure_);
    return 0;
  }

  [[nodiscard]] std::size_t in_flight() const override { return failure_ ? 1 : 0; }

 private:
  const FileSet& files_;
  std::exception_ptr failure_;
};

class SkeletonBackend final : public Backend {
 public:
  explicit SkeletonBackend(const BackendOptions& options) : files_(options.direct) {}

  [[nodiscard]] std::string name() const override { return "skeleton"; }
  [[nodiscard]] BackendTraits traits() const override { return {.direct = true, .blocking = true}; }
  std::uint32_t add_file(const std::filesystem::path& path, bool writable) override {
    return files_.add(path, writable);
  }
  std::unique_ptr<Channel> open_channel(std::span<std::byte> /*buffers*/) override {
    return std::make_unique<SkeletonChannel>(files_);
  }
  [[nodiscard]] std::vector<std::string> notes() const override { return files_.notes(); }

 private:
  FileSet files_;
};

}  // namespace outcore
