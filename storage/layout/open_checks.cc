// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/open_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "storage/io/door.h"
#include "storage/layout/packs/chunks.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

class IndexCheck {
 public:
  IndexCheck(const ListIndex::Parts& parts, VertexId id_space, std::uint64_t slots, fs::path path)
      : parts_(parts), id_space_(id_space), slots_(slots), path_(std::move(path)) {}

  void run() const {
    if (parts_.form == IndexForm::mini_data) {
      mini_data();
    } else if (parts_.form == IndexForm::lengths) {
      lengths();
    } else {
      for (VertexId id = 0; id < parts_.listed(); ++id) entry(id);
    }
  }

 private:
  void entry(VertexId id) const {
    const bool packed = parts_.form == IndexForm::packed;
    const std::size_t words = packed ? 2 : ListIndex::entry_words(parts_.inline_edges);
    std::uint64_t position = 0;
    std::uint64_t degree = 0;
    bool is_long = false;
    if (packed) {
      position = parts_.entries[id] & ListIndex::kPositionMask;
      degree = parts_.entries[id] >> ListIndex::kPositionBits;
      is_long = degree == ListIndex::kLongDegree;
    } else {
      degree = parts_.degrees[id];
      if (degree <= parts_.inline_edges) return;
      const std::uint32_t* const at = &parts_.words[id * words];
      position = (at[0] | std::uint64_t{at[1]} << 32) & ~ListIndex::kFlag;
      is_long = (std::uint64_t{at[1]} << 32 & ListIndex::kFlag) != 0;
    }
    if (degree == 0) return;
    std::uint64_t slots = parts_.encoded ? 1 : degree;
    if (is_long) {
      const auto list = parts_.longs.find(id);
      const bool known =
          list != parts_.longs.end() &&
          (packed ? list->second.degree > 0 : list->second.degree == degree) &&
          (parts_.encoded ? list->second.slots > 0 : list->second.slots == list->second.degree);
      if (!known) no_record(id, id * words * sizeof(std::uint32_t));
      slots = list->second.slots;
    }
    in_blocks(id, position, slots, id * words * sizeof(std::uint32_t));
  }

  void lengths() const {
    std::uint64_t position = 0;
    for (VertexId id = 0; id < parts_.listed(); ++id) {
      std::uint64_t length = parts_.running.entry(id);
      if (length == RunningPositions::kLong) {
        const auto list = parts_.longs.find(id);
        if (list == parts_.longs.end() || list->second.degree < length ||
            list->second.slots != list->second.degree) {
          no_record(id, id * sizeof(std::uint16_t));
        }
        length = list->second.degree;
      }
      in_blocks(id, position, length, id * sizeof(std::uint16_t));
      position += length;
    }
  }

  void in_blocks(VertexId id, std::uint64_t position, std::uint64_t slots,
                 std::uint64_t offset) const {
    if (position <= slots_ && slots <= slots_ - position) return;
    broken(offset, fmt::format("list {}: {} slots from slot {}", id, slots, position),
           fmt::format("{} slots at most", slots_));
  }
  [[noreturn]] void no_record(VertexId id, std::uint64_t offset) const {
    broken(offset, fmt::format("list {}, a long one", id), "its record among long lists");
  }

  void mini_data() const {
    const std::vector<VertexId>& theta = parts_.theta;
    std::uint64_t edges = 0;
    for (std::size_t d = theta.size(); d-- > 1;) {
      if (theta[d] > theta[d - 1]) broken_theta(d);
      edges += std::uint64_t{theta[d - 1] - theta[d]} * d;
    }
    if (theta.front() > id_space_ || edges != parts_.mini.size()) broken_theta(0);
  }

  [[noreturn]] void broken_theta(std::size_t degree) const {
    throw bad_input(Place::file(path_.parent_path() / "layout.json"),
                    fmt::format("theta {} for degree {}", parts_.theta[degree], degree),
                    "ids that descend by degree, as many as there are lists", kBuildAgain);
  }
  [[noreturn]] void broken(std::uint64_t offset, const std::string& found,
                           const std::string& expected) const {
    throw bad_input(Place::offset(path_, offset), found, expected, kBuildAgain);
  }

  const ListIndex::Parts& parts_;
  VertexId id_space_;
  std::uint64_t slots_;
  fs::path path_;
};

}  // namespace

void check_index(const ListIndex::Parts& parts, VertexId id_space, std::uint64_t slots,
                 const fs::path& folder, const std::string& prefix) {
  IndexCheck(parts, id_space, slots, folder / (prefix + ".index")).run();
}

void PositionCheck::finish(const fs::path& path) const {
  if (!broken_end_) return;
  const std::uint64_t id = added_ == 0 ? 0 : added_ - 1;
  throw bad_input(Place::file(path),
                  fmt::format("list {} in slots {} to {}", id, begin_, *broken_end_),
                  fmt::format("more than {} of {} slots", inline_edges_, slots_), kBuildAgain);
}

void check_originals(const OriginalIds& original, VertexId vertices, const fs::path& path) {
  std::vector<bool> named(vertices);
  VertexId real = 0;
  for (VertexId id = 0; id < original.size(); ++id) {
    const VertexId vertex = original[id];
    if (vertex == kNoVertex) continue;
    if (vertex >= vertices || named[vertex]) {
      throw bad_input(Place::file(path), fmt::format("vertex {} for id {}", vertex, id),
                      fmt::format("each of {} vertices once", vertices), kBuildAgain);
    }
    named[vertex] = true;
    ++real;
  }
  if (real != vertices) {
    throw bad_input(Place::file(path), fmt::format("{} vertices", real),
                    fmt::format("{}", vertices), kBuildAgain);
  }
}

void check_levels(std::span<const ChunkLevel> levels, const LayoutChoices& choices,
                  std::uint64_t blocks, const fs::path& path) {
  std::vector<std::uint64_t> chunk_bytes;
  if (choices.pack == "chunks") {
    for (const LevelSize& level : chunk_levels(choices.pack_parameters)) {
      chunk_bytes.push_back(level.chunk_bytes);
    }
    chunk_bytes.push_back(0);  // super lists
  }
  BlockId next = 0;
  bool good = levels.size() == chunk_bytes.size();
  for (std::size_t l = 0; good && l < levels.size(); ++l) {
    good = levels[l].chunk_bytes == chunk_bytes[l] && levels[l].first_block >= next &&
           levels[l].end_block >= levels[l].first_block;
    next = levels[l].end_block;
  }
  if (good && (levels.empty() || next == blocks)) return;
  throw bad_input(Place::file(path), "levels of other chunks",
                  fmt::format("those of --pack {} in {} blocks", choices.pack, blocks),
                  kBuildAgain);
}

}  // namespace outcore
