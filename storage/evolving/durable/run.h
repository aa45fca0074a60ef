// SPDX-License-Identifier: Apache-2.0
// A run: what the updates (after, last] do, both directions, sorted by vertex and by neighbour. It
// is written once, from front to back, and never changed.
//
// Its folder has the files of a layout with pack `csr` (storage/layout/layout.h), and codec `raw`,
// whose lists are the additions, and beside them
//
//   out.tombstones   (u32 vertex, u32 neighbour, u32 count), ascending: so many copies that older
//                    runs have are gone
//   in.tombstones    the same for in-lists
//
// and in layout.json, under "updates", the range. The oldest run has no tombstones, for there is
// nothing that they could remove. So a store of one run is a layout, and opens as one.
//
// A newer run is never alone, and so it need not be a layout. Most vertices have no list in it, and
// 2 bytes for each of them would be much of what is written. Its indexes have the lists that there
// are, as varints of 7 bits, the lowest first: for each
//
//   gap * 4 + min(length, 4) - 1   how many vertices are between this list's and the one before
//   length - 4                     if the length is 4 or more
//
// It has no files .long. In a store with ids of 3 bytes its blocks have 1365 ids of 3 bytes. Free
// bytes are 0xff.
//
// A run may be *coded*: its lists are written in a codec of layouts (storage/layout/codec.h). A
// slot is a byte then. The oldest run is a layout of that codec. In a newer run, where most lists
// are short and few of their ids are near each other, only those lists are coded that are shorter
// in the codec; the others are plain ids, and none is cut by a block's end. Of lists of 4 edges or
// more the index says which:
//
//   (length - 4) * 2 + coded       in place of length - 4
//   slots                          if coded: to the end of the list, over all its blocks
//
// Coded lists consist of pieces (storage/layout/pieces.h). A list goes on at the beginning of the
// next block. It begins there too if it is coded and fewer than 16 bytes are left in its block, or
// plain and fewer than those of an id.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/ids.h"
#include "storage/evolving/durable/disk.h"
#include "storage/evolving/durable/pair_changes.h"

namespace outcore::evolving {

// The updates (after, last].
struct UpdateRange {
  std::uint64_t after = 0;
  std::uint64_t last = 0;
};

// As the store's manifest has it.
struct Run {
  std::string name;  // of its folder
  UpdateRange updates;
  [[nodiscard]] bool is_oldest() const { return updates.after == 0; }
  [[nodiscard]] bool is_coded() const { return codec != "raw"; }
  // Of an id that is not coded. The oldest run is a layout.
  [[nodiscard]] unsigned plain_id_bytes() const { return is_oldest() ? 4 : id_bytes; }
  [[nodiscard]] unsigned slot_bytes() const { return is_coded() ? 1 : plain_id_bytes(); }
  unsigned tier = 0;      // how often its edges were merged
  unsigned id_bytes = 4;  // of the store
  std::string codec = "raw";
  std::string seal;  // of its layout.json, which has the hashes of its files
};

struct WrittenRun {
  Run run;
  std::uint64_t bytes = 0;
  // Of the oldest run: removals of copies that were not there.
  std::uint64_t removals_missed = 0;
};

// The two directions of the same updates.
struct BothDirections {
  ChangeSource& out;
  ChangeSource& in;
};

// Writes and syncs a run and its folder, but not the folder around it. Ids are below `vertices`.
// If it throws, the folder holds what came so far: Error (interrupted) once `stopped` is true.
// REQUIRES: run.updates.after is 0 only if no run is older.
WrittenRun write_run(Disk& disk, Run run, VertexId vertices, BothDirections changes,
                     const std::atomic<bool>& stopped);

// Throws bad_input unless the run's layout.json is what the manifest says and its files have their
// sizes.
void check_run(Disk& disk, const Run& run);

// The changes of one direction from the list of `first` on; buffers of 1 MB at most. Blocks are
// compared with their checksums when they are read and the other files with their hashes when they
// end. Throws bad_input for what differs, with file and offset.
std::unique_ptr<ChangeSource> read_run(Disk& disk, const Run& run, Direction direction,
                                       VertexId first);

// Sources one behind the other, the oldest first, as one.
class MergedChanges final : public ChangeSource {
 public:
  explicit MergedChanges(std::vector<std::unique_ptr<ChangeSource>> sources);
  bool next(VertexId& vertex, std::vector<PairChange>& changes) override;

 private:
  struct Head {
    std::unique_ptr<ChangeSource> source;
    VertexId vertex = kNoVertex;
    std::vector<PairChange> changes;
    void advance();
  };
  // The changes of the heads at `vertex`, put together.
  void gather(VertexId vertex, std::vector<PairChange>& changes);

  std::vector<Head> heads_;
  std::vector<PairChange> merged_;
};

// How often each neighbour stands, from what sources do of which the first is the oldest.
class StandingCopies final : public ChangeSource {
 public:
  explicit StandingCopies(std::vector<std::unique_ptr<ChangeSource>> sources)
      : merged_(std::move(sources)) {}
  bool next(VertexId& vertex, std::vector<PairChange>& changes) override;
  // Removals of copies that were not there, in the lists that came.
  [[nodiscard]] std::uint64_t missed() const { return missed_; }

 private:
  MergedChanges merged_;
  std::uint64_t missed_ = 0;
};

// Removes a folder and the files in it.
void remove_folder(Disk& disk, const std::string& name);

}  // namespace outcore::evolving
