// SPDX-License-Identifier: Apache-2.0
// The parts that a layout is made of, each an independent choice (docs/architecture.md). To add
// one: write its file in numbers/, places/, packs/ or codecs/, declare its function there below,
// and give it a line in parts.cc. What a part decides:
//
//   number   the id that a vertex has inside the layout
//   place    the order in which lists are handed to the packer
//   pack     where each list lies in the row of blocks
//   codec    how the part of a list that lies in one block is written
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "storage/container/container.h"
#include "storage/layout/layout.h"

namespace outcore {

// The graph as the layout numbers it.
struct NumberedGraph {
  CsrView csr;
  CsrView reverse;                     // the other direction's lists; of a symmetric graph the same
  std::span<const VertexId> original;  // canonical vertex of each layout id; empty: the same
  std::span<const VertexId> layout_of;  // and back

  [[nodiscard]] VertexId vertices() const { return csr.vertices(); }
  [[nodiscard]] VertexId canonical(VertexId id) const {
    return original.empty() ? id : original[id];
  }
  [[nodiscard]] std::uint64_t degree(VertexId id) const { return csr.degree(canonical(id)); }
  [[nodiscard]] std::uint64_t reverse_degree(VertexId id) const {
    return reverse.degree(canonical(id));
  }
  // The list of `id` in layout ids, ascending; `buffer` holds it where it had to be renumbered.
  std::span<const VertexId> list(VertexId id, std::vector<VertexId>& buffer) const;
};

struct NumberPart {
  std::string name;
  std::string help;
  // The canonical vertex of each layout id; empty when that is the same.
  std::vector<VertexId> (*original)(const CsrView& out, const CsrView& in);
};

struct PlacePart {
  std::string name;
  std::string help;
  // Layout ids in the order of placing; empty when that is ascending.
  std::vector<VertexId> (*order)(const NumberedGraph& graph);
};

// Slots are counted over the whole row of blocks.
struct Packing {
  std::vector<std::uint64_t> positions;  // of each list's first slot, in the order of placing
  std::uint64_t blocks = 0;
};
struct PackParameter {
  std::string name;
  std::string help;
  std::uint64_t fallback;
  std::uint64_t least;
  std::uint64_t most;
};
struct PackPart {
  std::string name;
  std::string help;
  bool straddling;  // a list shorter than a block may be cut by a block border
  // `lengths` in slots, in the order of placing. Lists must not overlap; empty ones lie anywhere.
  // `parameters` holds a value for each of those below.
  Packing (*pack)(std::span<const std::uint64_t> lengths, std::uint32_t slots_per_block,
                  const PackParameters& parameters);
  std::vector<PackParameter> parameters = {};
};

struct CodecPart {
  std::string name;
  std::string help;
  // Writes `ids`, a piece of one list within one block, to `slots` of the same count.
  void (*encode)(std::span<const VertexId> ids, std::span<std::uint32_t> slots);
};

// The registries, and one part of each by name; throw unknown_name.
std::span<const NumberPart> number_parts();
std::span<const PlacePart> place_parts();
std::span<const PackPart> pack_parts();
std::span<const CodecPart> codec_parts();
const NumberPart& number_part(const std::string& name);
const PlacePart& place_part(const std::string& name);
const PackPart& pack_part(const std::string& name);
const CodecPart& codec_part(const std::string& name);

// Name, what it stands for, choices.
struct LayoutPreset {
  std::string name;
  std::string help;
  std::string pack;
};
std::span<const LayoutPreset> layout_presets();

// With every parameter of the pack set. Throws usage errors for choices that do not exist or cannot
// be combined yet.
LayoutChoices complete_choices(LayoutChoices choices);

// numbers/
std::vector<VertexId> number_original(const CsrView& out, const CsrView& in);
std::vector<VertexId> number_by_degree(const CsrView& out, const CsrView& in);
std::vector<VertexId> number_bfs2(const CsrView& out, const CsrView& in);
std::vector<VertexId> number_hubs_first(const CsrView& out, const CsrView& in);
std::vector<VertexId> number_random(const CsrView& out, const CsrView& in);
// places/
std::vector<VertexId> place_by_id(const NumberedGraph& graph);
std::vector<VertexId> place_by_degree(const NumberedGraph& graph);
std::vector<VertexId> place_by_bfs2(const NumberedGraph& graph);
// packs/
Packing pack_csr(std::span<const std::uint64_t> lengths, std::uint32_t slots_per_block,
                 const PackParameters& none = {});
Packing pack_firstfit(std::span<const std::uint64_t> lengths, std::uint32_t slots_per_block,
                      const PackParameters& none = {});
Packing pack_bestfit(std::span<const std::uint64_t> lengths, std::uint32_t slots_per_block,
                     const PackParameters& none = {});
Packing pack_lplf(std::span<const std::uint64_t> lengths, std::uint32_t slots_per_block,
                  const PackParameters& parameters);
// codecs/
void encode_raw(std::span<const VertexId> ids, std::span<std::uint32_t> slots);

}  // namespace outcore
