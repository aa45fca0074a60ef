// SPDX-License-Identifier: Apache-2.0
// The channel of backends that answer at once, from memory: each request is filled while it is
// submitted. One that ends outside its file fails as on a device: in reap(), in ReadProgress'
// words.
#pragma once

#include <algorithm>
#include <vector>

#include "storage/io/read_progress.h"

namespace outcore {

// `Source` says what files hold: path(file), bytes(file), and fill(request), which is only asked
// for bytes inside its file.
template <typename Source>
class CopiedChannel final : public Channel {
 public:
  explicit CopiedChannel(const Source& source) : source_(source) {}

  Submit submit(const ReadRequest& request) override {
    if (request.offset + request.bytes > source_.bytes(request.file)) {
      failing_.push_back(request);
      return Submit::queued;
    }
    source_.fill(request);
    return Submit::completed;
  }

  void flush() override {}

  std::size_t reap(std::span<Completion> done, std::size_t at_least) override {
    if (failing_.empty() || done.empty() || at_least == 0) return 0;
    const std::uint32_t file = failing_.front().file;
    ReadProgress progress(failing_.front());
    const std::uint64_t end = std::max(source_.bytes(file), progress.offset());
    while (true)
      progress.take(static_cast<std::int64_t>(end - progress.offset()), source_.path(file));
  }

  [[nodiscard]] std::size_t in_flight() const override { return failing_.size(); }

 private:
  const Source& source_;
  std::vector<ReadRequest> failing_;
};

}  // namespace outcore
