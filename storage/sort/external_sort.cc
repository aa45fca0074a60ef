// SPDX-License-Identifier: Apache-2.0
#include "storage/sort/external_sort.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/sizes.h"

namespace outcore {

namespace {

constexpr std::size_t kSamplesOfABuffer = 4096;
constexpr std::size_t kLeastStep = 64;

template <typename Record>
std::size_t buffer_records(std::uint64_t memory_bytes) {
  return std::max(memory_bytes, kLeastSortMemory) / (2 * sizeof(Record));
}

}  // namespace

template <typename Record>
ExternalSort<Record>::ExternalSort(std::filesystem::path scratch, std::uint64_t memory_bytes,
                                   unsigned threads, SortBy by)
    : scratch_path_(std::move(scratch)),
      threads_(threads),
      by_(by),
      buffers_{SortBuffer<Record>(buffer_records<Record>(memory_bytes)),
               SortBuffer<Record>(buffer_records<Record>(memory_bytes))},
      sample_step_(std::max(kLeastStep, buffers_[0].records().size() / kSamplesOfABuffer)),
      filling_(buffers_[0].records()),
      other_(buffers_[1].records()) {}

template <typename Record>
ExternalSort<Record>::~ExternalSort() {
  if (disk_.valid()) disk_.wait();
  if (!file_) return;
  std::error_code ignored;  // a scratch file left behind is removed with its folder
  std::filesystem::remove(scratch_path_, ignored);
}

template <typename Record>
bool ExternalSort<Record>::before(const Record& a, const Record& b) const {
  constexpr unsigned kUpper = kKeyWords<Record> - 1;
  return by_ == SortBy::all ? a < b : word_of(a, kUpper) < word_of(b, kUpper);
}

template <typename Record>
void ExternalSort<Record>::wait_for_disk() {
  if (disk_.valid()) disk_.get();
}

template <typename Record>
void ExternalSort<Record>::spill() {
  // A range loads up to one extra block of each run, so that much must fit into a buffer.
  const std::size_t most_runs = filling_.size() / sample_step_ / 2;
  if (runs_.size() == most_runs) {
    throw usage_error(
        fmt::format("{} edges so far are too many for a sort in {} of memory; give "
                    "a larger --memory",
                    spilled_, human_size(2 * filling_.size_bytes())));
  }
  wait_for_disk();
  const std::span<Record> sorted =
      parallel_sort(filling_.first(filled_), other_.first(filled_), threads_, by_);
  if (!file_) file_ = File::create(scratch_path_);
  runs_.push_back({.begin = spilled_, .end = spilled_ + filled_, .next = spilled_, .samples = {}});
  for (std::size_t i = 0; i < filled_; i += sample_step_) {
    runs_.back().samples.push_back(sorted[i]);
  }
  spilled_ += filled_;
  filled_ = 0;
  if (sorted.data() == filling_.data()) std::swap(filling_, other_);
  disk_ = std::async(std::launch::async, [this, sorted, begin = runs_.back().begin] {
    file_->write_at(std::as_bytes(sorted), begin * sizeof(Record));
  });
}

template <typename Record>
void ExternalSort<Record>::merge(const std::function<void(std::span<const Record>)>& sink) {
  if (runs_.empty()) {
    sink(parallel_sort(filling_.first(filled_), other_.first(filled_), threads_, by_));
    return;
  }
  if (filled_ > 0) spill();
  wait_for_disk();
  merge_runs(sink);
}

template <typename Record>
void ExternalSort<Record>::start_again(SortBy by) {
  by_ = by;
  runs_.clear();
  spilled_ = 0;
  filled_ = 0;
}

template <typename Record>
void ExternalSort<Record>::merge_runs(const std::function<void(std::span<const Record>)>& sink) {
  const std::vector<Range> ranges = choose_ranges();
  std::span<Record> loaded = filling_;
  std::span<Record> scratch = other_;
  std::size_t count = 0;
  const auto fetch = [&](std::size_t r) {
    if (r < ranges.size() && !ranges[r].one_value) count = load(ranges[r].end, loaded);
  };
  fetch(0);
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    if (ranges[r].one_value) {
      stream(*ranges[r].one_value, loaded, sink);
      fetch(r + 1);
      continue;
    }
    const std::span<Record> sorted =
        parallel_sort(loaded.first(count), scratch.first(count), threads_, by_);
    if (sorted.data() == loaded.data()) std::swap(loaded, scratch);
    std::future<void> next = std::async(std::launch::async, fetch, r + 1);
    sink(sorted);
    next.get();
  }
}

// Each sample represents the records after it. A range has as many samples as fit a buffer if each
// run also adds the rest of a block.
template <typename Record>
auto ExternalSort<Record>::choose_ranges() const -> std::vector<Range> {
  const auto less = [this](const Record& a, const Record& b) { return before(a, b); };
  std::vector<Record> samples;
  for (const Run& run : runs_) {
    samples.insert(samples.end(), run.samples.begin(), run.samples.end());
  }
  std::sort(samples.begin(), samples.end(), less);
  const std::size_t most = filling_.size() / sample_step_ - runs_.size();
  std::vector<Range> ranges;
  for (auto first = samples.begin();;) {
    if (static_cast<std::size_t>(samples.end() - first) <= most) {
      ranges.push_back({});
      return ranges;
    }
    const Record end = first[static_cast<std::ptrdiff_t>(most)];
    if (before(*first, end)) {
      ranges.push_back({.end = end, .one_value = {}});
      first = std::lower_bound(first, samples.end(), end, less);
    } else {
      ranges.push_back({.end = {}, .one_value = *first});
      first = std::upper_bound(first, samples.end(), *first, less);
    }
  }
}

// The end of the records for which `inside` holds, which are the first ones of the run. Reads one
// block.
template <typename Record>
template <typename Inside>
std::uint64_t ExternalSort<Record>::find_end(const Run& run, const Inside& inside) const {
  const auto sample = std::partition_point(run.samples.begin(), run.samples.end(), inside);
  if (sample == run.samples.begin()) return run.begin;
  const auto blocks = static_cast<std::uint64_t>(sample - run.samples.begin());
  const std::uint64_t begin = run.begin + (blocks - 1) * sample_step_;
  std::vector<Record> block(std::min<std::uint64_t>(sample_step_, run.end - begin));
  file_->read(std::as_writable_bytes(std::span(block)), begin * sizeof(Record));
  return begin + static_cast<std::uint64_t>(
                     std::partition_point(block.begin(), block.end(), inside) - block.begin());
}

// Loads what is left of all runs before `bound`, run after run.
template <typename Record>
std::size_t ExternalSort<Record>::load(const std::optional<Record>& bound, std::span<Record> into) {
  std::size_t count = 0;
  for (Run& run : runs_) {
    const std::uint64_t end =
        bound ? find_end(run, [&](const Record& record) { return before(record, *bound); })
              : run.end;
    const std::span<Record> piece = into.subspan(count, end - run.next);
    file_->read(std::as_writable_bytes(piece), run.next * sizeof(Record));
    run.next = end;
    count += piece.size();
  }
  return count;
}

// For a value of which there are more records than a buffer holds. They are equal in the sorting
// order, so they are passed on run after run.
template <typename Record>
void ExternalSort<Record>::stream(const Record& value, std::span<Record> window,
                                  const std::function<void(std::span<const Record>)>& sink) {
  for (Run& run : runs_) {
    const std::uint64_t end =
        find_end(run, [&](const Record& record) { return !before(value, record); });
    while (run.next < end) {
      const auto part = window.first(std::min<std::uint64_t>(window.size(), end - run.next));
      file_->read(std::as_writable_bytes(part), run.next * sizeof(Record));
      run.next += part.size();
      sink(part);
    }
  }
}

template class ExternalSort<EdgeKey>;
template class ExternalSort<WeightedKey>;

}  // namespace outcore
