// SPDX-License-Identifier: Apache-2.0
// The lists of a durable store where they lie, for queries that read them from the disk: of each
// run an index in memory and its files of blocks, and what only the log has in memory.
//
// A list has a part in each run that adds to it. What was removed stays in the blocks: opening
// finds out once which copies are gone, and keeps a bit for each slot of a run that has such. It
// goes through the runs side by side, vertex by vertex, with the newest first, as removals act
// (standing_edges.h). Of the blocks it reads those of lists from which something was removed. So
// degrees count what stands before a list is read for a query.
//
// The index of a run knows where lists begin, from how many slots lie between. In a coded run
// (durable/run.h) these are bytes, with those that are free behind a list. So of the lists of a
// newer one a byte more is kept: whether it is coded, and how many bytes behind it are free.
//
// Memory: an index of 2.5 bytes a vertex for the degrees and for the oldest run, 2.5 bytes a list
// and 0.2 a vertex for other runs (3.5 and 0.4 if they are coded), checksums, 4 bytes an addition
// of the log, and 1/32 of a run from which something was removed (1/8 of a coded one); each for
// both directions. While opening also 24 bytes an update of the log and 5 MB a run.
//
// Nothing is written. Threads: any number read.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "common/bitmap.h"
#include "storage/evolving/durable/stored_ids.h"
#include "storage/layout/layout.h"
#include "storage/layout/pieces.h"
#include "storage/layout/ranked_ids.h"

namespace outcore::evolving {

// What a block has of a list.
struct StandingIds {
  std::span<const VertexId> ids;  // that stand
  std::uint32_t bytes = 0;        // of the block, with those of ids that are gone
};

// The lists of one direction that a run adds to, with what is gone of them.
struct StoredRun {
  ListIndex index;         // of all that the run adds: where lists are, not how long
  std::uint32_t file = 0;  // in StoredLists::lists().block_files()
  BlockId first = 0;       // blocks of the direction's older runs
  BlockId blocks = 0;
  // By the slot where its list begins, and the number of the edge within the list: a later update
  // removed this copy. Empty if there are none.
  Bitmap gone;
  unsigned id_bytes = sizeof(VertexId);
  bool is_coded = false;
  PieceFormat format;  // of a coded run
  // Of the lists of a coded run that has plain ones too, which is none but the oldest.
  RankedIds listed;
  std::vector<std::uint8_t> ends;  // kPlain, and the free bytes behind the list
  static constexpr std::uint8_t kPlain = 128;

  // Of v's list, which is at `list`, in the block at `block`: there, or in `room` if ids are gone,
  // coded or of 3 bytes. It must be large enough for all: most_ids() for a block. Coded ones need
  // kReadAhead bytes behind the block.
  [[nodiscard]] StandingIds standing(VertexId v, const ListAddress& list, const BlockPart& part,
                                     const std::byte* block, VertexId* room) const {
    if (is_coded) return of_coded_run(v, list, part, block, room);
    const std::uint64_t slot = list.position + part.first;
    const std::uint32_t bytes = part.slots * id_bytes;
    if (id_bytes == 3) {
      return {widened<3>(block + std::size_t{part.slot} * 3, part.slots, slot, room), bytes};
    }
    const std::span<const VertexId> ids(reinterpret_cast<const VertexId*>(block) + part.slot,
                                        part.slots);
    if (!any_gone(slot, ids.size())) return {ids, bytes};
    return {without_gone(ids, slot, room), bytes};
  }

 private:
  [[nodiscard]] bool any_gone(std::uint64_t slot, std::uint64_t count) const {
    return gone.size() > 0 && gone.any(slot, slot + count);
  }
  // `slot` is that of the first.
  [[nodiscard]] std::span<const VertexId> without_gone(std::span<const VertexId> ids,
                                                       std::uint64_t slot, VertexId* room) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      room[count] = ids[i];
      count += gone.get(slot + i) ? 0 : 1;
    }
    return {room, count};
  }
  template <unsigned kBytes>
  [[nodiscard]] std::span<const VertexId> widened(const std::byte* from, std::uint32_t ids,
                                                  std::uint64_t slot, VertexId* room) const {
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < ids; ++i) {
      room[count] = get_id<kBytes>(from + std::size_t{i} * kBytes);
      count += gone.size() > 0 && gone.get(slot + i) ? 0 : 1;
    }
    return {room, count};
  }
  [[nodiscard]] StandingIds of_coded_run(VertexId v, const ListAddress& list, const BlockPart& part,
                                         const std::byte* block, VertexId* room) const;
};

// Ids in a block of a run, at most, and the room that decoders need.
constexpr std::size_t most_ids(std::uint32_t block_bytes) { return block_bytes + kWriteAhead; }

// What the log adds to lists and does not take away again.
struct LoggedLists {
  std::vector<VertexId> vertices;        // ascending
  std::vector<std::uint64_t> starts{0};  // of their neighbours, and the end
  std::vector<VertexId> neighbours;

  // Of v; empty if the log adds nothing to its list.
  [[nodiscard]] std::span<const VertexId> find(VertexId v) const {
    const auto at = std::lower_bound(vertices.begin(), vertices.end(), v);
    if (at == vertices.end() || *at != v) return {};
    return list(static_cast<std::size_t>(at - vertices.begin()));
  }
  [[nodiscard]] std::span<const VertexId> list(std::size_t i) const {
    return std::span(neighbours).subspan(starts[i], starts[i + 1] - starts[i]);
  }
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return (vertices.size() + neighbours.size()) * sizeof(VertexId) +
           starts.size() * sizeof(std::uint64_t);
  }
};

class StoredLists {
 public:
  struct Side {
    std::vector<StoredRun> runs;  // the oldest first
    LoggedLists logged;
  };
  // What was found out on opening.
  struct Counts {
    std::uint64_t prefix = 0;           // updates
    std::uint64_t tombstones = 0;       // removals in runs, of copies in older ones
    std::uint64_t removals_missed = 0;  // of copies that did not exist
    // Lists from which something was removed, both directions.
    std::uint64_t resolved_lists = 0;
    std::uint64_t logged = 0;  // updates that only the log has
  };

  StoredLists(Layout lists, std::array<Side, 2> sides, const Counts& counts)
      : lists_(std::move(lists)), sides_(std::move(sides)), counts_(counts) {}

  // As engines of lists see them: degrees that count what stands, and the files of blocks. A list's
  // address is in none of them.
  [[nodiscard]] const Layout& lists() const { return lists_; }
  [[nodiscard]] const Side& side(Direction direction) const {
    return sides_[static_cast<unsigned>(direction)];
  }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  // The blocks of all runs, of one direction.
  [[nodiscard]] BlockId blocks(Direction direction) const;
  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  Layout lists_;
  std::array<Side, 2> sides_;
  Counts counts_;
};

// Opens the first `prefix` updates, or all. Throws bad_input for damage, and a usage Error for a
// prefix that the store cannot give (load_store.h).
StoredLists open_stored_lists(const std::filesystem::path& folder,
                              std::optional<std::uint64_t> prefix);

}  // namespace outcore::evolving
