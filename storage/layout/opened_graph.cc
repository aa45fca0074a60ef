// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/opened_graph.h"

#include <fmt/format.h>

#include <cassert>

#include "common/error.h"
#include "common/files.h"
#include "storage/container/hashed_file.h"
#include "storage/layout/layout_command.h"
#include "storage/layout/manifest.h"

namespace outcore {

namespace fs = std::filesystem;

std::string to_string(GraphKind kind) {
  switch (kind) {
    case GraphKind::lists:
      return "lists";
    case GraphKind::edges:
      return "edges";
    case GraphKind::store:
      break;
  }
  return "store";
}

LayoutChoices plainest_choices(GraphKind kind) {
  assert(kind != GraphKind::store);
  return kind == GraphKind::lists ? LayoutChoices{} : LayoutChoices{.pack = "grid"};
}

OpenedGraph::OpenedGraph(fs::path folder, const Format& format)
    : kind_(format.kind), folder_(std::move(folder)) {
  const fs::path path = folder_ / "layout.json";
  if (!fs::exists(path)) {
    throw bad_input(Place::file(folder_), "no layout.json", "the folder of a layout",
                    "'outcore layout' makes one");
  }
  manifest_ = read_json(path);
  if (const GraphKind found = layout_kind(manifest_, path); found != kind_) {
    throw usage_error(fmt::format("{} holds {}, but {} are needed here; {}", folder_.string(),
                                  to_string(found), to_string(kind_),
                                  how_to_have(graph_of_layout(folder_), plainest_choices(kind_))));
  }
  check_version(manifest_, path, format.version, kBuildAgain);
  choices_ = choices_from_manifest(manifest_, path);
  common_ = common_facts_from_manifest(manifest_, path);
  check_tables(manifest_, path);
}

std::vector<fs::path> OpenedGraph::files() const { return layout_files(folder_, manifest_); }

std::vector<std::uint64_t> OpenedGraph::file_blocks() const {
  std::vector<std::uint64_t> blocks;
  for (const BlockFile& file : block_files_) blocks.push_back(file.blocks());
  return blocks;
}

std::uint64_t OpenedGraph::index_bytes() const {
  std::uint64_t bytes = original_.memory_bytes();
  for (const BlockFile& file : block_files_) bytes += file.sums.size() * sizeof(std::uint32_t);
  return bytes;
}

std::vector<fs::path> layout_files(const fs::path& folder, const nlohmann::json& manifest) {
  std::vector<fs::path> files;
  for (const std::string& name : file_names(manifest, folder / "layout.json")) {
    files.push_back(folder / name);
  }
  return files;
}

}  // namespace outcore
