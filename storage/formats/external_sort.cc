// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/external_sort.h"

#include <algorithm>
#include <queue>

#include "storage/formats/radix_sort.h"

namespace outcore {

template <typename Record>
ExternalSort<Record>::ExternalSort(std::filesystem::path scratch, std::uint64_t memory_bytes,
                                   unsigned threads)
    : scratch_path_(std::move(scratch)),
      memory_bytes_(std::max(memory_bytes, kLeastSortMemory)),
      threads_(threads) {}

template <typename Record>
ExternalSort<Record>::~ExternalSort() {
  if (!file_) return;
  std::error_code ignored;  // a scratch file left behind is swept with its folder
  std::filesystem::remove(scratch_path_, ignored);
}

// Grows by doubling up to half of the memory, so that a small graph takes little.
template <typename Record>
void ExternalSort<Record>::make_room() {
  const std::size_t most = memory_bytes_ / (2 * sizeof(Record));
  if (buffer_.size() >= most) {
    spill();
  } else {
    buffer_.reserve(std::min(most, std::max(buffer_.size() * 2, std::size_t{4096})));
  }
}

template <typename Record>
void ExternalSort<Record>::sort_buffer() {
  if (sort_scratch_records_ < buffer_.size()) {
    sort_scratch_.reset();
    sort_scratch_ = std::make_unique_for_overwrite<Record[]>(buffer_.size());
    sort_scratch_records_ = buffer_.size();
  }
  radix_sort<Record>(buffer_, std::span(sort_scratch_.get(), buffer_.size()), threads_);
}

template <typename Record>
void ExternalSort<Record>::spill() {
  sort_buffer();
  if (!file_) file_ = File::create(scratch_path_);
  file_->write(std::as_bytes(std::span(buffer_)));
  runs_.push_back({.next = spilled_, .end = spilled_ + buffer_.size(), .window = {}});
  spilled_ += buffer_.size();
  buffer_.clear();
}

template <typename Record>
bool ExternalSort<Record>::refill(Run& run, std::size_t window_records) {
  const std::uint64_t count = std::min<std::uint64_t>(window_records, run.end - run.next);
  run.window.resize(count);
  run.at = 0;
  if (count == 0) return false;
  file_->read(std::as_writable_bytes(std::span(run.window)), run.next * sizeof(Record));
  run.next += count;
  return true;
}

template <typename Record>
void ExternalSort<Record>::merge(const std::function<void(std::span<const Record>)>& sink) {
  if (runs_.empty()) {
    sort_buffer();
    sink(buffer_);
    return;
  }
  if (!buffer_.empty()) spill();
  std::vector<Record>().swap(buffer_);
  sort_scratch_.reset();

  const std::size_t window_records =
      std::max<std::size_t>(512, memory_bytes_ / sizeof(Record) / (runs_.size() + 1));
  using Head = std::pair<Record, std::size_t>;  // and its run
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    if (refill(runs_[r], window_records)) heads.emplace(runs_[r].window.front(), r);
  }
  std::vector<Record> batch;
  batch.reserve(window_records);
  while (!heads.empty()) {
    const std::size_t r = heads.top().second;
    heads.pop();
    // All records of this run up to the least head of the others go out without touching the heap.
    const std::optional<Record> bound = heads.empty() ? std::optional<Record>{} : heads.top().first;
    Run& run = runs_[r];
    for (bool more = true; more && (!bound || run.window[run.at] <= *bound);) {
      batch.push_back(run.window[run.at]);
      if (batch.size() == window_records) {
        sink(batch);
        batch.clear();
      }
      if (++run.at == run.window.size()) more = refill(run, window_records);
    }
    if (run.at < run.window.size()) heads.emplace(run.window[run.at], r);
  }
  sink(batch);
}

template class ExternalSort<EdgeKey>;
template class ExternalSort<WeightedKey>;

}  // namespace outcore
