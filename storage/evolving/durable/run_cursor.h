// SPDX-License-Identifier: Apache-2.0
// One direction of a run from its first list to its last. What is known of a list without its
// blocks comes by itself: its vertex, how many additions it has, and its tombstones. Its blocks are
// read only if its additions are asked for.
//
// Blocks are compared with their checksums when they are read, and the other files with their
// hashes when they end. Throws bad_input for what differs, with file and offset.
//
// One thread uses a cursor. Memory: buffers of 1 MB a file at most.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/ids.h"
#include "storage/evolving/durable/disk.h"
#include "storage/evolving/durable/disk_stream.h"
#include "storage/evolving/durable/pair_changes.h"
#include "storage/evolving/durable/run.h"
#include "storage/evolving/durable/run_files.h"
#include "storage/layout/pieces.h"

namespace outcore::evolving {

class RunCursor {
 public:
  // Is at the first list.
  RunCursor(Disk& disk, const Run& run, Direction direction);

  // The vertex of the list; kNoVertex behind the last one.
  [[nodiscard]] VertexId vertex() const { return std::min(tombstone_vertex(), list_); }
  // Edges that the list adds; they begin at this slot of the direction.
  [[nodiscard]] std::uint64_t degree() const { return list_ == vertex() ? degree_ : 0; }
  [[nodiscard]] std::uint64_t position() const { return position_; }
  // Slots of the list in hand, to the end of its last piece; 0 in the oldest of coded runs, where
  // it is not known. Is it coded?
  [[nodiscard]] std::uint64_t slots() const { return list_slots_; }
  [[nodiscard]] bool list_is_coded() const { return list_is_coded_; }
  // What it removes from older runs, by ascending neighbours.
  [[nodiscard]] std::span<const PairChange> removals() const {
    if (removals_of_ != vertex()) return {};
    return removals_;
  }
  // The edges that it adds, by ascending neighbours. Reads their blocks.
  std::span<const PairChange> additions();
  // Goes on to the next list.
  void next();

 private:
  RunCursor(Disk& disk, const Run& run, const std::string& prefix, const nlohmann::json& files);
  [[nodiscard]] VertexId tombstone_vertex() const {
    return removals_.empty() ? kNoVertex : removals_of_;
  }
  void next_removals();
  void next_list();
  void next_in_lengths_index();
  void next_in_packed_index();
  std::uint64_t get_varint();
  // Of a newer run that is coded: where the list in hand begins and ends, if the one before ended
  // at `end`.
  void place_list(std::uint64_t end);
  void read_plain();
  void read_coded();
  void add(VertexId neighbour);
  void go_to(std::uint64_t slot);
  [[noreturn]] void refuse_list() const;

  const bool is_coded_;
  const unsigned id_bytes_;    // of plain ids
  const std::uint64_t slots_;  // of a block
  const PieceFormat format_;
  DiskReader blocks_;
  DiskReader sums_;
  DiskReader index_;
  std::optional<DiskReader> long_;  // of a run that is a layout
  DiskReader tombstones_;
  std::vector<PairChange> removals_;
  VertexId removals_of_ = kNoVertex;
  Tombstone ahead_;  // the first one behind removals_
  VertexId list_ = kNoVertex;
  std::uint64_t degree_ = 0;  // of that list
  bool list_is_coded_ = false;
  std::uint64_t position_ = 0;     // of its first slot
  std::uint64_t list_slots_ = 0;   // to its end
  VertexId vertices_ = 0;          // that the index has been read of
  std::vector<std::byte> block_;   // and what decoders read behind it
  std::uint64_t blocks_read_ = 0;  // block_ is the last of them
  std::vector<VertexId> decoded_;
  std::vector<PairChange> additions_;
};

}  // namespace outcore::evolving
