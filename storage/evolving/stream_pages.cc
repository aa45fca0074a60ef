// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/stream_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/error.h"
#include "common/progress.h"
#include "storage/evolving/stream_feed.h"

namespace outcore::evolving {

namespace {

constexpr std::size_t kPagesAtOnce = 1024;

// The first thing about a page that cannot be; empty for one that can.
struct Unexpected {
  std::string found;
  std::string expected;
};

Unexpected what_is_wrong(const LogPage& page, std::uint64_t number, std::uint64_t first) {
  if (page.hash != page.right_hash()) {
    return {fmt::format("checksum {:016x}", page.hash), fmt::format("{:016x}", page.right_hash())};
  }
  if (page.number != number) {
    return {fmt::format("page {}", page.number), fmt::format("page {}", number)};
  }
  if (page.first != first) {
    return {fmt::format("updates from {} on", page.first), fmt::format("from {} on", first)};
  }
  if (page.count == 0 || page.count > LogPage::kUpdates) {
    return {fmt::format("{} updates", page.count), fmt::format("1 to {}", LogPage::kUpdates)};
  }
  for (std::size_t i = 0; i < page.count; ++i) {
    const Update update = page.update(i);
    const std::uint32_t greater = std::max(update.source, update.target);
    if (greater >= kMostVertices) {
      return {fmt::format("vertex {}", greater), fmt::format("at most {}", kMostVertices - 1)};
    }
  }
  return {};
}

}  // namespace

StreamWriter::StreamWriter(const std::filesystem::path& path, unsigned threads)
    : file_(path), threads_(threads), pages_(kPagesAtOnce) {}

void StreamWriter::flush() {
  const std::size_t count = std::min(pages_.size(), page_ + 1);
  const bool last_is_empty = pages_[count - 1].count == 0;
  const std::span<LogPage> pages = std::span(pages_).first(last_is_empty ? count - 1 : count);
  for (LogPage& page : pages) {
    page.number = written_pages_++;
    page.first = written_updates_ + 1;
    written_updates_ += page.count;
  }
  [[maybe_unused]] const int team = static_cast<int>(threads_);  // unused without OpenMP
#pragma omp parallel for num_threads(team) schedule(static)
  for (std::size_t i = 0; i < pages.size(); ++i) pages[i].hash = pages[i].right_hash();
  file_.file().write(std::as_bytes(pages));
  std::fill(pages.begin(), pages.end(), LogPage());
  page_ = 0;
}

void StreamWriter::finish() {
  flush();
  file_.commit();
}

void read_stream_pages(ByteSource& source, const StreamOptions& options, UpdateSink& sink) {
  const std::filesystem::path& path = source.file().path();
  const std::uint64_t bytes = source.file().bytes().value_or(0);
  Progress progress("ingesting",
                    is_compressed(path) ? 0 : bytes / sizeof(LogPage) * LogPage::kUpdates,
                    "updates");
  Feed feed(sink, options.at_once);
  const bool as_it_comes = source.file().passes_once();
  std::vector<LogPage> pages(as_it_comes ? 1 : kPagesAtOnce);
  std::uint64_t number = 0;
  std::uint64_t first = 1;
  // What came before an error is handed on.
  const auto refuse = [&](const Unexpected& wrong, const char* advice) {
    feed.hand_on();
    throw bad_input(Place::offset(path, number * sizeof(LogPage)), wrong.found, wrong.expected,
                    advice);
  };
  while (true) {
    const std::size_t read =
        source.read({reinterpret_cast<char*>(pages.data()), pages.size() * sizeof(LogPage)});
    for (const LogPage& page : std::span(pages).first(read / sizeof(LogPage))) {
      const Unexpected wrong = what_is_wrong(page, number, first);
      if (!wrong.found.empty()) refuse(wrong, "the stream is damaged: make it again");
      for (std::size_t i = 0; i < page.count; ++i) feed.add(as_logged(page.update(i)));
      first += page.count;
      ++number;
      progress.add(page.count);
    }
    if (as_it_comes) feed.hand_on();
    if (const std::size_t rest = read % sizeof(LogPage); rest > 0) {
      refuse({fmt::format("{} bytes at the end", rest),
              fmt::format("pages of {} (was the stream cut?)", sizeof(LogPage))},
             "");
    }
    if (read < pages.size() * sizeof(LogPage)) break;
  }
  feed.hand_on();
}

}  // namespace outcore::evolving
