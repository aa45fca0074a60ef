// SPDX-License-Identifier: Apache-2.0
// What an executor has taken from the worklist and not requested from the device yet, in the order
// in which it took it. Parts that are neighbours in the file come with one request, whatever they
// belong to: a disk block may contain the end of a long list, short lists, and the beginning of the
// next long list, and is read once for all of them.
//
// Not thread-safe.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "engines/program.h"
#include "storage/io/merge.h"

namespace outcore {

class WantedBlocks {
 public:
  // Of what the worklist's `block` needs, the disk blocks [begin, end).
  struct Part {
    std::uint32_t block = 0;
    BlockId begin = 0;
    BlockId end = 0;
    // That it had when it was pulled; kQuiet if executors do not wait for it.
    Priority priority = kQuiet;
    [[nodiscard]] std::uint32_t blocks() const { return static_cast<std::uint32_t>(end - begin); }
  };

  [[nodiscard]] bool empty() const { return next_ == parts_.size(); }
  void add(const Part& part) { parts_.push_back(part); }
  // The priority of the most urgent.
  [[nodiscard]] Priority soonest() const { return soonest_of(std::span(parts_).subspan(next_)); }
  static Priority soonest_of(std::span<const Part> parts) {
    Priority soonest = kQuiet;
    for (const Part& part : parts) {
      if (part.blocks() > 0) soonest = std::min(soonest, part.priority);
    }
    return soonest;
  }

  // The disk blocks of the next request, beginning with the first that is wanted, with at most
  // `holes` unneeded blocks in all.
  [[nodiscard]] BlockRun plan(const MergeLimits& limits, std::uint64_t holes) const {
    const BlockId begin = parts_[next_].begin;
    const BlockId most = begin + limits.max_blocks;
    BlockId end = std::min(parts_[next_].end, most);
    for (std::size_t i = next_ + 1; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      if (part.begin == part.end) continue;
      if (part.begin < begin || part.begin >= most) break;
      const BlockId hole = part.begin - std::min(part.begin, end);
      if (hole > std::min<std::uint64_t>(limits.max_hole, holes)) break;
      holes -= hole;
      end = std::max(end, std::min(part.end, most));
    }
    return {begin, static_cast<std::uint32_t>(end - begin)};
  }

  // Adds to `parts` what the run brings, which is then no longer wanted. Returns how many of its
  // disk blocks are in holes.
  std::uint32_t take(const BlockRun& run, std::vector<Part>& parts) {
    const BlockId end = run.first + run.blocks;
    BlockId covered = run.first;  // up to here
    std::uint32_t holes = run.blocks;
    for (std::size_t i = next_; i < parts_.size(); ++i) {
      Part& part = parts_[i];
      if (part.begin == part.end) continue;
      if (part.begin < run.first || part.begin >= end) break;
      const BlockId taken = std::min(part.end, end);
      parts.push_back({part.block, part.begin, taken, part.priority});
      if (taken > covered) {
        holes -= static_cast<std::uint32_t>(taken - std::max(part.begin, covered));
        covered = taken;
      }
      part.begin = taken;
    }
    skip_taken();
    return holes;
  }

  // The rest of `block` is no longer needed. Returns how many disk blocks that were.
  std::uint32_t forget(std::uint32_t block) {
    std::uint32_t forgotten = 0;
    for (std::size_t i = next_; i < parts_.size(); ++i) {
      if (parts_[i].block != block) continue;
      forgotten = parts_[i].blocks();
      parts_[i].begin = parts_[i].end;
    }
    skip_taken();
    return forgotten;
  }

 private:
  void skip_taken() {
    while (next_ < parts_.size() && parts_[next_].begin == parts_[next_].end) ++next_;
    if (next_ < parts_.size()) return;
    parts_.clear();
    next_ = 0;
  }

  std::vector<Part> parts_;
  std::size_t next_ = 0;
};

}  // namespace outcore
