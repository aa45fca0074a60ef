// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/choices.h"

#include <fmt/format.h>

#include <bit>

#include "common/error.h"
#include "common/named.h"
#include "common/sizes.h"
#include "storage/layout/edges/edge_layout.h"
#include "storage/layout/packs/chunks.h"
#include "storage/layout/parts.h"

namespace outcore {

namespace {

constexpr unsigned kMostHeads = 4;

}  // namespace

LayoutChoices layout_preset(const std::string& name) {
  return find_named("preset", layout_presets(), name).choices;
}

void set_inline(LayoutChoices& choices, const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string form = colon == std::string::npos ? "in-index" : text.substr(0, colon);
  const std::string number = colon == std::string::npos ? text : text.substr(colon + 1);
  if ((form != "in-index" && form != "mini-data") || number.size() != 1 || number < "0" ||
      number > "3") {
    throw usage_error(fmt::format(
        "--inline {}: expected 0 to 3, in-index:0 to in-index:3 or mini-data:0 to mini-data:3",
        text));
  }
  choices.mini_data = form == "mini-data";
  choices.inline_edges = static_cast<unsigned>(number.front() - '0');
}

void set_pack(LayoutChoices& choices, const std::string& text) {
  choices.pack = spec_name(text);
  choices.pack_parameters = pack_settings(choices.pack, spec_assignments(text));
}

std::string layout_name(const LayoutChoices& choices, const std::string& preset) {
  LayoutChoices base = preset.empty() ? LayoutChoices{} : layout_preset(preset);
  std::string name = preset;
  if (preset.empty()) {
    base.pack = choices.pack;
    name = choices.pack;
  }
  if (choices.pack != base.pack) name += "-" + choices.pack;
  for (const auto& [parameter, value] : choices.pack_parameters.changed()) {
    name += fmt::format("-{}{}", parameter, value);
  }
  if (choices.number != base.number) name += "-" + choices.number;
  if (choices.place != base.place) name += "-by-" + choices.place;
  if (choices.codec != base.codec) name += "-" + choices.codec;
  if (choices.inline_edges != base.inline_edges || choices.mini_data != base.mini_data) {
    name += fmt::format("-{}{}", choices.mini_data ? "mini" : "inline", choices.inline_edges);
  }
  if (choices.heads != base.heads) name += fmt::format("-heads{}", choices.heads);
  if (choices.weights != base.weights) name += "-" + choices.weights;
  if (choices.block_bytes != base.block_bytes) {
    name += fmt::format("-{}K", choices.block_bytes / 1024);
  }
  return name;
}

LayoutChoices complete_choices(LayoutChoices choices) {
  number_part(choices.number);
  place_part(choices.place);
  choices.pack_parameters = choices.pack_parameters.or_defaults(pack_parameters(choices.pack));
  codec_part(choices.codec);
  constexpr std::uint32_t kLeast = 4096;  // the smallest read with O_DIRECT
  constexpr std::uint32_t kMost = 65536;
  if (choices.block_bytes < kLeast || choices.block_bytes > kMost ||
      !std::has_single_bit(choices.block_bytes)) {
    throw usage_error(fmt::format("--block {}: expected a power of two from {} to {}",
                                  choices.block_bytes, human_size(kLeast), human_size(kMost)));
  }
  if (choices.inline_edges > ListIndex::kMostInline) {
    throw usage_error(fmt::format("--inline {}: at most 3", choices.inline_edges));
  }
  if (choices.heads > kMostHeads) {
    throw usage_error(fmt::format("--heads {}: at most {}", choices.heads, kMostHeads));
  }
  weights_choice(choices.weights);
  if (choices.mini_data && choices.codec != "raw") {
    throw usage_error(
        fmt::format("--inline mini-data and --codec {}: ids would depend on positions, and these "
                    "on the lengths "
                    "of the encoded ids; use --inline in-index:{}",
                    choices.codec, choices.inline_edges));
  }
  if (find_edge_pack(choices.pack) != nullptr) refuse_for_edges(choices);
  if (choices.pack == "chunks") chunk_levels(choices.pack_parameters);
  return choices;
}

}  // namespace outcore
