// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "cli/verbs.h"
#include "common/error.h"
#include "common/files.h"
#include "common/sizes.h"
#include "storage/container/container.h"
#include "storage/layout/edges/edge_layout.h"
#include "storage/layout/parts.h"

namespace outcore {

namespace {

struct LayoutArgs {
  std::string graph;
  std::string preset;
  std::string number;
  std::string place;
  std::string pack;
  std::string codec;
  std::string inline_lists;
  std::optional<unsigned> heads;
  std::string weights;
  std::string block;
  std::string name;
  std::string disks = "1";
  std::string stripe = "64K";
  bool force = false;
  bool json = false;
};

// The preset's choices, each replaced by its own option if that is given.
LayoutChoices choices_of(const LayoutArgs& args) {
  LayoutChoices choices = args.preset.empty() ? LayoutChoices{} : layout_preset(args.preset);
  if (!args.number.empty()) choices.number = args.number;
  if (!args.place.empty()) choices.place = args.place;
  if (!args.pack.empty()) set_pack(choices, args.pack);
  if (!args.codec.empty()) choices.codec = args.codec;
  if (!args.inline_lists.empty()) set_inline(choices, args.inline_lists);
  if (args.heads) choices.heads = *args.heads;
  if (!args.weights.empty()) choices.weights = args.weights;
  if (!args.block.empty()) {
    const std::uint64_t block_bytes = parse_size(args.block, "--block");
    if (block_bytes > 65536) throw usage_error("--block " + args.block + ": at most 64K");
    choices.block_bytes = static_cast<std::uint32_t>(block_bytes);
  }
  return choices;
}

// The default p may be more than a tiny graph has vertices; a p that was asked for may not.
void check_intervals(const LayoutArgs& args, const LayoutChoices& choices) {
  for (const auto& [parameter, value] : choices.pack_parameters.changed()) {
    if (parameter != "p") continue;
    const std::uint64_t most = std::max<std::uint64_t>(1, Container(args.graph).facts().vertices);
    if (choices.pack_parameters.whole("p") <= most) return;
    throw usage_error(
        fmt::format("--pack {} with p={}: an interval has a vertex or more, and {} has {}; give "
                    "p={} or fewer",
                    choices.pack, value, args.graph, most, most));
  }
}

// "number: original (the canonical vertex ids), random (...)"
template <typename Part>
std::string help_on(const std::string& kind, std::span<const Part> parts) {
  std::string text = "\n  " + kind + ":";
  for (const Part& part : parts) text += fmt::format("\n    {:<10} {}", part.name, part.help);
  return text;
}

// "      lplf:window=8  how many ..."
std::string help_on_parameters() {
  std::string text;
  for (const std::string& pack : pack_names()) {
    for (const Parameter& parameter : pack_parameters(pack)) {
      const std::string setting = fmt::format("{}:{}={}", pack, parameter.name, parameter.fallback);
      text += fmt::format("\n      {:<20} {}", setting, parameter.full_help());
    }
  }
  return text;
}

void run(const LayoutArgs& args) {
  const LayoutChoices choices = complete_choices(choices_of(args));
  check_intervals(args, choices);
  const Disks disks = Disks::parse(args.disks, args.stripe);
  const std::string usual =
      layout_name(choices, args.preset) +
      (disks.striped() ? fmt::format("-disks{}", disks.folders.size()) : std::string());
  const std::string name =
      build_layout(args.graph, choices, args.name.empty() ? usual : args.name, args.force, disks);
  const std::filesystem::path folder = std::filesystem::path(args.graph) / "layouts" / name;
  if (args.json) {
    const nlohmann::json manifest = read_json(folder / "layout.json");
    const nlohmann::json made = {{"layout", folder.string()},
                                 {"name", name},
                                 {"choices", manifest.at("choices")},
                                 {"facts", manifest.at("facts")}};
    fmt::print("{}\n", made.dump(2));
  } else {
    fmt::print("{}\n", folder.string());
  }
}

}  // namespace

void add_layout(CLI::App& app) {
  const auto args = std::make_shared<LayoutArgs>();
  CLI::App* layout = app.add_subcommand("layout", "Write a graph's lists as blocks for engines");
  layout->add_option("graph", args->graph, "Folder of the graph")->required();
  layout->add_option("--preset", args->preset,
                     "The choices of a published system; the options below replace single ones");
  layout->add_option("--number", args->number, "Ids inside the layout");
  layout->add_option("--place", args->place, "Order in which lists are packed");
  layout->add_option("--pack", args->pack,
                     "How lists are packed into blocks (firstfit); parameters follow a colon");
  layout->add_option("--codec", args->codec, "How lists are written");
  layout->add_option("--inline", args->inline_lists,
                     "Lists of up to 0..3 edges stay in memory with the index: mini-data:2 in "
                     "ACGraph's form, in-index:2 or just 2 in ChunkGraph's");
  layout->add_option(
      "--heads", args->heads,
      "Keep the first 0..4 neighbours of each vertex in memory, for sampling and bfs-do");
  layout->add_option("--weights", args->weights,
                     "Weights of edges: none, hashed (from the end points), given (the graph's)");
  layout->add_option("--block", args->block, "Size of a block, 4K to 64K (4K)");
  layout->add_option("--name", args->name, "Name of the layout; default: made from the choices");
  layout
      ->add_option("--disks", args->disks,
                   "Stripe the blocks over files: a number, or a folder on each disk, as in "
                   "/mnt/a,/mnt/b")
      ->capture_default_str();
  layout
      ->add_option("--stripe", args->stripe,
                   "With --disks: bytes behind one another on each disk; requests are cut there")
      ->capture_default_str();
  layout->add_flag("--force", args->force, "Replace an existing layout");
  layout->add_flag("--json", args->json, "Print for programs what was made");
  layout->footer(
      "Example: outcore layout graphs/kron20 --preset cave --block 8K\n"
      "         outcore layout graphs/kron20 --pack lplf:window=16,ranges=4 --codec svb --inline "
      "2\n"
      "         outcore layout graphs/kron20 --preset csr --disks /mnt/a,/mnt/b --stripe 4K\n"
      "Choices:" +
      help_on("--preset", layout_presets()) + help_on("--number", number_parts()) +
      help_on("--place", place_parts()) + help_on("--pack", pack_parts()) +
      help_on("--pack, edges for engines that stream them", edge_pack_parts()) +
      help_on_parameters() + help_on("--codec", codec_parts()));
  layout->callback([args] { run(*args); });
}

}  // namespace outcore
