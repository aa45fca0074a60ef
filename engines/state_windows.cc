// SPDX-License-Identifier: Apache-2.0
#include "engines/state_windows.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>

namespace outcore {

namespace {

constexpr std::size_t kPage = 4096;

// A page that two windows share belongs to the later one.
std::size_t page_of(std::size_t bytes, VertexId id, VertexId ids) {
  if (id == ids) return (bytes + kPage - 1) / kPage * kPage;
  const double share = static_cast<double>(id) / static_cast<double>(ids);
  return static_cast<std::size_t>(share * static_cast<double>(bytes)) / kPage * kPage;
}

std::uint64_t bytes_not_there(std::byte* at, std::size_t bytes) {
  std::vector<unsigned char> resident(bytes / kPage);
  if (::mincore(at, bytes, resident.data()) != 0) return 0;
  const auto there = [](unsigned char page) { return (page & 1) != 0; };
  const auto missing = resident.size() - static_cast<std::size_t>(std::count_if(
                                             resident.begin(), resident.end(), there));
  return missing * kPage;
}

}  // namespace

template <typename F>
void StateWindows::for_each(const Window& window, const F& f) const {
  for (const Array& array : arrays_) {
    const std::size_t begin = page_of(array.bytes, window.vertices.begin, window.ids);
    const std::size_t end = page_of(array.bytes, window.vertices.end, window.ids);
    if (begin < end) f(array, begin, end - begin);
  }
}

void StateWindows::wanted(const Window& window) {
  const std::lock_guard lock(mutex_);
  for_each(window, [this](const Array& array, std::size_t offset, std::size_t bytes) {
    bytes_.read += bytes_not_there(array.data + offset, bytes);
    ::madvise(array.data + offset, bytes, MADV_WILLNEED);
  });
}

void StateWindows::written(const Window& window) {
  const std::lock_guard lock(mutex_);
  for_each(window, [this](const Array& array, std::size_t offset, std::size_t bytes) {
    bytes_.written += bytes;
    ::sync_file_range(array.fd, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                      SYNC_FILE_RANGE_WRITE);
  });
}

// A page that is not written out stays in the page cache in spite of any advice, so this waits.
void StateWindows::done(const Window& window) {
  const std::lock_guard lock(mutex_);
  for_each(window, [](const Array& array, std::size_t offset, std::size_t bytes) {
    const auto at = static_cast<off_t>(offset);
    const auto length = static_cast<off_t>(bytes);
    ::sync_file_range(
        array.fd, at, length,
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
    ::madvise(array.data + offset, bytes, MADV_DONTNEED);
    ::posix_fadvise(array.fd, at, length, POSIX_FADV_DONTNEED);
  });
}

StateWindows::Bytes StateWindows::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

bool StateWindows::empty() const {
  const std::lock_guard lock(mutex_);
  return arrays_.empty();
}

void StateWindows::add(std::byte* data, std::size_t bytes, int fd) {
  const std::lock_guard lock(mutex_);
  arrays_.push_back({data, bytes, fd});
}

void StateWindows::remove(const std::byte* data) {
  const std::lock_guard lock(mutex_);
  std::erase_if(arrays_, [&](const Array& array) { return array.data == data; });
}

void WindowPass::enter(VertexRange now, VertexRange next) {
  if (windows_ == nullptr) return;
  if (last_.begin == last_.end) windows_->wanted({now, ids_});
  leave();
  windows_->wanted({next, ids_});
  last_ = now;
}

// Writes out the window that was left, and drops the one before it from memory.
void WindowPass::leave() {
  if (use_ == Use::changes) windows_->written({last_, ids_});
  windows_->done({before_last_, ids_});
  before_last_ = last_;
}

WindowPass::~WindowPass() {
  if (windows_ == nullptr) return;
  leave();
  windows_->done({before_last_, ids_});
}

}  // namespace outcore
