// SPDX-License-Identifier: Apache-2.0
// What is made sure of when a layout is opened: that nothing which follows its index, its table of
// ids or its levels leaves the files. Checksums do not see to that: they say that a file is as it
// was written, not who wrote it. What stands in the blocks is `outcore check`'s to say; reading a
// piece stays within its block whatever is there (pieces.h).
//
// All throw bad_input that names the first broken place. They cost a pass over what Layout has just
// read.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "storage/layout/choices.h"
#include "storage/layout/list_index.h"
#include "storage/layout/original_ids.h"

namespace outcore {

// Lists of one direction, "out" or "in", whose blocks have so many `slots`: each lies in them, or
// in the index. Of form mini-data those in the index; the others are PositionCheck's.
void check_index(const ListIndex::Parts& parts, VertexId id_space, std::uint64_t slots,
                 const std::filesystem::path& folder, const std::string& prefix);

// Positions of form mini-data, one after the other as they stand in the file: they ascend, so that
// lists end where the next one begins; and lists in blocks are longer than those in the index, by
// which readers tell them apart.
class PositionCheck {
 public:
  PositionCheck(unsigned inline_edges, std::uint64_t slots)
      : inline_edges_(inline_edges), slots_(slots) {}

  // False from the first on that is not as it should be.
  bool add(std::uint64_t position, bool is_virtual);
  // Throws bad_input for the first such one, in the file at `path`.
  void finish(const std::filesystem::path& path) const;

 private:
  unsigned inline_edges_;
  std::uint64_t slots_;
  std::uint64_t added_ = 0;
  std::uint64_t begin_ = 0;  // of the list that was added last
  bool is_virtual_ = true;
  std::optional<std::uint64_t> broken_end_;  // of that list
};

// The table at `path` names each of so many vertices once.
void check_originals(const OriginalIds& original, VertexId vertices,
                     const std::filesystem::path& path);

// The levels of a direction of so many blocks: those of the pack's parameters, one behind the
// other.
void check_levels(std::span<const ChunkLevel> levels, const LayoutChoices& choices,
                  std::uint64_t blocks, const std::filesystem::path& path);

}  // namespace outcore
