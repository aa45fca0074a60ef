// SPDX-License-Identifier: Apache-2.0
// Reads a file or pipe, compressed or not, in pieces of about 1 MiB that end where records do. One
// thread reads and decompresses, `threads` others work on pieces, and the calling thread is handed
// each piece's turn in the order of the file, whatever the order in which work is done.
//
// Memory: threads + 3 pieces and what the caller keeps for each slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "storage/formats/byte_source.h"

namespace outcore {

// Of `bytes`: text and its length are valid while the work on it lasts, and its take. Lines end
// with '\n' (one is added where the last has none), unless a line is longer than a piece. Behind
// the end of a piece, kPadding bytes may be read.
struct Piece {
  static constexpr std::size_t kBytes = std::size_t{1} << 20;
  static constexpr std::size_t kPadding = 16;
  std::string_view text;
  std::uint64_t offset = 0;  // in what the source had, uncompressed
};

struct PieceSettings {
  ByteSource& source;  // from where it stands to its end
  unsigned threads = 1;
  std::size_t record_bytes = 0;  // 0: records are lines
  std::string progress;          // what a progress line calls it
};

inline std::size_t piece_slots(const PieceSettings& settings) { return settings.threads + 3; }

// work(slot, piece) runs on any thread, one at a time for a slot; take(slot) runs on the calling
// thread, after the work on the slot's piece and before its next. Whatever is thrown ends all. Only
// the last piece may end within a record.
void read_pieces(const PieceSettings& settings,
                 const std::function<void(std::size_t, const Piece&)>& work,
                 const std::function<void(std::size_t)>& take);

}  // namespace outcore
