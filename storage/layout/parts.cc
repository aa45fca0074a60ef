// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <sstream>

#include "common/error.h"
#include "common/sizes.h"
#include "storage/layout/layout.h"

namespace outcore {

namespace {

const std::array<NumberPart, 5> kNumbers = {{
    {"original", "the canonical vertex ids", number_original},
    {"degree", "longest out-lists first", number_by_degree},
    {"bfs2",
     "what a two-level BFS from the most linked vertices meets stands together (ChunkGraph)",
     number_bfs2},
    {"hubs-first", "vertices above the average out-degree first, the others keep their order",
     number_hubs_first},
    {"random", "a random permutation, the same for every layout", number_random},
}};
const std::array<PlacePart, 3> kPlaces = {{
    {"id", "ascending ids", place_by_id},
    {"degree", "longest lists first", place_by_degree},
    {"bfs2", "as number bfs2, but ids stay (ChunkGraph)", place_by_bfs2},
}};
const std::array<PackPart, 4> kPacks = {{
    {"csr", "one list after the other, cut anywhere", true, pack_csr},
    {"firstfit", "the first block with room; only lists longer than a block are cut (CAVE)", false,
     pack_firstfit},
    {"bestfit", "longest lists first, each to the tightest block (compared in ACGraph)", false,
     pack_bestfit},
    {"lplf",
     "the last of the newest blocks with room: neighbours stay together (ACGraph)",
     false,
     pack_lplf,
     {{"window", "how many of the newest blocks are looked at", 8, 1, 1 << 20},
      {"ranges", "parts of equally many lists, packed side by side on all cores", 1, 1, 65536}}},
}};
const std::array<CodecPart, 1> kCodecs = {{
    {"raw", "4 bytes an edge", encode_raw},
}};
const std::array<LayoutPreset, 2> kPresets = {{
    {"csr", "plain CSR in blocks", "csr"},
    {"cave", "CAVE, section 4.1", "firstfit"},
}};

template <typename Part>
const Part& find(std::span<const Part> parts, const std::string& kind, const std::string& name) {
  std::vector<std::string> known;
  for (const Part& part : parts) {
    if (part.name == name) return part;
    known.push_back(part.name);
  }
  throw unknown_name(kind, name, known);
}

// Defaults for what was not given.
void complete_pack_parameters(const PackPart& pack, PackParameters& parameters) {
  for (const auto& [name, value] : parameters) {
    const PackParameter& known = find(std::span<const PackParameter>(pack.parameters),
                                      "parameter of pack " + pack.name, name);
    if (value >= known.least && value <= known.most) continue;
    throw usage_error(fmt::format("--pack {}:{}={}: expected {} to {}", pack.name, name, value,
                                  known.least, known.most));
  }
  for (const PackParameter& known : pack.parameters) {
    parameters.try_emplace(known.name, known.fallback);
  }
}

}  // namespace

std::span<const VertexId> NumberedGraph::list(VertexId id, std::vector<VertexId>& buffer) const {
  const std::span<const VertexId> list = csr.list(canonical(id));
  if (layout_of.empty()) return list;
  buffer.resize(list.size());
  std::transform(list.begin(), list.end(), buffer.begin(),
                 [&](VertexId target) { return layout_of[target]; });
  std::sort(buffer.begin(), buffer.end());
  return buffer;
}

std::span<const NumberPart> number_parts() { return kNumbers; }
std::span<const PlacePart> place_parts() { return kPlaces; }
std::span<const PackPart> pack_parts() { return kPacks; }
std::span<const CodecPart> codec_parts() { return kCodecs; }
std::span<const LayoutPreset> layout_presets() { return kPresets; }

const NumberPart& number_part(const std::string& name) {
  return find(number_parts(), "number", name);
}
const PlacePart& place_part(const std::string& name) { return find(place_parts(), "place", name); }
const PackPart& pack_part(const std::string& name) { return find(pack_parts(), "pack", name); }
const CodecPart& codec_part(const std::string& name) { return find(codec_parts(), "codec", name); }

LayoutChoices layout_preset(const std::string& name) {
  LayoutChoices choices;
  choices.pack = find(layout_presets(), "preset", name).pack;
  return choices;
}

void set_pack(LayoutChoices& choices, const std::string& text) {
  const std::size_t colon = text.find(':');
  choices.pack = text.substr(0, colon);
  choices.pack_parameters.clear();
  if (colon == std::string::npos) return;
  std::istringstream settings(text.substr(colon + 1));
  for (std::string setting; std::getline(settings, setting, ',');) {
    const std::size_t equals = setting.find('=');
    std::uint64_t value = 0;
    const char* const end = setting.data() + setting.size();
    const char* const number = equals == std::string::npos ? end : setting.data() + equals + 1;
    const auto [stop, error] = std::from_chars(number, end, value);
    if (error != std::errc{} || stop != end) {
      throw usage_error(fmt::format("--pack {}: '{}', expected parameter=number", text, setting));
    }
    choices.pack_parameters[setting.substr(0, equals)] = value;
  }
}

LayoutChoices complete_choices(LayoutChoices choices) {
  number_part(choices.number);
  place_part(choices.place);
  complete_pack_parameters(pack_part(choices.pack), choices.pack_parameters);
  codec_part(choices.codec);
  constexpr std::uint32_t kLeast = 4096;  // what O_DIRECT can read at once
  constexpr std::uint32_t kMost = 65536;
  if (choices.block_bytes < kLeast || choices.block_bytes > kMost ||
      !std::has_single_bit(choices.block_bytes)) {
    throw usage_error(fmt::format("--block {}: expected a power of two from {} to {}",
                                  choices.block_bytes, human_size(kLeast), human_size(kMost)));
  }
  if (choices.inline_edges != 0 || choices.heads != 0) {
    throw usage_error("inline edges and heads: no layout has them yet");
  }
  return choices;
}

}  // namespace outcore
