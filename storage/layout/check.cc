// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/hash.h"
#include "common/progress.h"
#include "storage/container/container.h"
#include "storage/container/hashed_file.h"
#include "storage/container/mapped_file.h"
#include "storage/layout/layout.h"
#include "storage/layout/parts.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

constexpr const char* kAdvice = "build the layout again";

// Checks one direction of a layout against the CSR it was made from.
class DirectionCheck {
 public:
  DirectionCheck(const Layout& layout, const CsrView& csr, Direction direction)
      : layout_(layout),
        csr_(csr),
        index_(layout.index(direction)),
        file_(layout.block_files()[layout.file(direction)]),
        mapped_(file_.path),
        slots_(mapped_.as<std::uint32_t>()),
        used_(slots_.size(), false),
        lists_(file_.blocks(), 0) {}

  void run() {
    sums();
    if (layout_.facts().edges != csr_.edges() || layout_.facts().vertices != csr_.vertices()) {
      throw bad_input(Place::file(layout_.folder() / "layout.json"), "facts of another graph",
                      fmt::format("{} vertices and {} edges", csr_.vertices(), csr_.edges()),
                      kAdvice);
    }
    Progress progress("checking lists", csr_.edges(), "edges");
    for (VertexId id = 0; id < layout_.facts().id_space; ++id) {
      list(id);
      progress.add(index_.degree(id));
    }
    free_slots();
  }
  [[nodiscard]] std::uint64_t longest_list() const { return longest_list_; }
  [[nodiscard]] std::uint64_t most_lists_in_a_block() const {
    return lists_.empty() ? 0 : *std::max_element(lists_.begin(), lists_.end());
  }

 private:
  void sums() const {
    const std::uint32_t slots_per_block = index_.slots_per_block();
    for (BlockId block = 0; block < file_.blocks(); ++block) {
      const auto bytes = std::as_bytes(slots_.subspan(block * slots_per_block, slots_per_block));
      if (checksum32(bytes) == file_.sums[block]) continue;
      throw bad_input(Place::offset(file_.path, block * file_.block_bytes),
                      fmt::format("block checksum {:08x}", checksum32(bytes)),
                      fmt::format("{:08x}", file_.sums[block]), kAdvice);
    }
  }

  void list(VertexId id) {
    const ListAddress address = index_.address(id);
    if (!layout_.is_real(id)) return expect(id, "edges", address.degree, 0);
    const VertexId canonical = layout_.original(id);
    expect(id, "edges", address.degree, csr_.degree(canonical));
    if (address.degree == 0) return;
    if (address.position + address.degree > slots_.size()) {
      expect(id, "last slot", address.position + address.degree - 1, slots_.size() - 1);
    }
    longest_list_ = std::max(longest_list_, address.degree);
    for (BlockId b = index_.first_block(address); b <= index_.last_block(address); ++b) ++lists_[b];
    if (!layout_.facts().straddling) uncut(id, address);
    expected_.clear();
    for (const VertexId target : csr_.list(canonical)) {
      expected_.push_back(layout_.from_original(target));
    }
    std::sort(expected_.begin(), expected_.end());
    for (std::uint64_t i = 0; i < address.degree; ++i) {
      const std::uint64_t slot = address.position + i;
      if (used_[slot]) throw at(slot, fmt::format("list {} over another", id), "a slot of its own");
      used_[slot] = true;
      if (slots_[slot] == expected_[i]) continue;
      throw at(slot, fmt::format("target {} in list {}", slots_[slot], id),
               fmt::format("{}", expected_[i]));
    }
  }

  // Lists of up to a block lie in one block, longer ones start with a block.
  void uncut(VertexId id, const ListAddress& address) const {
    const bool fits = address.degree <= index_.slots_per_block();
    if (fits ? index_.first_block(address) == index_.last_block(address)
             : address.position % index_.slots_per_block() == 0) {
      return;
    }
    throw at(address.position, fmt::format("list {} cut by a block border", id),
             fits ? "a list within one block" : "a long list that starts with a block");
  }

  void free_slots() const {
    for (std::uint64_t slot = 0; slot < slots_.size(); ++slot) {
      if (used_[slot] || slots_[slot] == kNoVertex) continue;
      throw at(slot, fmt::format("{} in no list", slots_[slot]), "a free slot");
    }
  }

  void expect(VertexId id, const char* what, std::uint64_t found, std::uint64_t expected) const {
    if (found == expected) return;
    throw bad_input(Place::file(layout_.folder()), fmt::format("{} {} of list {}", found, what, id),
                    fmt::format("{}", expected), kAdvice);
  }
  [[nodiscard]] Error at(std::uint64_t slot, const std::string& found,
                         const std::string& expected) const {
    return bad_input(Place::offset(file_.path, slot * sizeof(std::uint32_t)), found, expected,
                     kAdvice);
  }

  const Layout& layout_;
  const CsrView& csr_;
  const ListIndex& index_;
  const BlockFile& file_;
  MappedFile mapped_;
  std::span<const std::uint32_t> slots_;
  std::vector<bool> used_;            // by slot
  std::vector<std::uint32_t> lists_;  // by block: lists that begin or go on in it
  std::uint64_t longest_list_ = 0;
  std::vector<VertexId> expected_;
};

void check_ids(const Layout& layout) {
  const LayoutFacts& facts = layout.facts();
  VertexId real = 0;
  for (VertexId id = 0; id < facts.id_space; ++id) {
    if (!layout.is_real(id)) continue;
    ++real;
    const VertexId canonical = layout.original(id);
    if (canonical < facts.vertices && layout.from_original(canonical) == id) continue;
    throw bad_input(Place::offset(layout.folder() / "original", id * sizeof(VertexId)),
                    fmt::format("vertex {}", canonical), "each vertex once", kAdvice);
  }
  if (real != facts.vertices) {
    throw bad_input(Place::file(layout.folder() / "original"), fmt::format("{} vertices", real),
                    fmt::format("{}", facts.vertices), kAdvice);
  }
}

// Every list, and the facts by which engines size themselves.
void check_lists(const Layout& layout, Container& container) {
  const LayoutFacts& facts = layout.facts();
  std::uint64_t longest_list = 0;
  std::uint64_t most_lists = 0;
  for (const Direction direction : {Direction::out, Direction::in}) {
    if (direction == Direction::in && facts.symmetric) continue;
    const CsrView csr = container.csr(direction);
    DirectionCheck check(layout, csr, direction);
    check.run();
    longest_list = std::max(longest_list, check.longest_list());
    most_lists = std::max(most_lists, check.most_lists_in_a_block());
  }
  const auto expect = [&](const char* fact, std::uint64_t found, std::uint64_t expected) {
    if (found == expected) return;
    throw bad_input(Place::file(layout.folder() / "layout.json"), fmt::format("{} {}", fact, found),
                    fmt::format("{}", expected), kAdvice);
  };
  expect("longest_list", facts.longest_list, longest_list);
  expect("most_vertices_in_a_block", facts.most_vertices_in_a_block, most_lists);
  expect("blocks", facts.blocks, layout.block_files().front().blocks());
}

}  // namespace

std::vector<std::string> check_layout(const fs::path& folder) {
  const Layout layout(folder);
  Container container(fs::absolute(folder).lexically_normal().parent_path().parent_path());
  const std::string name = folder.filename().string();
  std::vector<std::string> held;
  held.push_back(fmt::format("layout {}: sizes and checksums of index, sums and ids", name));
  check_ids(layout);
  check_lists(layout, container);
  for (const auto& [file, entry] : layout.manifest().at("files").items()) {
    check_file_hash(folder / file, entry);
  }
  held.push_back(fmt::format("layout {}: every block against its checksum", name));
  held.push_back(fmt::format("layout {}: every list against the canonical one", name));
  held.push_back(fmt::format(
      "layout {}: lists apart from each other, {}, other slots free", name,
      layout.facts().straddling ? "cut where blocks end" : "cut only when longer than a block"));
  return held;
}

}  // namespace outcore
