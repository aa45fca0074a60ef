// SPDX-License-Identifier: Apache-2.0
// The parts of a layout, each an independent choice (docs/architecture.md). To add one: write its
// file in numbers/, places/, packs/ or codecs/, declare its function below, and add a line in
// parts.cc. What each part decides:
//
//   number   the id of a vertex inside the layout
//   place    the order in which lists are passed to the packer
//   pack     where each list lies in the row of blocks
//   codec    how the part of a list within one block is written (codec.h)
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "storage/container/container.h"
#include "storage/layout/choices.h"
#include "storage/layout/codec.h"
#include "storage/layout/pieces.h"

namespace outcore {

// Memory for a list that must be put together because it is not stored in the wanted form.
struct ListBuffer {
  std::vector<VertexId> ids;
  std::vector<float> weights;
  std::vector<std::pair<VertexId, float>> pairs;
};

enum class Weights : std::uint8_t { none, hashed, given };

// The layout id of each of `vertices` canonical vertices: the inverse of the table `original`.
// Empty if that is empty.
std::vector<VertexId> inverse_of(std::span<const VertexId> original, VertexId vertices);

// The graph in the layout's numbering.
struct NumberedGraph {
  CsrView csr;
  CsrView reverse;                     // the other direction's lists; the same in a symmetric graph
  std::span<const VertexId> original;  // canonical vertex of each layout id; empty: the same
  std::span<const VertexId> layout_of;  // the inverse

  [[nodiscard]] VertexId vertices() const { return csr.vertices(); }
  // Includes virtual ids, which have no list.
  [[nodiscard]] VertexId ids() const {
    return original.empty() ? vertices() : static_cast<VertexId>(original.size());
  }
  [[nodiscard]] bool is_real(VertexId id) const {
    return original.empty() || original[id] != kNoVertex;
  }
  [[nodiscard]] VertexId canonical(VertexId id) const {
    return original.empty() ? id : original[id];
  }
  [[nodiscard]] std::uint64_t degree(VertexId id) const {
    return is_real(id) ? csr.degree(canonical(id)) : 0;
  }
  [[nodiscard]] std::uint64_t reverse_degree(VertexId id) const {
    return is_real(id) ? reverse.degree(canonical(id)) : 0;
  }
  // The list of `id` in layout ids, ascending. If it had to be renumbered, it is in `buffer`.
  std::span<const VertexId> list(VertexId id, ListBuffer& buffer) const;
  // The same with its weights.
  WeightedList weighted_list(VertexId id, Weights weights, ListBuffer& buffer) const;
};

struct NumberPart {
  std::string name;
  std::string help;
  // The canonical vertex of each layout id; empty if that is the same.
  std::vector<VertexId> (*original)(const CsrView& out, const CsrView& in);
};

struct PlacePart {
  std::string name;
  std::string help;
  // Layout ids in the order of placing; empty if that is ascending.
  std::vector<VertexId> (*order)(const NumberedGraph& graph);
};

// Slots are counted over the whole row of blocks.
struct Packing {
  std::vector<std::uint64_t> positions;  // of each list's first slot, in the order of placing
  std::uint64_t blocks = 0;
  std::vector<ChunkLevel> levels = {};
};
// The slots of the i-th list if it begins `at` slots into a block; 0 if not even one edge fits. An
// empty function means that the length is the same wherever the list begins, as for codec raw.
using SlotsAt = std::function<std::uint64_t(std::size_t i, std::uint32_t at)>;
struct PackBlock {
  std::uint32_t slots = 1024;
  std::uint32_t slot_bytes = 4;
};
struct PackPart {
  std::string name;
  std::string help;
  bool straddling;  // a block border may cut a list that is shorter than a block
  // `lengths` are in slots, for lists that begin at a block, in the order of placing; the vector is
  // turned into the positions. Lists must not overlap; empty ones may be anywhere. A straddling
  // pack calls `slots_at` for the length of a list that begins elsewhere. `parameters` has a value
  // for each of the parameters below.
  Packing (*pack)(std::vector<std::uint64_t> lengths, PackBlock block, const Parameters& parameters,
                  const SlotsAt& slots_at);
  std::vector<Parameter> parameters = {};
};

// The registries, and one part of each by name; they throw unknown_name.
std::span<const NumberPart> number_parts();
std::span<const PlacePart> place_parts();
std::span<const PackPart> pack_parts();
std::span<const CodecPart> codec_parts();
const NumberPart& number_part(const std::string& name);
const PlacePart& place_part(const std::string& name);
const PackPart& pack_part(const std::string& name);
// For a pack of lists or of edges (edges/edge_layout.h).
std::span<const Parameter> pack_parameters(const std::string& pack);
Parameters pack_settings(const std::string& pack, const std::vector<std::string>& assignments);
std::vector<std::string> pack_names();
// The smallest of the graph's own weights; throws a usage error if it has none.
float least_given_weight(Container& container);
const CodecPart& codec_part(const std::string& name);

// A system's choices; all others have their defaults.
struct LayoutPreset {
  std::string name;
  std::string help;
  LayoutChoices choices;
};
std::span<const LayoutPreset> layout_presets();

Weights weights_choice(const std::string& name);

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
Packing pack_csr(std::vector<std::uint64_t> lengths, PackBlock block, const Parameters& none = {},
                 const SlotsAt& slots_at = {});
Packing pack_firstfit(std::vector<std::uint64_t> lengths, PackBlock block,
                      const Parameters& none = {}, const SlotsAt& unused = {});
Packing pack_bestfit(std::vector<std::uint64_t> lengths, PackBlock block,
                     const Parameters& none = {}, const SlotsAt& unused = {});
Packing pack_lplf(std::vector<std::uint64_t> lengths, PackBlock block, const Parameters& parameters,
                  const SlotsAt& unused = {});
Packing pack_chunks(std::vector<std::uint64_t> lengths, PackBlock block,
                    const Parameters& parameters, const SlotsAt& slots_at = {});

}  // namespace outcore
