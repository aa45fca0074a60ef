// SPDX-License-Identifier: Apache-2.0
// Memory for sorts: reserved at once but used only as far as it is touched, in huge pages if the
// system has them (sorting scatters over thousands of places).
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <span>
#include <utility>

namespace outcore {

template <typename Record>
class SortBuffer {
 public:
  explicit SortBuffer(std::size_t records) : records_(records) {
    memory_ = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    ::madvise(memory_, bytes(), MADV_HUGEPAGE);  // only advice
  }
  ~SortBuffer() { ::munmap(memory_, bytes()); }
  SortBuffer(const SortBuffer&) = delete;
  SortBuffer& operator=(const SortBuffer&) = delete;

  [[nodiscard]] std::span<Record> records() const {
    return {static_cast<Record*>(memory_), records_};
  }

 private:
  [[nodiscard]] std::size_t bytes() const { return records_ * sizeof(Record); }
  std::size_t records_;
  void* memory_ = nullptr;
};

}  // namespace outcore
