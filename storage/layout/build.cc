// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/files.h"
#include "common/sizes.h"
#include "common/stopwatch.h"
#include "storage/container/container.h"
#include "storage/container/hashed_file.h"
#include "storage/layout/block_writer.h"
#include "storage/layout/coded_file.h"
#include "storage/layout/edges/edge_layout.h"
#include "storage/layout/index_writer.h"
#include "storage/layout/layout.h"
#include "storage/layout/manifest.h"
#include "storage/layout/order_table.h"
#include "storage/layout/parts.h"
#include "storage/layout/rank_by_position.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

// Does values[order[i]] = values[i] for all i in place, with one extra bit per value.
void permute(std::vector<std::uint64_t>& values, std::span<const VertexId> order) {
  std::vector<bool> moved(values.size());
  for (std::size_t start = 0; start < values.size(); ++start) {
    std::uint64_t in_hand = values[start];
    for (std::size_t at = start; !moved[at];) {
      moved[at] = true;
      at = order[at];
      std::swap(in_hand, values[at]);
    }
  }
}

class LayoutBuilder {
 public:
  LayoutBuilder(Container& container, const LayoutChoices& choices, fs::path folder,
                const Disks& disks, std::string stripes_label)
      : container_(container),
        choices_(choices),
        disks_(disks),
        stripes_label_(std::move(stripes_label)),
        pack_(pack_part(choices.pack)),
        weights_(weights_choice(choices.weights)),
        format_(codec_part(choices.codec), weights_ != Weights::none, choices.block_bytes),
        folder_(std::move(folder)) {
    facts_.vertices = container.facts().vertices;
    facts_.id_space = facts_.vertices;
    facts_.edges = container.facts().edges;
    facts_.symmetric = container.facts().symmetric;
    facts_.weighted = container.facts().weighted;
    if (weights_ == Weights::given) facts_.least_weight = least_given_weight(container);
    facts_.block_bytes = choices.block_bytes;
    facts_.slots_per_block = format_.slots_per_block();
    facts_.straddling = pack_.straddling;
    facts_.raw_bytes = facts_.edges * sizeof(VertexId);
  }

  void run() {
    number();
    write_direction(Direction::out);
    if (!facts_.symmetric) write_direction(Direction::in);
    nlohmann::json manifest = {
        {"version", kLayoutVersion},      {"choices", choices_json(choices_)},
        {"facts", facts_json(facts_)},    {"files", files_},
        {"graph", container_.manifest()}, {"seconds", seconds_}};
    if (disks_.striped()) {
      manifest["stripes"] = {{"files", disks_.folders.size()}, {"bytes", disks_.stripe_bytes}};
    }
    write_json_atomically(folder_ / "layout.json", sealed(manifest));
  }

 private:
  void number() {
    original_ = number_part(choices_.number)
                    .original(container_.csr(Direction::out), container_.csr(Direction::in));
    layout_of_ = inverse_of(original_, facts_.vertices);
    seconds_["number"] = watch_.lap();
  }

  [[nodiscard]] NumberedGraph graph(Direction direction) {
    const Direction other = direction == Direction::out ? Direction::in : Direction::out;
    return {container_.csr(direction), container_.csr(other), original_, layout_of_};
  }

  void write_direction(Direction direction) {
    const std::string prefix = direction == Direction::out ? "out" : "in";
    const bool ranked = choices_.mini_data && direction == Direction::out;
    Packing packing = place_and_pack(direction, prefix);
    if (ranked) rank(packing.positions);
    if (direction == Direction::out) write_originals();
    const NumberedGraph numbered = graph(direction);
    index(prefix, ranked, packing.positions, numbered);
    seconds_[prefix + ".index"] = watch_.lap();
    const BlockJob job{.folder = folder_,
                       .prefix = prefix,
                       .graph = numbered,
                       .format = format_,
                       .weights = weights_,
                       .block_bytes = choices_.block_bytes,
                       .blocks = packing.blocks,
                       .positions = packing.positions,
                       .inline_edges = choices_.inline_edges,
                       .disks = disks_,
                       .stripes_label = stripes_label_};
    facts_.most_vertices_in_a_block =
        std::max(facts_.most_vertices_in_a_block, write_blocks(job, files_));
    seconds_[prefix + ".blocks"] = watch_.lap();
    if (!packing.levels.empty()) {
      write_order_table(folder_, prefix, numbered, packing.positions, choices_.inline_edges,
                        files_);
      seconds_[prefix + ".order"] = watch_.lap();
    }
    (direction == Direction::out ? facts_.out_levels : facts_.in_levels) = packing.levels;
    if (direction == Direction::out) facts_.blocks = packing.blocks;
  }

  // The packing, with positions by layout id.
  Packing place_and_pack(Direction direction, const std::string& prefix) {
    const NumberedGraph numbered = graph(direction);
    const std::vector<VertexId> order = place_part(choices_.place).order(numbered);
    const auto placed = [&](std::size_t i) {
      return order.empty() ? static_cast<VertexId>(i) : order[i];
    };
    seconds_[prefix + ".place"] = watch_.lap();
    ListBuffer buffer;
    SlotsAt slots_at;
    if (format_.encoded() && pack_.straddling) {
      slots_at = [&](std::size_t i, std::uint32_t at) {
        return format_.slots(numbered.list(placed(i), buffer), at);
      };
    }
    Packing packing =
        pack_.pack(lengths(numbered, order), {facts_.slots_per_block, format_.slot_bytes()},
                   choices_.pack_parameters, slots_at);
    if (packing.blocks * facts_.slots_per_block >> ListIndex::kPositionBits != 0) {
      throw usage_error(fmt::format("{} blocks: more than positions of {} bits can name",
                                    packing.blocks, ListIndex::kPositionBits));
    }
    if (!order.empty()) permute(packing.positions, order);
    seconds_[prefix + ".pack"] = watch_.lap();
    return packing;
  }

  // Lengths in slots, in the order of placing; 0 for lists in the index.
  std::vector<std::uint64_t> lengths(const NumberedGraph& numbered,
                                     const std::vector<VertexId>& order) {
    std::vector<std::uint64_t> lengths(numbered.ids());
    // Straddling packs ask for each length at the place where the list will be.
    const bool encode = format_.encoded() && !pack_.straddling;
#pragma omp parallel
    {
      ListBuffer buffer;
#pragma omp for schedule(dynamic, 1024)
      for (std::size_t i = 0; i < lengths.size(); ++i) {
        const VertexId id = order.empty() ? static_cast<VertexId>(i) : order[i];
        const std::uint64_t degree = numbered.degree(id);
        if (degree <= choices_.inline_edges) continue;
        lengths[i] = encode ? format_.slots(numbered.list(id, buffer)) : degree;
      }
    }
    return lengths;
  }

  // Renumbers ids by the rank of their position; afterwards `positions` is by the new ids.
  void rank(std::vector<std::uint64_t>& positions) {
    Ranks ranks = rank_by_position(graph(Direction::out), positions, choices_.inline_edges);
    original_ = std::move(ranks.original);
    positions = std::move(ranks.positions);
    facts_.theta = std::move(ranks.theta);
    facts_.id_space = static_cast<VertexId>(original_.size());
    layout_of_ = inverse_of(original_, facts_.vertices);
    seconds_["rank"] = watch_.lap();
  }

  void write_originals() {
    if (choices_.number == "original" && !choices_.mini_data) return;
    CodedFile file(folder_ / "original");
    VertexId before = 0;
    for (const VertexId vertex : original_) {
      if (vertex != kNoVertex) before = vertex;
      file.put(before);
    }
    files_["original"] = file.finish();
  }

  void index(const std::string& prefix, bool ranked, std::span<const std::uint64_t> positions,
             const NumberedGraph& numbered) {
    const IndexJob job{.folder = folder_,
                       .prefix = prefix,
                       .graph = numbered,
                       .format = format_,
                       .weights = weights_,
                       .form = index_form(choices_, ranked),
                       .inline_edges = choices_.inline_edges,
                       .heads = choices_.heads,
                       .straddling = pack_.straddling,
                       .positions = positions,
                       .theta = facts_.theta};
    const IndexSummary summary = write_index(job, files_);
    facts_.longest_list = std::max(facts_.longest_list, summary.longest_list);
    facts_.inline_edges += summary.inline_edges;
  }

  Container& container_;
  const LayoutChoices& choices_;
  const Disks& disks_;
  std::string stripes_label_;
  const PackPart& pack_;
  Weights weights_;
  PieceFormat format_;
  fs::path folder_;
  LayoutFacts facts_;
  std::vector<VertexId> original_;
  std::vector<VertexId> layout_of_;
  nlohmann::json files_ = nlohmann::json::object();
  nlohmann::json seconds_ = nlohmann::json::object();
  Stopwatch watch_;
};

void check_disks(const Disks& disks, const LayoutChoices& choices) {
  if (!disks.striped()) return;
  if (find_edge_pack(choices.pack) != nullptr) {
    throw usage_error(
        fmt::format("--disks with --pack {}: columns of edges are written in place, each in one "
                    "file; a pack of "
                    "lists can be striped",
                    choices.pack));
  }
  if (disks.stripe_bytes % choices.block_bytes != 0) {
    throw usage_error(fmt::format("--stripe {}: expected whole blocks of {}",
                                  human_size(disks.stripe_bytes), human_size(choices.block_bytes)));
  }
}

}  // namespace

std::string build_layout(const fs::path& container_folder, const LayoutChoices& given,
                         const std::string& name_given, bool force, const Disks& disks) {
  const LayoutChoices choices = complete_choices(given);
  const std::string name = name_given.empty() ? layout_name(choices) : name_given;
  if (name.find('/') != std::string::npos || name.front() == '.') {
    throw usage_error(fmt::format("--name {}: expected the plain name of a folder", name));
  }
  check_disks(disks, choices);
  Container container(container_folder);
  const fs::path folder = container.layout_folder(name);
  PendingFolder pending(folder, "layout.json", force);
  const std::vector<fs::path> old_stripes = stripe_targets(folder);
  const std::string label = stripes_label(container_folder, name);
  try {
    if (find_edge_pack(choices.pack) != nullptr) {
      write_edge_layout(container, choices, pending.path());
    } else {
      LayoutBuilder(container, choices, pending.path(), disks, label).run();
    }
    pending.commit();
  } catch (...) {
    remove_old_stripes(folder, {}, disks, label);
    throw;
  }
  remove_old_stripes(folder, old_stripes, disks, label);
  return name;
}

}  // namespace outcore
