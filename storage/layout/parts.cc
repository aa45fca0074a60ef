// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "common/error.h"
#include "common/hash.h"
#include "common/named.h"
#include "common/sizes.h"
#include "storage/layout/edges/edge_layout.h"
#include "storage/layout/packs/chunks.h"

namespace outcore {

namespace {

constexpr auto kWhole = Parameter::Kind::whole;
const std::array<NumberPart, 5> kNumbers = {{
    {"original", "the canonical vertex ids", number_original},
    {"degree", "longest out-lists first", number_by_degree},
    {"bfs2", "by two-level BFS from the most linked vertices (ChunkGraph)", number_bfs2},
    {"hubs-first", "vertices above the average out-degree first, the others keep their order",
     number_hubs_first},
    {"random", "a random permutation, the same for every layout", number_random},
}};
const std::array<PlacePart, 3> kPlaces = {{
    {"id", "ascending ids", place_by_id},
    {"degree", "longest lists first", place_by_degree},
    {"bfs2", "as number bfs2, but ids stay the same (ChunkGraph)", place_by_bfs2},
}};
const std::array<PackPart, 5> kPacks = {{
    {"csr", "one list after the other, cut anywhere", true, pack_csr},
    {"firstfit", "the first block with room; only lists longer than a block are cut (CAVE)", false,
     pack_firstfit},
    {"bestfit", "longest lists first, each to the tightest block (compared in ACGraph)", false,
     pack_bestfit},
    {"lplf",
     "the last of the newest blocks with room: neighbours stay together (ACGraph)",
     false,
     pack_lplf,
     {{"window", "8", "how many of the newest blocks are candidates", kWhole, 1, 1 << 20},
      {"ranges", "1", "parts of equally many lists, packed side by side on all cores", kWhole, 1,
       65536}}},
    {"chunks",
     "levels of chunks by length of list, then super lists (ChunkGraph)",
     true,
     pack_chunks,
     {{"levels", "4", "levels of chunks", kWhole, 1, 4},
      {"smallest", "4096", "bytes of a chunk of level 0", kWhole, 256, 65536},
      {"factor", "8", "how many times larger the chunks of the next level are", kWhole, 2, 16},
      {"formula", "0", "1: longest lists by the paper's formula, not its printed numbers", kWhole,
       0, 1},
      {"d0", "0", "longest list of level 0, in neighbours; 0: the paper's", kWhole, 0, 1 << 26},
      {"d1", "0", "longest list of level 1", kWhole, 0, 1 << 26},
      {"d2", "0", "longest list of level 2", kWhole, 0, 1 << 26},
      {"d3", "0", "longest list of level 3", kWhole, 0, 1 << 26},
      {"tail", "5", "% of each level's lists (the last ones) that fill the ends of chunks", kWhole,
       0, 100},
      {"interleave", "1", "0: free slots at the end of every chunk", kWhole, 0, 1}}},
}};
const std::array kCodecs = {raw_codec(), varint_codec(), svb_codec()};
const std::array<LayoutPreset, 5> kPresets = {{
    {"csr", "plain CSR in blocks", {.pack = "csr"}},
    {"cave", "CAVE, section 4.1", {.pack = "firstfit"}},
    {"acgraph",
     "ACGraph, section 5: lists of up to 2 edges in memory",
     {.pack = "lplf", .inline_edges = 2, .mini_data = true}},
    {"chunkgraph",
     "ChunkGraph, section 3: lists of up to 2 edges in memory",
     {.place = "bfs2", .pack = "chunks", .inline_edges = 2}},
    {"losc", "LOSC, section 3.3: CSR and CSC in id order", {.pack = "csr", .codec = "varint"}},
}};
const std::array<std::string, 3> kWeights = {"none", "hashed", "given"};

}  // namespace

std::vector<VertexId> inverse_of(std::span<const VertexId> original, VertexId vertices) {
  if (original.empty()) return {};
  std::vector<VertexId> layout_of(vertices);
  for (VertexId id = 0; id < original.size(); ++id) {
    if (original[id] != kNoVertex) layout_of[original[id]] = id;
  }
  return layout_of;
}

std::span<const VertexId> NumberedGraph::list(VertexId id, ListBuffer& buffer) const {
  if (!is_real(id)) return {};
  const std::span<const VertexId> list = csr.list(canonical(id));
  if (layout_of.empty()) return list;
  buffer.ids.resize(list.size());
  std::transform(list.begin(), list.end(), buffer.ids.begin(),
                 [&](VertexId target) { return layout_of[target]; });
  std::sort(buffer.ids.begin(), buffer.ids.end());
  return buffer.ids;
}

WeightedList NumberedGraph::weighted_list(VertexId id, Weights weights, ListBuffer& buffer) const {
  if (weights == Weights::none || !is_real(id)) return {list(id, buffer), {}};
  const VertexId source = canonical(id);
  const std::span<const VertexId> targets = csr.list(source);
  const std::span<const float> given = csr.weights(source);
  buffer.pairs.resize(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    buffer.pairs[i] = {layout_of.empty() ? targets[i] : layout_of[targets[i]],
                       weights == Weights::given ? given[i] : hashed_weight(source, targets[i])};
  }
  if (!layout_of.empty()) std::sort(buffer.pairs.begin(), buffer.pairs.end());
  buffer.ids.resize(targets.size());
  buffer.weights.resize(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    std::tie(buffer.ids[i], buffer.weights[i]) = buffer.pairs[i];
  }
  return {buffer.ids, buffer.weights};
}

std::span<const NumberPart> number_parts() { return kNumbers; }
std::span<const PlacePart> place_parts() { return kPlaces; }
std::span<const PackPart> pack_parts() { return kPacks; }
std::span<const CodecPart> codec_parts() { return kCodecs; }
std::span<const LayoutPreset> layout_presets() { return kPresets; }

const NumberPart& number_part(const std::string& name) {
  return find_named("number", number_parts(), name);
}
const PlacePart& place_part(const std::string& name) {
  return find_named("place", place_parts(), name);
}
const PackPart& pack_part(const std::string& name) {
  const auto at = std::find_if(kPacks.begin(), kPacks.end(),
                               [&](const PackPart& pack) { return pack.name == name; });
  if (at == kPacks.end()) throw unknown_name("pack", name, pack_names());
  return *at;
}
std::vector<std::string> pack_names() {
  std::vector<std::string> names;
  for (const PackPart& pack : kPacks) names.push_back(pack.name);
  for (const EdgePackPart& pack : edge_pack_parts()) names.push_back(pack.name);
  return names;
}
std::span<const Parameter> pack_parameters(const std::string& pack) {
  if (const EdgePackPart* const edges = find_edge_pack(pack)) return edges->parameters;
  return pack_part(pack).parameters;
}
Parameters pack_settings(const std::string& pack, const std::vector<std::string>& assignments) {
  return {"pack " + pack, pack_parameters(pack), assignments};
}
const CodecPart& codec_part(const std::string& name) {
  return find_named("codec", codec_parts(), name);
}

Weights weights_choice(const std::string& name) {
  const auto found = std::find(kWeights.begin(), kWeights.end(), name);
  if (found == kWeights.end()) {
    throw unknown_name("weights", name, {kWeights.begin(), kWeights.end()});
  }
  return static_cast<Weights>(found - kWeights.begin());
}

float least_given_weight(Container& container) {
  if (!container.facts().weighted) {
    throw usage_error(
        fmt::format("--weights given: {} has none; --weights hashed makes some from the end points",
                    container.folder().string()));
  }
  const std::span<const float> weights = container.csr(Direction::out).weights();
  return weights.empty() ? 0 : *std::min_element(weights.begin(), weights.end());
}

}  // namespace outcore
