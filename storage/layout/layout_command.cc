// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/layout_command.h"

#include <fmt/format.h>

#include "common/shell.h"
#include "storage/layout/edges/edge_layout.h"
#include "storage/layout/manifest.h"
#include "storage/layout/parts.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

// "lplf:window=16", in the syntax of --pack.
std::string pack_text(const LayoutChoices& choices) {
  std::string text = choices.pack;
  for (const auto& [parameter, value] : choices.pack_parameters.changed()) {
    const char before = text == choices.pack ? ':' : ',';
    text += fmt::format("{}{}={}", before, parameter, value);
  }
  return text;
}

// The options of `outcore layout` for these choices: the pack, and everything that is not a
// default.
std::string options_text(const LayoutChoices& choices) {
  const LayoutChoices usual;
  std::string text = " --pack " + pack_text(choices);
  if (choices.number != usual.number) text += " --number " + choices.number;
  if (choices.place != usual.place) text += " --place " + choices.place;
  if (choices.codec != usual.codec) text += " --codec " + choices.codec;
  if (choices.inline_edges != usual.inline_edges || choices.mini_data != usual.mini_data) {
    const char* const form = choices.mini_data ? "mini-data" : "in-index";
    text += fmt::format(" --inline {}:{}", form, choices.inline_edges);
  }
  if (choices.heads != usual.heads) text += fmt::format(" --heads {}", choices.heads);
  if (choices.weights != usual.weights) text += " --weights " + choices.weights;
  if (choices.block_bytes != usual.block_bytes) {
    text += fmt::format(" --block {}K", choices.block_bytes / 1024);
  }
  return text;
}

bool is_layout_of(const fs::path& folder, const LayoutChoices& choices) {
  const fs::path path = folder / "layout.json";
  if (!fs::exists(path)) return false;
  const nlohmann::json manifest = read_json(path);
  const bool has_edges = layout_kind(manifest, path) == GraphKind::edges;
  const int readable = has_edges ? kEdgeLayoutVersion : kLayoutVersion;
  if (json_field<int>(manifest, "version", path) != readable) return false;
  return complete_choices(choices_from_manifest(manifest, path)) == complete_choices(choices);
}

}  // namespace

std::string how_to_have(const fs::path& graph, const LayoutChoices& choices) {
  const std::string usual_name = layout_name(choices);
  std::string name = usual_name;
  // Another layout may already have this name.
  for (int i = 2; fs::exists(graph / "layouts" / name); ++i) {
    if (is_layout_of(graph / "layouts" / name, choices)) return "use --layout " + name;
    name = fmt::format("{}-{}", usual_name, i);
  }
  return fmt::format("for --layout {} build one with: outcore layout {}{}{}", name,
                     shell_word(graph), options_text(choices),
                     name == usual_name ? "" : " --name " + name);
}

fs::path graph_of_layout(const fs::path& layout) { return layout.parent_path().parent_path(); }

}  // namespace outcore
