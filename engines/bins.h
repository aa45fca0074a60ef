// SPDX-License-Identifier: Apache-2.0
// Messages sorted into bins by ranges of targets (binning, after Blaze), so that one thread can
// then apply each bin without atomics.
//
// A record is a target and the message that it is to hear, of the message's own size. Program::bin
// puts records into one thread's *lines*: for each bin a short array of targets and one of
// messages. The engine takes a line when it is full, into space that it owns; the line is then
// empty again. Program::drain applies whole arrays of records of one bin.
//
// An engine that has kept the targets of the same lists from an earlier round wants only messages:
// its lines have no targets, and every target of a list gets a message, whether it listens or not.
//
// Threads: Bins belong to one thread; the arrays that an engine makes of lines may go to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/ids.h"

namespace outcore {

// `count` records: targets[i] hears messages[i], one value of Traits::message_bytes.
struct Records {
  const VertexId* targets = nullptr;
  const std::byte* messages = nullptr;
  std::size_t count = 0;
};

// Where a thread's next records go. Loops keep a copy, which stays in registers.
struct BinLines {
  VertexId* targets = nullptr;      // of all lines, one behind the other; null: they are kept
  std::byte* messages = nullptr;    // likewise
  std::uint32_t* counts = nullptr;  // of each line
  unsigned bin_shift = 0;           // a bin is a range of 2^bin_shift vertices
  unsigned line_shift = 0;          // a line holds 2^line_shift records

  // The record stands only if it is `wanted`: without a branch, which would be mispredicted. True
  // when it filled its line, which Bins::take() must empty before the next record of this bin.
  template <typename M>
  [[nodiscard]] bool put(VertexId v, const M& message, bool wanted = true) const {
    const std::size_t bin = v >> bin_shift;
    const std::size_t at = (bin << line_shift) + counts[bin];
    targets[at] = v;
    std::memcpy(messages + at * sizeof(M), &message, sizeof(M));
    counts[bin] += wanted ? 1 : 0;
    return counts[bin] >> line_shift != 0;
  }
  // The message to v alone, where targets are kept.
  template <typename M>
  [[nodiscard]] bool put_message(VertexId v, const M& message) const {
    const std::size_t bin = v >> bin_shift;
    const std::size_t at = (bin << line_shift) + counts[bin];
    std::memcpy(messages + at * sizeof(M), &message, sizeof(M));
    return ++counts[bin] >> line_shift != 0;
  }
};

class Bins {
 public:
  virtual ~Bins() = default;
  [[nodiscard]] const BinLines& lines() const { return lines_; }
  // Empties the full line of v's bin. May apply records of other bins meanwhile, and wait.
  virtual void take(VertexId v) = 0;

 protected:
  BinLines lines_;
};

}  // namespace outcore
