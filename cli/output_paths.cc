// SPDX-License-Identifier: Apache-2.0
#include "cli/output_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "common/error.h"
#include "common/files.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

// The files of a graph's folder (storage/container/container.h). Other files in it are the user's.
constexpr std::array<std::string_view, 12> kOfAGraph = {
    "graph.json", "out.offsets", "out.targets", "out.weights",   "in.offsets",  "in.targets",
    "in.weights", "ids",         "names.bytes", "names.offsets", "names.order", "layouts"};

bool is_graph(const fs::path& folder) {
  return fs::exists(folder / "graph.json") && fs::exists(folder / "out.offsets");
}

// The folder of the graph that `file` belongs to, or would belong to; empty if to none.
fs::path graph_around(const fs::path& file) {
  for (fs::path inside = file; inside.has_relative_path(); inside = inside.parent_path()) {
    const std::string name = inside.filename().string();
    const bool has_its_name =
        std::find(kOfAGraph.begin(), kOfAGraph.end(), name) != kOfAGraph.end();
    if (has_its_name && is_graph(inside.parent_path())) return inside.parent_path();
  }
  return {};
}

// One canonical path for all the names of a file.
fs::path only_name(const fs::path& path) {
  const fs::path file = fs::absolute(file_to_write(path));
  return fs::weakly_canonical(file.parent_path()) / file.filename();
}

}  // namespace

void check_output_paths(const std::vector<OutputPath>& outputs) {
  std::map<fs::path, std::string> named;
  for (const auto& [option, path] : outputs) {
    if (path.empty()) continue;
    const fs::path file = only_name(path);
    if (const fs::path graph = graph_around(file); !graph.empty()) {
      throw usage_error(fmt::format("{} {}: that is part of the graph {}; give another file's name",
                                    option, path.string(), graph.string()));
    }
    if (!fs::is_directory(file.parent_path())) {
      throw usage_error(fmt::format("{} {}: there is no folder {}; make it, or give another place",
                                    option, path.string(), file.parent_path().string()));
    }
    const auto [before, is_new] = named.emplace(file, option);
    if (!is_new) {
      throw usage_error(fmt::format("{} and {} both name {}; give each a file of its own",
                                    before->second, option, path.string()));
    }
  }
}

}  // namespace outcore
