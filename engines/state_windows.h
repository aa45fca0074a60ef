// SPDX-License-Identifier: Apache-2.0
// Arrays in files, one window of vertices at a time, for engines that pass over all vertices in
// order: the next window is read in advance, and a finished one is written and leaves memory (LOSC,
// section 3.5: values on disk are read once and written once in a round).
//
//   wanted(w)    will be used soon: its reading starts
//   written(w)   will not be written to for now: its writing out starts
//   done(w)      is not needed for now: leaves memory once it is written out
//
// All of this is advice. A window that is used too early or too late still has its values; it costs
// page faults.
//
// Threads: any thread may call any function at any time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "common/ids.h"

namespace outcore {

class StateWindows {
 public:
  // The bytes of these vertices in each array; `ids` is the number of elements of each array.
  struct Window {
    VertexRange vertices;
    VertexId ids = 0;
  };
  void wanted(const Window& window);
  void written(const Window& window);
  void done(const Window& window);

  // In whole pages: those that were wanted and not in memory, and those that were to be written
  // out.
  struct Bytes {
    std::uint64_t read = 0;
    std::uint64_t written = 0;
  };
  [[nodiscard]] Bytes bytes() const;
  [[nodiscard]] bool empty() const;

  // Adds bytes of the file `fd` that are mapped at `data`. REQUIRES: both stay until remove().
  void add(std::byte* data, std::size_t bytes, int fd);
  void remove(const std::byte* data);

 private:
  struct Array {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    int fd = -1;
  };
  // Calls f(array, offset, bytes) with the pages of the window in each array.
  template <typename F>
  void for_each(const Window& window, const F& f) const;

  mutable std::mutex mutex_;  // guards all members below
  std::vector<Array> arrays_;
  Bytes bytes_;
};

// One pass over all windows, in order: while one is used, the next is read, and the previous one is
// written if it was changed. Does nothing without arrays in files.
class WindowPass {
 public:
  enum class Use : std::uint8_t { reads, changes };
  WindowPass(StateWindows& windows, VertexId ids, Use use)
      : windows_(windows.empty() ? nullptr : &windows), ids_(ids), use_(use) {}
  ~WindowPass();
  WindowPass(const WindowPass&) = delete;
  WindowPass& operator=(const WindowPass&) = delete;

  [[nodiscard]] bool needed() const { return windows_ != nullptr; }
  // From now on `now` is used, and afterwards `next`.
  void enter(VertexRange now, VertexRange next);

 private:
  void leave();

  StateWindows* windows_;
  VertexId ids_;
  Use use_;
  VertexRange last_;         // the window that was entered last
  VertexRange before_last_;  // the window that is being written
};

}  // namespace outcore
