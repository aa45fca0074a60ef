// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/external_sort.h"

#include <algorithm>
#include <queue>

#include "storage/formats/radix_sort.h"

namespace outcore {

ExternalSort::ExternalSort(std::filesystem::path scratch, std::uint64_t memory_bytes,
                           unsigned threads)
    : scratch_path_(std::move(scratch)),
      memory_bytes_(std::max(memory_bytes, kLeastMemory)),
      threads_(threads) {}

ExternalSort::~ExternalSort() {
  if (!file_) return;
  std::error_code ignored;  // a scratch file left behind is swept with its folder
  std::filesystem::remove(scratch_path_, ignored);
}

// Grows by doubling up to half of the memory, so that a small graph takes little.
void ExternalSort::make_room() {
  const std::size_t most = memory_bytes_ / (2 * sizeof(std::uint64_t));
  if (buffer_.size() >= most) {
    spill();
  } else {
    buffer_.reserve(std::min(most, std::max(buffer_.size() * 2, std::size_t{4096})));
  }
}

void ExternalSort::sort_buffer() {
  if (sort_scratch_keys_ < buffer_.size()) {
    sort_scratch_.reset();
    sort_scratch_ = std::make_unique_for_overwrite<std::uint64_t[]>(buffer_.size());
    sort_scratch_keys_ = buffer_.size();
  }
  radix_sort(buffer_, std::span(sort_scratch_.get(), buffer_.size()), threads_);
}

void ExternalSort::spill() {
  sort_buffer();
  if (!file_) file_ = File::create(scratch_path_);
  file_->write(std::as_bytes(std::span(buffer_)));
  runs_.push_back({.next = spilled_keys_, .end = spilled_keys_ + buffer_.size(), .window = {}});
  spilled_keys_ += buffer_.size();
  buffer_.clear();
}

bool ExternalSort::refill(Run& run, std::size_t window_keys) {
  const std::uint64_t count = std::min<std::uint64_t>(window_keys, run.end - run.next);
  run.window.resize(count);
  run.at = 0;
  if (count == 0) return false;
  file_->read(std::as_writable_bytes(std::span(run.window)), run.next * sizeof(std::uint64_t));
  run.next += count;
  return true;
}

void ExternalSort::merge(const std::function<void(std::span<const std::uint64_t>)>& sink) {
  if (runs_.empty()) {
    sort_buffer();
    sink(buffer_);
    return;
  }
  if (!buffer_.empty()) spill();
  std::vector<std::uint64_t>().swap(buffer_);
  sort_scratch_.reset();

  const std::size_t window_keys =
      std::max<std::size_t>(512, memory_bytes_ / sizeof(std::uint64_t) / (runs_.size() + 1));
  using Head = std::pair<std::uint64_t, std::size_t>;  // key, run
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    if (refill(runs_[r], window_keys)) heads.emplace(runs_[r].window.front(), r);
  }
  std::vector<std::uint64_t> batch;
  batch.reserve(window_keys);
  while (!heads.empty()) {
    const std::size_t r = heads.top().second;
    heads.pop();
    // All keys of this run up to the least head of the others go out without touching the heap.
    const std::uint64_t bound = heads.empty() ? ~std::uint64_t{0} : heads.top().first;
    Run& run = runs_[r];
    for (bool more = true; more && run.window[run.at] <= bound;) {
      batch.push_back(run.window[run.at]);
      if (batch.size() == window_keys) {
        sink(batch);
        batch.clear();
      }
      if (++run.at == run.window.size()) more = refill(run, window_keys);
    }
    if (run.at < run.window.size()) heads.emplace(run.window[run.at], r);
  }
  sink(batch);
}

}  // namespace outcore
