// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/hash.h"
#include "common/progress.h"
#include "storage/container/container.h"
#include "storage/container/hashed_file.h"
#include "storage/layout/edges/edge_layout.h"
#include "storage/layout/layout.h"
#include "storage/layout/manifest.h"
#include "storage/layout/mapped_blocks.h"
#include "storage/layout/order_table.h"
#include "storage/layout/packs/chunks.h"
#include "storage/layout/parts.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

// Checks one direction of a layout against the CSR from which it was made.
class DirectionCheck {
 public:
  DirectionCheck(const Layout& layout, const NumberedGraph& graph, Direction direction)
      : layout_(layout),
        graph_(graph),
        index_(layout.index(direction)),
        heads_(layout.heads(direction)),
        levels_(direction == Direction::out ? layout.facts().out_levels : layout.facts().in_levels),
        file_(layout.block_files()[layout.file(direction)]),
        mapped_(map_blocks(file_)),
        bytes_(mapped_.as<std::byte>()),
        slot_bytes_(layout.pieces().slot_bytes()),
        used_(bytes_.size() / slot_bytes_, false),
        lists_(file_.blocks(), 0),
        ids_(layout.pieces().most_edges()),
        weights_(layout.pieces().most_edges()) {
    if (!levels_.empty()) level_sizes_ = chunk_levels(layout.choices().pack_parameters);
    if (bytes_.empty()) return;
    const auto last = bytes_.last(file_.block_bytes);
    last_block_.assign(last.begin(), last.end());
    last_block_.resize(last.size() + kReadAhead);
  }

  void run() {
    sums();
    if (layout_.facts().edges != graph_.csr.edges() ||
        layout_.facts().vertices != graph_.vertices()) {
      throw bad_input(
          Place::file(layout_.folder() / "layout.json"), "facts of another graph",
          fmt::format("{} vertices and {} edges", graph_.vertices(), graph_.csr.edges()),
          kBuildAgain);
    }
    Progress progress("checking lists", graph_.csr.edges(), "edges");
    for (VertexId id = 0; id < layout_.facts().id_space; ++id) {
      list(id);
      progress.add(index_.degree(id));
    }
    free_slots();
  }
  [[nodiscard]] std::uint64_t longest_list() const { return longest_list_; }
  [[nodiscard]] EdgeIndex inline_edges() const { return inline_edges_; }
  [[nodiscard]] std::uint64_t most_lists_in_a_block() const {
    return lists_.empty() ? 0 : *std::max_element(lists_.begin(), lists_.end());
  }

 private:
  void sums() const {
    for (BlockId block = 0; block < file_.blocks(); ++block) {
      const auto bytes = bytes_.subspan(block * file_.block_bytes, file_.block_bytes);
      if (checksum32(bytes) == file_.sums[block]) continue;
      throw bad_input(file_.place_of(block),
                      fmt::format("block checksum {:08x}", checksum32(bytes)),
                      fmt::format("{:08x}", file_.sums[block]), kBuildAgain);
    }
  }

  void list(VertexId id) {
    const std::uint64_t degree = index_.degree(id);
    expect(id, "edges", degree, graph_.degree(id));
    longest_list_ = std::max(longest_list_, degree);
    const WeightedList expected =
        graph_.weighted_list(id, weights_choice(layout_.choices().weights), buffer_);
    check_heads(id, expected.ids);
    if (degree == 0) return;
    if (index_.is_inline(degree)) {
      inline_edges_ += degree;
      const InlineList found = index_.inline_list(id);
      if (!same({.count = static_cast<std::uint32_t>(degree),
                 .ids = found.ids,
                 .weights = found.weights},
                expected, 0)) {
        throw bad_input(Place::file(layout_.folder()), fmt::format("list {} in the index", id),
                        "the canonical list", kBuildAgain);
      }
      return;
    }
    in_blocks(id, index_.address(id), expected);
  }

  void in_blocks(VertexId id, const ListAddress& address, const WeightedList& expected) {
    if (address.position + address.slots > used_.size()) {
      expect(id, "last slot", address.position + address.slots - 1, used_.size() - 1);
    }
    const BlockId first = index_.first_block(address);
    const BlockId last = index_.last_block(address);
    if (!layout_.facts().straddling && first != last &&
        (address.position % index_.slots_per_block() != 0 ||
         layout_.pieces().slots(expected.ids) <= index_.slots_per_block())) {
      throw at(address.position, fmt::format("list {} cut by a block border", id),
               "a list within one block, or a long one that starts at a block");
    }
    std::uint64_t seen = 0;
    std::uint64_t end = address.position;
    for (BlockId block = first; block <= last; ++block) {
      ++lists_[block];
      const BlockPart part = index_.part(address, block);
      const std::uint64_t slot = block * index_.slots_per_block() + part.slot;
      const DecodedPiece piece = read(part, slot, id);
      end = slot + piece.bytes / slot_bytes_;
      use(slot, end, id);
      if (piece.first != seen || !same(piece, expected, seen))
        wrong(piece, expected, seen, slot, id);
      seen += piece.count;
    }
    expect(id, "edges in blocks", seen, address.degree);
    if (!levels_.empty()) in_chunk(id, layout_.pieces().slots(expected.ids), address.position, end);
  }

  // A list of `length` slots must lie in one chunk of the first level that takes it, or be a super
  // list and begin at a block.
  void in_chunk(VertexId id, std::uint64_t length, std::uint64_t begin, std::uint64_t end) const {
    std::size_t l = 0;
    while (l < level_sizes_.size() && length * slot_bytes_ > level_sizes_[l].longest_bytes) ++l;
    const std::uint64_t block = index_.slots_per_block();
    const std::uint64_t chunk = levels_[l].chunk_bytes / slot_bytes_;
    if (begin >= levels_[l].first_block * block && end <= levels_[l].end_block * block &&
        (chunk == 0 ? begin % block == 0 : begin / chunk == (end - 1) / chunk)) {
      return;
    }
    throw at(begin, fmt::format("list {} in slots {} to {}", id, begin, end),
             chunk == 0 ? "a super list, which begins at a block after the chunks"
                        : fmt::format("one chunk of level {}", l));
  }

  DecodedPiece read(const BlockPart& part, std::uint64_t slot, VertexId id) {
    const std::byte* data = part.block + 1 == file_.blocks()
                                ? last_block_.data()
                                : bytes_.data() + part.block * file_.block_bytes;
    if (layout_.pieces().encoded() &&
        layout_.pieces().checked_bytes({data + part.slot, data + file_.block_bytes}) == 0) {
      throw at(slot, fmt::format("list {}: bytes that are not a piece", id), "a piece of a list");
    }
    return layout_.pieces().read(part, data, {ids_.data(), weights_.data()});
  }

  void use(std::uint64_t slot, std::uint64_t end, VertexId id) {
    for (; slot < end; ++slot) {
      if (used_[slot]) throw at(slot, fmt::format("list {} over another", id), "a slot of its own");
      used_[slot] = true;
    }
  }

  static bool same(const DecodedPiece& piece, const WeightedList& list, std::uint64_t first) {
    return first + piece.count <= list.ids.size() &&
           std::equal(piece.ids, piece.ids + piece.count, list.ids.begin() + offset(first)) &&
           (list.weights.empty() || std::equal(piece.weights, piece.weights + piece.count,
                                               list.weights.begin() + offset(first)));
  }
  static std::ptrdiff_t offset(std::uint64_t i) { return static_cast<std::ptrdiff_t>(i); }

  [[noreturn]] void wrong(const DecodedPiece& piece, const WeightedList& list, std::uint64_t first,
                          std::uint64_t slot, VertexId id) const {
    for (std::uint32_t i = 0; i < piece.count && first + i < list.ids.size(); ++i) {
      if (piece.ids[i] == list.ids[first + i]) continue;
      throw at(layout_.pieces().encoded() ? slot : slot + i,
               fmt::format("target {} in list {}", piece.ids[i], id),
               fmt::format("{}", list.ids[first + i]));
    }
    throw at(
        slot, fmt::format("list {}: {} edges from edge {} on", id, piece.count, piece.first),
        fmt::format("its edges from {} on, of {}, with their weights", first, list.ids.size()));
  }

  void check_heads(VertexId id, std::span<const VertexId> list) const {
    const std::size_t count = id < index_.listed() ? layout_.choices().heads : 0;
    for (std::size_t i = 0; i < count; ++i) {
      const VertexId expected = i < list.size() ? list[i] : kNoVertex;
      if (heads_[id * count + i] == expected) continue;
      throw bad_input(Place::file(layout_.folder()),
                      fmt::format("head {} of vertex {} is {}", i, id, heads_[id * count + i]),
                      fmt::format("{}", expected), kBuildAgain);
    }
  }

  void free_slots() const {
    for (std::uint64_t slot = 0; slot < used_.size(); ++slot) {
      if (used_[slot]) continue;
      for (const std::byte byte : bytes_.subspan(slot * slot_bytes_, slot_bytes_)) {
        if (byte == std::byte{0xff}) continue;
        throw at(slot, fmt::format("byte {:02x} in no list", std::to_integer<unsigned>(byte)),
                 "a free slot");
      }
    }
  }

  void expect(VertexId id, const char* what, std::uint64_t found, std::uint64_t expected) const {
    if (found == expected) return;
    throw bad_input(Place::file(layout_.folder()), fmt::format("{} {} of list {}", found, what, id),
                    fmt::format("{}", expected), kBuildAgain);
  }
  [[nodiscard]] Error at(std::uint64_t slot, const std::string& found,
                         const std::string& expected) const {
    return bad_input(Place::offset(file_.path, slot * slot_bytes_), found, expected, kBuildAgain);
  }

  const Layout& layout_;
  const NumberedGraph& graph_;
  const ListIndex& index_;
  std::span<const VertexId> heads_;
  const std::vector<ChunkLevel>& levels_;  // as level_sizes_; then super lists
  std::vector<LevelSize> level_sizes_;
  const BlockFile& file_;
  MappedFile mapped_;
  std::span<const std::byte> bytes_;
  std::vector<std::byte> last_block_;  // padded for decoders
  std::uint64_t slot_bytes_;
  std::vector<bool> used_;            // by slot
  std::vector<std::uint32_t> lists_;  // by block: lists that begin or continue in it
  std::vector<VertexId> ids_;
  std::vector<float> weights_;
  ListBuffer buffer_;
  std::uint64_t longest_list_ = 0;
  EdgeIndex inline_edges_ = 0;
};

// Checks every list, and the facts by which engines size themselves.
void check_lists(const Layout& layout, Container& container) {
  const LayoutFacts& facts = layout.facts();
  std::uint64_t longest_list = 0;
  std::uint64_t most_lists = 0;
  EdgeIndex inline_edges = 0;
  const std::vector<VertexId> original = layout.original_table();
  const std::vector<VertexId> layout_of = inverse_of(original, facts.vertices);
  for (const Direction direction : {Direction::out, Direction::in}) {
    if (direction == Direction::in && facts.symmetric) continue;
    const CsrView csr = container.csr(direction);
    const NumberedGraph graph{csr, csr, original, layout_of};
    DirectionCheck check(layout, graph, direction);
    check.run();
    longest_list = std::max(longest_list, check.longest_list());
    most_lists = std::max(most_lists, check.most_lists_in_a_block());
    inline_edges += check.inline_edges();
    if (!facts.out_levels.empty()) check_order_table(layout, direction);
  }
  const auto expect = [&](const char* fact, std::uint64_t found, std::uint64_t expected) {
    if (found == expected) return;
    throw bad_input(Place::file(layout.folder() / "layout.json"), fmt::format("{} {}", fact, found),
                    fmt::format("{}", expected), kBuildAgain);
  };
  expect("longest_list", facts.longest_list, longest_list);
  expect("most_vertices_in_a_block", facts.most_vertices_in_a_block, most_lists);
  expect("inline_edges", facts.inline_edges, inline_edges);
  expect("blocks", facts.blocks, layout.block_files().front().blocks());
}

// Says how lists are cut.
const char* cuts(const LayoutFacts& facts) {
  if (!facts.out_levels.empty()) return "each in one chunk of its level, or super";
  return facts.straddling ? "cut where blocks end" : "cut only when longer than a block";
}

}  // namespace

std::vector<std::string> check_layout(const fs::path& folder) {
  if (holds_edges(folder)) return check_edge_layout(folder);
  const Layout layout(folder);
  Container container(fs::absolute(folder).lexically_normal().parent_path().parent_path());
  const std::string name = folder.filename().string();
  std::vector<std::string> held;
  held.push_back(fmt::format("layout {}: sizes and checksums of index, sums and ids", name));
  check_lists(layout, container);
  for (const std::string& file : file_names(layout.manifest(), folder / "layout.json")) {
    check_file_hash(folder / file, file_entry(layout.manifest(), file, folder / "layout.json"));
  }
  check_seal(layout.manifest(), folder / "layout.json");
  held.push_back(fmt::format("layout {}: every block against its checksum", name));
  held.push_back(fmt::format("layout {}: every list against the canonical one", name));
  held.push_back(fmt::format("layout {}: lists apart from each other, {}, other slots free", name,
                             cuts(layout.facts())));
  return held;
}

}  // namespace outcore
