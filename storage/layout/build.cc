// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/error.h"
#include "common/files.h"
#include "common/progress.h"
#include "common/stopwatch.h"
#include "storage/container/container.h"
#include "storage/container/hashed_file.h"
#include "storage/layout/block_writer.h"
#include "storage/layout/layout.h"
#include "storage/layout/manifest.h"
#include "storage/layout/parts.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

class LayoutBuilder {
 public:
  LayoutBuilder(Container& container, const LayoutChoices& choices, fs::path folder)
      : container_(container),
        choices_(choices),
        pack_(pack_part(choices.pack)),
        folder_(std::move(folder)) {
    facts_.vertices = container.facts().vertices;
    facts_.id_space = facts_.vertices;
    facts_.edges = container.facts().edges;
    facts_.symmetric = container.facts().symmetric;
    facts_.block_bytes = choices.block_bytes;
    facts_.slots_per_block = choices.block_bytes / static_cast<std::uint32_t>(sizeof(VertexId));
    facts_.straddling = pack_.straddling;
    facts_.raw_bytes = facts_.edges * sizeof(VertexId);
  }

  void run() {
    number();
    facts_.blocks = write_direction(Direction::out);
    if (!facts_.symmetric) write_direction(Direction::in);
    const nlohmann::json manifest = {
        {"version", kLayoutVersion},      {"choices", choices_json(choices_)},
        {"facts", facts_json(facts_)},    {"files", files_},
        {"graph", container_.manifest()}, {"seconds", seconds_}};
    write_json_atomically(folder_ / "layout.json", manifest);
  }

 private:
  void number() {
    original_ = number_part(choices_.number)
                    .original(container_.csr(Direction::out), container_.csr(Direction::in));
    if (!original_.empty()) {
      layout_of_.resize(original_.size());
      for (VertexId id = 0; id < original_.size(); ++id) layout_of_[original_[id]] = id;
    }
    if (choices_.number != "original") {
      HashedFile file(folder_ / "original");
      file.write(std::as_bytes(std::span(original_)));
      files_["original"] = file.finish();
    }
    seconds_["number"] = watch_.lap();
  }

  // Returns the number of blocks.
  std::uint64_t write_direction(Direction direction) {
    const std::string prefix = direction == Direction::out ? "out" : "in";
    const Direction other = direction == Direction::out ? Direction::in : Direction::out;
    const NumberedGraph graph{container_.csr(direction), container_.csr(other), original_,
                              layout_of_};
    const std::vector<VertexId> order = place_part(choices_.place).order(graph);
    seconds_[prefix + ".place"] = watch_.lap();

    std::vector<std::uint64_t> positions;  // by layout id
    const std::uint64_t blocks = pack(graph, order, positions);
    seconds_[prefix + ".pack"] = watch_.lap();
    write_index(graph, prefix, positions);
    seconds_[prefix + ".index"] = watch_.lap();
    write_blocks(graph, prefix, positions, blocks);
    seconds_[prefix + ".blocks"] = watch_.lap();
    return blocks;
  }

  std::uint64_t pack(const NumberedGraph& graph, const std::vector<VertexId>& order,
                     std::vector<std::uint64_t>& positions) {
    std::vector<std::uint64_t> lengths(graph.vertices());
    for (VertexId i = 0; i < graph.vertices(); ++i) {
      lengths[i] = graph.degree(order.empty() ? i : order[i]);
      facts_.longest_list = std::max(facts_.longest_list, lengths[i]);
    }
    Packing packing = pack_.pack(lengths, facts_.slots_per_block, choices_.pack_parameters);
    if (packing.blocks * facts_.slots_per_block >> ListIndex::kPositionBits != 0) {
      throw usage_error(fmt::format("{} blocks: more than positions of {} bits can name",
                                    packing.blocks, ListIndex::kPositionBits));
    }
    positions = std::move(packing.positions);
    if (!order.empty()) {
      lengths.swap(positions);  // the lengths are not needed any more
      for (VertexId i = 0; i < graph.vertices(); ++i) positions[order[i]] = lengths[i];
    }
    return packing.blocks;
  }

  void write_index(const NumberedGraph& graph, const std::string& prefix,
                   const std::vector<std::uint64_t>& positions) {
    HashedFile index(folder_ / (prefix + ".index"));
    HashedFile long_degrees(folder_ / (prefix + ".long"));
    for (VertexId id = 0; id < graph.vertices(); ++id) {
      const std::uint64_t degree = graph.degree(id);
      index.put(ListIndex::pack(positions[id], degree));
      if (degree < ListIndex::kLongDegree) continue;
      long_degrees.put(std::uint64_t{id});
      long_degrees.put(degree);
    }
    files_[prefix + ".index"] = index.finish();
    files_[prefix + ".long"] = long_degrees.finish();
  }

  // Blocks are written front to back, so lists are taken by position, not by id.
  void write_blocks(const NumberedGraph& graph, const std::string& prefix,
                    const std::vector<std::uint64_t>& positions, std::uint64_t blocks) {
    std::vector<VertexId> by_position;
    for (VertexId id = 0; id < graph.vertices(); ++id) {
      if (graph.degree(id) > 0) by_position.push_back(id);
    }
    const auto before = [&](VertexId a, VertexId b) { return positions[a] < positions[b]; };
    if (!std::is_sorted(by_position.begin(), by_position.end(), before)) {
      std::sort(by_position.begin(), by_position.end(), before);
    }
    BlockWriter writer(folder_, prefix, codec_part(choices_.codec), facts_.slots_per_block);
    Progress progress("writing " + prefix + ".blocks", graph.csr.edges(), "edges");
    std::vector<VertexId> buffer;
    for (const VertexId id : by_position) {
      const std::span<const VertexId> list = graph.list(id, buffer);
      writer.put(positions[id], list);
      progress.add(list.size());
    }
    writer.finish(blocks, files_);
    facts_.most_vertices_in_a_block =
        std::max(facts_.most_vertices_in_a_block, writer.most_lists_in_a_block());
  }

  Container& container_;
  const LayoutChoices& choices_;
  const PackPart& pack_;
  fs::path folder_;
  LayoutFacts facts_;
  std::vector<VertexId> original_;
  std::vector<VertexId> layout_of_;
  nlohmann::json files_ = nlohmann::json::object();
  nlohmann::json seconds_ = nlohmann::json::object();
  Stopwatch watch_;
};

}  // namespace

std::string layout_name(const LayoutChoices& choices, const std::string& preset) {
  LayoutChoices base = preset.empty() ? LayoutChoices{} : layout_preset(preset);
  std::string name = preset;
  if (preset.empty()) {
    base.pack = choices.pack;
    name = choices.pack;
  }
  if (choices.pack != base.pack) name += "-" + choices.pack;
  for (const PackParameter& parameter : pack_part(choices.pack).parameters) {
    const auto given = choices.pack_parameters.find(parameter.name);
    if (given == choices.pack_parameters.end() || given->second == parameter.fallback) continue;
    name += fmt::format("-{}{}", parameter.name, given->second);
  }
  if (choices.number != base.number) name += "-" + choices.number;
  if (choices.place != base.place) name += "-by-" + choices.place;
  if (choices.codec != base.codec) name += "-" + choices.codec;
  if (choices.block_bytes != base.block_bytes) {
    name += fmt::format("-{}K", choices.block_bytes / 1024);
  }
  return name;
}

std::string build_layout(const fs::path& container_folder, const LayoutChoices& given,
                         const std::string& name_given, bool force) {
  const LayoutChoices choices = complete_choices(given);
  const std::string name = name_given.empty() ? layout_name(choices) : name_given;
  if (name.find('/') != std::string::npos || name.front() == '.') {
    throw usage_error(fmt::format("--name {}: expected the plain name of a folder", name));
  }
  Container container(container_folder);
  PendingFolder pending(container.layout_folder(name), force);
  LayoutBuilder(container, choices, pending.path()).run();
  pending.commit();
  return name;
}

}  // namespace outcore
