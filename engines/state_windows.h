// SPDX-License-Identifier: Apache-2.0
// Arrays in files, a window of vertices at a time, for engines that go through all vertices in
// order: what comes next is read meanwhile, what is through is written and leaves memory (LOSC,
// section 3.5: values on disk are read once and written once a round).
//
//   wanted(w)    is about to be used: is being read from here on
//   written(w)   will not be written to for now: is being written out from here on
//   done(w)      is not needed for now: leaves memory, once it is written out
//
// All of it is advice. A window that is used all the same, too early or too late, is what it was;
// it costs a page fault.
//
// Threads: any thread may say anything at any time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "common/ids.h"

namespace outcore {

class StateWindows {
 public:
  // Of each array, which has a part for each of `ids`, the bytes of these vertices.
  struct Window {
    VertexRange vertices;
    VertexId ids = 0;
  };
  void wanted(const Window& window);
  void written(const Window& window);
  void done(const Window& window);

  // Of whole pages: those that were wanted and not there, and those that were to be written out.
  struct Bytes {
    std::uint64_t read = 0;
    std::uint64_t written = 0;
  };
  [[nodiscard]] Bytes bytes() const;
  [[nodiscard]] bool empty() const;

  // Bytes of the file `fd` that are mapped there, both until remove().
  void add(std::byte* data, std::size_t bytes, int fd);
  void remove(const std::byte* data);

 private:
  struct Array {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    int fd = -1;
  };
  // f(array, offset, bytes) with the pages of the window in each array.
  template <typename F>
  void for_each(const Window& window, const F& f) const;

  mutable std::mutex mutex_;  // over all that follows
  std::vector<Array> arrays_;
  Bytes bytes_;
};

// One way through all windows, in order: while one is used, the next one is read and the last one
// written, if it was changed. Does nothing without arrays in files.
class WindowPass {
 public:
  enum class Use : std::uint8_t { reads, changes };
  WindowPass(StateWindows& windows, VertexId ids, Use use)
      : windows_(windows.empty() ? nullptr : &windows), ids_(ids), use_(use) {}
  ~WindowPass();
  WindowPass(const WindowPass&) = delete;
  WindowPass& operator=(const WindowPass&) = delete;

  [[nodiscard]] bool needed() const { return windows_ != nullptr; }
  // From here on `now` is used, and afterwards `next`.
  void enter(VertexRange now, VertexRange next);

 private:
  void leave();

  StateWindows* windows_;
  VertexId ids_;
  Use use_;
  VertexRange last_;         // that was entered
  VertexRange before_last_;  // is being written
};

}  // namespace outcore
