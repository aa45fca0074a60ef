// SPDX-License-Identifier: Apache-2.0
#include "engines/binning/kept_ids.h"

#include <algorithm>
#include <bit>

namespace outcore {

namespace {

// Pieces that the space holds for each bin, so that what is free in the last one of each is little.
constexpr std::uint64_t kPiecesOfABin = 16;
constexpr std::uint64_t kLeastPiece = 256;  // ids
constexpr std::uint64_t kMostPiece = std::uint64_t{16} << 10;

}  // namespace

KeptIds::KeptIds(const BinSizes& sizes, std::uint64_t space)
    : sizes_(sizes),
      space_(space),
      piece_(std::clamp(std::bit_floor(std::max<std::uint64_t>(
                            space / (sizeof(VertexId) * sizes.bins * kPiecesOfABin), 1)),
                        kLeastPiece, kMostPiece)),
      memory_(numa::allocate(std::max<std::uint64_t>(space, 1))),
      pieces_(sizes.bins) {}

bool KeptIds::begin_round(std::span<const BlockRun> runs, bool same) {
  if (same && std::ranges::equal(of_, runs)) return true;
  of_.assign(runs.begin(), runs.end());
  runs_.clear();
  runs_.resize(runs.size());
  for (Piece& piece : pieces_) piece.next = piece.end = 0;
  used_.store(0, std::memory_order_relaxed);
  cut_.store(0, std::memory_order_relaxed);
  return false;
}

bool KeptIds::reserve(std::uint64_t bytes) {
  if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= space_) return true;
  used_.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

// Behind what the bin has, or in a new piece, which leaves the rest of the last one free.
bool KeptIds::make_room(std::size_t bin, Part& part) {
  Piece& piece = pieces_[bin];
  const std::lock_guard lock(piece.mutex);
  if (piece.end - piece.next < part.count) {
    const std::uint64_t ids = (part.count + piece_ - 1) / piece_ * piece_;
    if (!reserve(ids * sizeof(VertexId))) return false;
    piece.next = cut_.fetch_add(ids, std::memory_order_relaxed);
    piece.end = piece.next + ids;
  }
  part.begin = piece.next;
  piece.next += part.count;
  return true;
}

void KeptIds::keep(std::size_t run, std::span<const VertexId> targets) {
  if (!reserve(sizes_.bins * sizeof(Part))) return;
  std::vector<Part> parts(sizes_.bins);
  for (const VertexId v : targets) ++parts[v >> sizes_.bin_shift].count;
  for (std::size_t bin = 0; bin < parts.size(); ++bin) {
    if (!make_room(bin, parts[bin])) return;
  }
  std::vector<std::uint64_t> next(sizes_.bins);
  std::ranges::transform(parts, next.begin(), &Part::begin);
  for (const VertexId v : targets) memory()[next[v >> sizes_.bin_shift]++] = v;
  runs_[run] = std::move(parts);
}

}  // namespace outcore
