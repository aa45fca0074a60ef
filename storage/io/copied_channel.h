// SPDX-License-Identifier: Apache-2.0
// The channel of backends that answer at once, from memory: each request is carried out while it is
// submitted. One that fails does so as on a device: in reap(), in RequestProgress' words.
#pragma once

#include <algorithm>
#include <cerrno>
#include <exception>

#include "storage/io/request_progress.h"

namespace outcore {

// `Source` says what files hold: path(file), bytes(file), writable(file), and read(request),
// write(request), which are only asked for bytes inside the file, and of a writable one.
template <typename Source>
class CopiedChannel final : public Channel {
 public:
  explicit CopiedChannel(Source& source) : source_(source) {}

  Submit submit(const Request& request) override {
    try {
      carry_out(request);
      return Submit::completed;
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
      ++failed_;
      return Submit::queued;
    }
  }

  void flush() override {}

  std::size_t reap(std::span<Completion> done, std::size_t at_least) override {
    if (failure_ && !done.empty() && at_least > 0) std::rethrow_exception(failure_);
    return 0;
  }

  [[nodiscard]] std::size_t in_flight() const override { return failed_; }

 private:
  void carry_out(const Request& request) {
    if (request.op == Op::sync) return;  // nothing waits to be written
    RequestProgress progress(request);
    const std::filesystem::path& path = source_.path(request.file);
    if (request.op == Op::write && !source_.writable(request.file)) progress.take(-EBADF, path);
    const std::uint64_t end = std::max(source_.bytes(request.file), request.offset);
    while (request.offset + request.bytes > end) {
      progress.take(static_cast<std::int64_t>(end - progress.offset()), path);
    }
    if (request.op == Op::write) {
      source_.write(request);
    } else {
      source_.read(request);
    }
  }

  Source& source_;
  std::exception_ptr failure_;  // of the first request that failed
  std::size_t failed_ = 0;
};

}  // namespace outcore
