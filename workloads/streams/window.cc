// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "common/error.h"
#include "storage/evolving/log_edge.h"
#include "workloads/streams/stream_output.h"
#include "workloads/streams/time_line.h"

namespace outcore {

namespace {

// Edges that come back in their order, some time after they went in: by way of a file, so that a
// window of any length takes little memory.
class DelayedEdges {
 public:
  explicit DelayedEdges(const std::filesystem::path& folder)
      : file_(File::create_nameless(folder)) {
    unwritten_.reserve(kBatch);
  }

  void put(const evolving::Update& edge) {
    if (unwritten_.size() == kBatch) {
      file_.write(std::as_bytes(std::span(unwritten_)));
      written_ += unwritten_.size();
      unwritten_.clear();
    }
    unwritten_.push_back({edge.source, edge.target});
  }
  // REQUIRES: one has been put that has not come back.
  evolving::LogEdge take() {
    const std::uint64_t number = taken_++;
    if (number >= written_) return unwritten_[number - written_];
    if (number >= read_ + batch_.size()) {
      read_ = number;
      batch_.resize(std::min<std::uint64_t>(kBatch, written_ - number));
      file_.read(std::as_writable_bytes(std::span(batch_)), number * sizeof(evolving::LogEdge));
    }
    return batch_[number - read_];
  }

 private:
  static constexpr std::size_t kBatch = std::size_t{1} << 16;

  File file_;
  std::vector<evolving::LogEdge> unwritten_;
  std::uint64_t written_ = 0;
  std::vector<evolving::LogEdge> batch_;  // read from the file
  std::uint64_t read_ = 0;                // the number of its first
  std::uint64_t taken_ = 0;
};

}  // namespace

StreamCounts stream_window(const WindowOptions& options, const StreamTarget& target) {
  if (options.edges == 0) throw usage_error("--edges 0: a window has at least one edge");
  check_stream_file(target);
  TimeLine line(target);
  add_shuffled(options.graph, options.seed, line);
  evolving::StreamWriter writer(target.file, target.threads);
  DelayedEdges standing(std::filesystem::absolute(target.file).parent_path());
  std::uint64_t added = 0;
  line.for_each([&](std::span<const evolving::Update> updates) {
    for (const evolving::Update& update : updates) {
      if (added++ >= options.edges) {
        const evolving::LogEdge oldest = standing.take();
        writer.add(evolving::Update{oldest.source, oldest.target, true});
      }
      writer.add(update);
      standing.put(update);
    }
  });
  return finish_stream(writer);
}

}  // namespace outcore
