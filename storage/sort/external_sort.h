// SPDX-License-Identifier: Apache-2.0
// Sorts any number of records (sort_records.h) in bounded memory. Records collect in one of two
// buffers. A full buffer is sorted, with the other one as scratch, and appended to a scratch file
// as a run while the other one fills. At the end all runs are read together, range by range: the
// records below a bound, which is chosen from samples of the runs so that they fill a buffer, are
// loaded, sorted and passed on while the next range is loaded. Records that fit into a buffer never
// touch the disk.
//
// Memory: `memory_bytes`, half for each buffer, of which only the filled part is used; and samples,
// a four-thousandth of the records if there are many. One thread uses it; it sorts with `threads`,
// and one more thread reads or writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <span>
#include <vector>

#include "common/files.h"
#include "storage/sort/parallel_sort.h"
#include "storage/sort/sort_buffer.h"
#include "storage/sort/sort_records.h"

namespace outcore {

inline constexpr std::uint64_t kLeastSortMemory = std::uint64_t{1} << 20;

template <typename Record>
class ExternalSort {
 public:
  // `scratch` is created when the first run is written, and removed with this object.
  ExternalSort(std::filesystem::path scratch, std::uint64_t memory_bytes, unsigned threads,
               SortBy by = SortBy::all);
  ~ExternalSort();
  ExternalSort(const ExternalSort&) = delete;
  ExternalSort& operator=(const ExternalSort&) = delete;

  void add(const Record& record) {
    if (filled_ == filling_.size()) spill();
    filling_[filled_++] = record;
  }
  [[nodiscard]] std::uint64_t size() const { return spilled_ + filled_; }
  [[nodiscard]] std::size_t spilled_runs() const { return runs_.size(); }

  // Passes on all records in order, in batches. Call it once; then only start_again() may follow.
  void merge(const std::function<void(std::span<const Record>)>& sink);
  // As a new sort, which has the memory and the scratch file of this one: the kernel need not clear
  // as many pages again.
  void start_again(SortBy by);

 private:
  struct Run {
    std::uint64_t begin = 0;  // in records, within the scratch file
    std::uint64_t end = 0;
    std::uint64_t next = 0;       // not passed on yet
    std::vector<Record> samples;  // of begin, begin + sample_step_, ...
  };

  // The records before `end`, or all if it is unset; or the records equal to `one_value`.
  struct Range {
    std::optional<Record> end;
    std::optional<Record> one_value;
  };

  [[nodiscard]] bool before(const Record& a, const Record& b) const;
  void spill();
  void wait_for_disk();
  void merge_runs(const std::function<void(std::span<const Record>)>& sink);
  [[nodiscard]] std::vector<Range> choose_ranges() const;
  template <typename Inside>
  [[nodiscard]] std::uint64_t find_end(const Run& run, const Inside& inside) const;
  std::size_t load(const std::optional<Record>& bound, std::span<Record> into);
  void stream(const Record& value, std::span<Record> window,
              const std::function<void(std::span<const Record>)>& sink);

  std::filesystem::path scratch_path_;
  unsigned threads_;
  SortBy by_;
  SortBuffer<Record> buffers_[2];
  std::uint64_t sample_step_;
  std::span<Record> filling_;  // one of the buffers
  std::span<Record> other_;
  std::size_t filled_ = 0;
  std::optional<File> file_;
  std::vector<Run> runs_;
  std::uint64_t spilled_ = 0;  // records
  std::future<void> disk_;     // the write in progress
};

}  // namespace outcore
