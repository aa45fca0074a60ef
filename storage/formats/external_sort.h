// SPDX-License-Identifier: Apache-2.0
// Sorts any number of 64-bit keys in bounded memory: keys collect in a buffer; a full buffer is
// sorted and appended to a scratch file as one run; at the end the runs are merged. What fits in
// the buffer never touches the disk.
//
// Memory: the buffer and the sort's scratch each take half of `memory_bytes`; the merge divides all
// of it among the runs. Used by one thread, which sorts with `threads`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "common/files.h"

namespace outcore {

class ExternalSort {
 public:
  static constexpr std::uint64_t kLeastMemory = std::uint64_t{1} << 20;

  // `scratch` is created when the first run is spilled and removed with this object.
  ExternalSort(std::filesystem::path scratch, std::uint64_t memory_bytes, unsigned threads);
  ~ExternalSort();
  ExternalSort(const ExternalSort&) = delete;
  ExternalSort& operator=(const ExternalSort&) = delete;

  void add(std::uint64_t key) {
    if (buffer_.size() == buffer_.capacity()) make_room();
    buffer_.push_back(key);
  }
  [[nodiscard]] std::uint64_t size() const { return spilled_keys_ + buffer_.size(); }
  [[nodiscard]] std::size_t spilled_runs() const { return runs_.size(); }

  // Hands over all keys in ascending order, in batches; once, as the last call.
  void merge(const std::function<void(std::span<const std::uint64_t>)>& sink);

 private:
  struct Run {
    std::uint64_t next = 0;  // in keys, within the scratch file
    std::uint64_t end = 0;
    std::vector<std::uint64_t> window;  // read ahead while merging
    std::size_t at = 0;
  };
  void make_room();
  void sort_buffer();
  void spill();
  bool refill(Run& run, std::size_t window_keys);

  std::filesystem::path scratch_path_;
  std::uint64_t memory_bytes_;
  unsigned threads_;
  std::vector<std::uint64_t> buffer_;
  std::unique_ptr<std::uint64_t[]> sort_scratch_;
  std::size_t sort_scratch_keys_ = 0;
  std::optional<File> file_;
  std::vector<Run> runs_;
  std::uint64_t spilled_keys_ = 0;
};

}  // namespace outcore
