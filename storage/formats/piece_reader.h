// SPDX-License-Identifier: Apache-2.0
// Reads a file or pipe, compressed or not, in pieces of about 1 MiB that end where records end. One
// thread reads and decompresses, and `threads` others work on pieces. The calling thread gets the
// pieces in the order of the file, whatever the order in which they are worked on.
//
// Memory: threads + 3 pieces, and what the caller keeps for each slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "storage/formats/byte_source.h"

namespace outcore {

// A part of the source. The text is valid from the work on it until its take. Lines end with '\n'
// (one is added if the last line has none), unless a line is longer than a piece. kPadding bytes
// after the end of a piece may be read.
struct FilePiece {
  static constexpr std::size_t kBytes = std::size_t{1} << 20;
  static constexpr std::size_t kPadding = 16;
  std::string_view text;
  std::uint64_t offset = 0;  // in the uncompressed bytes of the source
};

struct PieceSettings {
  ByteSource& source;  // read from its current position to its end
  unsigned threads = 1;
  std::size_t record_bytes = 0;  // 0: records are lines
  std::string progress;          // what a progress line calls it
};

inline std::size_t piece_slots(const PieceSettings& settings) { return settings.threads + 3; }

// work(slot, piece) runs on any thread, one call at a time for a slot. take(slot) runs on the
// calling thread, after the work on the slot's piece and before the slot's next piece. Any
// exception ends everything. Only the last piece may end within a record.
void read_pieces(const PieceSettings& settings,
                 const std::function<void(std::size_t, const FilePiece&)>& work,
                 const std::function<void(std::size_t)>& take);

}  // namespace outcore
