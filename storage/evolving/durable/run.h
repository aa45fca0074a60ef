// SPDX-License-Identifier: Apache-2.0
// A run: what the updates (after, last] do, both directions, sorted by vertex and by neighbour. It
// is written once, from front to back, and never changed.
//
// Its folder has the files of a layout with pack `csr` and codec `raw` (storage/layout/layout.h),
// whose lists are the additions, and beside them
//
//   out.tombstones   (u32 vertex, u32 neighbour, u32 count), ascending: so many copies that older
//                    runs have are gone
//   in.tombstones    the same for in-lists
//
// and in layout.json, under "updates", the range. The oldest run has no tombstones, for there is
// nothing that they could remove. So a store of one run is a layout, and opens as one.
#pragma once

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
  unsigned tier = 0;  // how often its edges were merged
  std::string seal;   // of its layout.json, which has the hashes of its files
};

struct WrittenRun {
  Run run;
  std::uint64_t bytes = 0;
  // Of the oldest run: removals of copies that were not there.
  std::uint64_t removals_missed = 0;
};

// Writes and syncs a run and its folder, but not the folder around it. `out` and `in` are the two
// directions of the same updates. If it throws, the folder holds what came so far.
// REQUIRES: run.updates.after is 0 only if no run is older.
WrittenRun write_run(Disk& disk, Run run, VertexId vertices, ChangeSource& out, ChangeSource& in);

// Throws bad_input unless the run's layout.json is what the manifest says and its files have their
// sizes.
void check_run(Disk& disk, const Run& run);

// The changes of one direction, in sequence; buffers of 1 MB at most. Blocks are compared with
// their checksums when they are read and the other files with their hashes when they end. Throws
// bad_input for what differs, with file and offset.
std::unique_ptr<ChangeSource> read_run(Disk& disk, const Run& run, Direction direction);

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

// Removes a folder and the files in it.
void remove_folder(Disk& disk, const std::string& name);

}  // namespace outcore::evolving
