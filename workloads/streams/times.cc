// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <vector>

#include "common/error.h"
#include "storage/evolving/timed_edges.h"
#include "workloads/streams/stream_output.h"

namespace outcore {

namespace {

// The edges of a file, one after the other.
class TimedFile {
 public:
  explicit TimedFile(const std::filesystem::path& path)
      : source_(open_source(path)), edges_(*source_), batch_(kBatch) {
    refill();
  }
  // Null at the end.
  [[nodiscard]] const evolving::TimedEdge* next() const {
    return at_ < filled_ ? &batch_[at_] : nullptr;
  }
  void advance() {
    if (++at_ == filled_ && filled_ == batch_.size()) refill();
  }
  [[nodiscard]] bool passes_once() const { return source_->file().passes_once(); }

 private:
  static constexpr std::size_t kBatch = std::size_t{1} << 16;
  void refill() {
    filled_ = edges_.read(batch_);
    at_ = 0;
  }

  std::unique_ptr<ByteSource> source_;
  evolving::TimedEdges edges_;
  std::vector<evolving::TimedEdge> batch_;
  std::size_t filled_ = 0;
  std::size_t at_ = 0;
};

}  // namespace

// The file is read twice at once: for what comes, and for what goes.
StreamCounts stream_times(const TimesOptions& options, const StreamTarget& target) {
  check_stream_file(target);
  TimedFile coming(options.file);
  std::optional<TimedFile> going;
  if (options.window_seconds > 0) {
    if (coming.passes_once()) {
      throw usage_error("--window reads the file a second time, which a pipe does not allow");
    }
    going.emplace(options.file);
  }
  evolving::StreamWriter writer(target.file, target.threads);
  Progress progress("writing the stream", 0, "updates");
  for (; coming.next() != nullptr; coming.advance()) {
    const evolving::TimedEdge& edge = *coming.next();
    // `going` never overtakes: an edge is younger than any window when it comes.
    while (going && std::uint64_t{going->next()->time} + options.window_seconds <= edge.time) {
      writer.add(evolving::Update{going->next()->source, going->next()->target, true});
      going->advance();
    }
    writer.add(evolving::Update{edge.source, edge.target});
    progress.add(1);
  }
  return finish_stream(writer);
}

}  // namespace outcore
