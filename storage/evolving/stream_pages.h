// SPDX-License-Identifier: Apache-2.0
// Streams of updates in files: the pages of the edge log (durable/log_page.h) one behind the other,
// with numbers from 0 and updates from 1, epoch 0. Each page but the last is full. The usual ending
// is .ocs, also compressed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "common/files.h"
#include "storage/evolving/durable/log_page.h"
#include "storage/evolving/stream.h"
#include "storage/evolving/update.h"
#include "storage/formats/byte_source.h"

namespace outcore::evolving {

// Writes such a file, which appears whole when it is finished. Memory: 4 MB. One thread uses it; it
// hashes pages with `threads`.
class StreamWriter {
 public:
  StreamWriter(const std::filesystem::path& path, unsigned threads);

  void add(const Update& update) {
    LogPage& page = pages_[page_];
    page.add(update);
    ++updates_;
    removals_ += update.removes ? 1 : 0;
    if (page.count == LogPage::kUpdates && ++page_ == pages_.size()) flush();
  }
  void add(std::span<const Update> updates) {
    for (const Update& update : updates) add(update);
  }
  void finish();

  [[nodiscard]] std::uint64_t updates() const { return updates_; }
  [[nodiscard]] std::uint64_t removals() const { return removals_; }

 private:
  void flush();

  PendingFile file_;
  unsigned threads_;
  std::vector<LogPage> pages_;
  std::size_t page_ = 0;  // is being filled
  std::uint64_t written_pages_ = 0;
  std::uint64_t written_updates_ = 0;
  std::uint64_t updates_ = 0;
  std::uint64_t removals_ = 0;
};

// Hands on the updates of such a stream. Throws bad_input with the offset of the first page that is
// not whole, not itself or not the next one.
void read_stream_pages(ByteSource& source, const StreamOptions& options, UpdateSink& sink);

}  // namespace outcore::evolving
