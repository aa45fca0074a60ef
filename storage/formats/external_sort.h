// SPDX-License-Identifier: Apache-2.0
// Sorts any number of records (sort_records.h) in bounded memory: they collect in a buffer; a full
// buffer is sorted and appended to a scratch file as one run; at the end the runs are merged. What
// fits in the buffer never touches the disk.
//
// Memory: the buffer and the sort's scratch each take half of `memory_bytes`; the merge divides all
// of it among the runs. Used by one thread, which sorts with `threads`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/files.h"
#include "storage/formats/sort_records.h"

namespace outcore {

inline constexpr std::uint64_t kLeastSortMemory = std::uint64_t{1} << 20;

template <typename Record>
class ExternalSort {
 public:
  // `scratch` is created when the first run is spilled and removed with this object.
  ExternalSort(std::filesystem::path scratch, std::uint64_t memory_bytes, unsigned threads);
  ~ExternalSort();
  ExternalSort(const ExternalSort&) = delete;
  ExternalSort& operator=(const ExternalSort&) = delete;

  void add(const Record& record) {
    if (buffer_.size() == buffer_.capacity()) make_room();
    buffer_.push_back(record);
  }
  [[nodiscard]] std::uint64_t size() const { return spilled_ + buffer_.size(); }
  [[nodiscard]] std::size_t spilled_runs() const { return runs_.size(); }

  // Hands over all records in ascending order, in batches; once, as the last call.
  void merge(const std::function<void(std::span<const Record>)>& sink);

 private:
  struct Run {
    std::uint64_t next = 0;  // in records, within the scratch file
    std::uint64_t end = 0;
    std::vector<Record> window;  // read ahead while merging
    std::size_t at = 0;
  };
  void make_room();
  void sort_buffer();
  void spill();
  bool refill(Run& run, std::size_t window_records);

  std::filesystem::path scratch_path_;
  std::uint64_t memory_bytes_;
  unsigned threads_;
  std::vector<Record> buffer_;
  std::unique_ptr<Record[]> sort_scratch_;
  std::size_t sort_scratch_records_ = 0;
  std::optional<File> file_;
  std::vector<Run> runs_;
  std::uint64_t spilled_ = 0;  // records
};

}  // namespace outcore
