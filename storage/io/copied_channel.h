// SPDX-License-Identifier: Apache-2.0
// The channel of backends that answer at once, from memory: each request is carried out in
// submit(). A failed request is reported as by a device: in reap(), with RequestProgress' messages.
#pragma once

#include <algorithm>
#include <cerrno>
#include <exception>

#include "storage/io/request_progress.h"

namespace outcore {

// `Source` gives access to the files: path(file), bytes(file), writable(file), read(request) and
// write(request). The last two are only called for bytes inside the file, write() only for a
// writable file.
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
    if (request.op == Op::sync) return;  // there is nothing to write out
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
