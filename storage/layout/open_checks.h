// SPDX-License-Identifier: Apache-2.0
// What is verified when a layout is opened: that nothing that follows its index, its table of ids
// or its levels leads outside the files. Checksums do not ensure that: they show that a file is as
// it was written, not who wrote it. The contents of blocks are checked by `outcore check`; reading
// a piece stays within its block whatever the bytes are (pieces.h).
// piece stays within its block whatever is there (pieces.h).
// All functions throw bad_input for the first broken place. They take one pass over what Layout has
// just read.
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

// Checks the lists of one direction, "out" or "in", whose blocks have `slots` slots in all: each
// must lie in them or in the index. In form mini-data it checks only lists in the index;
// PositionCheck checks the others.
void check_index(const ListIndex::Parts& parts, VertexId id_space, std::uint64_t slots,
                 const std::filesystem::path& folder, const std::string& prefix);

// Checks the positions of form mini-data in the order of the file: they must ascend, so that a list
// ends where the next one begins; and lists in blocks must be longer than those in the index,
// because readers distinguish them by that.
class PositionCheck {
 public:
  PositionCheck(unsigned inline_edges, std::uint64_t slots)
      : inline_edges_(inline_edges), slots_(slots) {}

  // False from the first broken position on. Here, because it is called for each id of a layout.
  bool add(std::uint64_t position, bool is_virtual) {
    if (broken_end_) return false;
    const bool in_blocks = begin_ <= position && position <= slots_;
    if (!in_blocks || (!is_virtual_ && position - begin_ <= inline_edges_)) {
      broken_end_ = position;
      return false;
    }
    begin_ = position;
    is_virtual_ = is_virtual;
    ++added_;
    return true;
  }
  // Would all of these hold, none of them virtual? Given modulo 2^32, with the low half of the
  // position before them and the whole last one. False where they pass 2^32. Written so that the
  // compiler takes several at once.
  [[nodiscard]] bool all_hold(std::span<const std::uint32_t> words, std::uint32_t before,
                              std::uint64_t last) const {
    if (broken_end_ || last > slots_ || words.front() < before) return false;
    if (!is_virtual_ && words.front() - before <= inline_edges_) return false;
    bool hold = true;
    for (std::size_t i = 1; i < words.size(); ++i) {
      hold = hold & (words[i] > words[i - 1]) & (words[i] - words[i - 1] > inline_edges_);
    }
    return hold;
  }
  // They do.
  void skip(std::size_t lists, std::uint64_t last) {
    begin_ = last;
    is_virtual_ = false;
    added_ += lists;
  }
  // Throws bad_input for the first broken position, in the file at `path`.
  void finish(const std::filesystem::path& path) const;

 private:
  unsigned inline_edges_;
  std::uint64_t slots_;
  std::uint64_t added_ = 0;
  std::uint64_t begin_ = 0;  // of the list that was added last
  bool is_virtual_ = true;
  std::optional<std::uint64_t> broken_end_;  // the end of that list
};

// The table at `path` must name each of `vertices` vertices once.
void check_originals(const OriginalIds& original, VertexId vertices,
                     const std::filesystem::path& path);

// Checks that the levels of a direction with `blocks` blocks are those of the pack's parameters, in
// sequence.
void check_levels(std::span<const ChunkLevel> levels, const LayoutChoices& choices,
                  std::uint64_t blocks, const std::filesystem::path& path);

}  // namespace outcore
