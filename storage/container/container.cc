// SPDX-License-Identifier: Apache-2.0
#include "storage/container/container.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "common/error.h"
#include "common/files.h"
#include "storage/container/hashed_file.h"
#include "storage/container/mapped_file.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

// Checks that no list lies outside the targets.
void check_offsets(const fs::path& path, std::span<const EdgeIndex> offsets, EdgeIndex edges) {
  EdgeIndex least = 0;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const EdgeIndex most = i == 0 ? 0 : edges;
    if (i + 1 == offsets.size()) least = edges;
    if (offsets[i] < least || offsets[i] > most) {
      throw bad_input(Place::offset(path, i * sizeof(EdgeIndex)),
                      fmt::format("list offset {}", offsets[i]),
                      fmt::format("{} to {}", least, most), "import or generate the graph again");
    }
    least = offsets[i];
  }
}

void check_name_files(const fs::path& folder, std::span<const std::uint64_t> offsets,
                      std::span<const VertexId> order) {
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    if ((i > 0 || offsets[0] == 0) && offsets[i] < offsets[i + 1]) continue;
    throw bad_input(Place::offset(folder / "names.offsets", i * sizeof(std::uint64_t)),
                    fmt::format("a name from {} to {}", offsets[i], offsets[i + 1]),
                    "names one after the other from 0, none empty", "import the graph again");
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] < order.size()) continue;
    throw bad_input(Place::offset(folder / "names.order", i * sizeof(VertexId)),
                    fmt::format("vertex {}", order[i]), fmt::format("0 to {}", order.size() - 1),
                    "import the graph again");
  }
}

}  // namespace

EdgeRepeats count_repeats(const CsrView& csr) {
  EdgeRepeats repeats;
  for (VertexId v = 0; v < csr.vertices(); ++v) {
    const auto list = csr.list(v);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i] == v) {
        ++repeats.loops;
      } else if (i > 0 && list[i] == list[i - 1]) {
        ++repeats.parallel;
      }
    }
  }
  return repeats;
}

struct Container::Mapping {
  std::string name;
  MappedFile file;
};

Container::Container(fs::path folder) : folder_(std::move(folder)) {
  if (folder_.filename().empty()) folder_ = folder_.parent_path();  // "graphs/mine/"
  const fs::path path = folder_ / "graph.json";
  if (!fs::exists(path)) {
    throw bad_input(Place::file(folder_), fs::exists(folder_) ? "no graph.json" : "nothing",
                    "the folder of a graph", "'outcore generate' and 'outcore import' make one");
  }
  manifest_ = read_json(path);
  check_version(manifest_, path, kContainerVersion,
                "import or generate the graph again with this outcore");
  facts_.name = fs::absolute(folder_).lexically_normal().filename().string();
  facts_.vertices = json_field<VertexId>(manifest_, "vertices", path);
  facts_.edges = json_field<EdgeIndex>(manifest_, "edges", path);
  facts_.symmetric = json_field<bool>(manifest_, "symmetric", path);
  facts_.has_ids = json_field<bool>(manifest_, "has_ids", path);
  facts_.has_names =
      manifest_.contains("has_names") && json_field<bool>(manifest_, "has_names", path);
  facts_.weighted = json_field<bool>(manifest_, "weighted", path);
  if (manifest_.contains("loops")) {
    facts_.repeats = {json_field<std::uint64_t>(manifest_, "loops", path),
                      json_field<std::uint64_t>(manifest_, "parallel", path)};
  }
  facts_.provenance = json_field<nlohmann::json>(manifest_, "provenance", path);
  check_file_table(manifest_, path);
}

Container Container::without_files(fs::path folder, GraphFacts facts) {
  Container container;
  container.folder_ = std::move(folder);
  container.facts_ = std::move(facts);
  return container;
}

Container::~Container() = default;
Container::Container(Container&&) noexcept = default;
Container& Container::operator=(Container&&) noexcept = default;

fs::path Container::layout_folder(const std::string& name) const {
  return folder_ / "layouts" / name;
}

std::vector<std::string> Container::layouts() const {
  std::vector<std::string> names;
  if (!fs::exists(folder_ / "layouts")) return names;
  for (const auto& entry : fs::directory_iterator(folder_ / "layouts")) {
    if (fs::exists(entry.path() / "layout.json")) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

template <typename T>
std::span<const T> Container::mapped(const std::string& name, std::uint64_t count) {
  auto mapping =
      std::find_if(mappings_.begin(), mappings_.end(), [&](auto& m) { return m->name == name; });
  if (mapping == mappings_.end()) {
    if (count > std::numeric_limits<std::uint64_t>::max() / sizeof(T)) {
      throw bad_input(Place::file(folder_ / "graph.json"), fmt::format("{} edges", count),
                      "a number that a file can hold", "import or generate the graph again");
    }
    check_file_size(folder_ / name, file_entry(manifest_, name, folder_ / "graph.json"),
                    count * sizeof(T));
    mapping = mappings_.insert(
        mappings_.end(), std::make_unique<Mapping>(Mapping{name, MappedFile(folder_ / name)}));
  }
  return (*mapping)->file.template as<T>();
}

CsrView Container::csr(Direction direction) {
  const std::string prefix = direction == Direction::in && !facts_.symmetric ? "in" : "out";
  const bool is_new = std::none_of(mappings_.begin(), mappings_.end(), [&](auto& mapping) {
    return mapping->name == prefix + ".targets";
  });
  const auto offsets = mapped<EdgeIndex>(prefix + ".offsets", std::uint64_t{facts_.vertices} + 1);
  if (is_new) check_offsets(folder_ / (prefix + ".offsets"), offsets, facts_.edges);
  return {offsets, mapped<VertexId>(prefix + ".targets", facts_.edges),
          facts_.weighted ? mapped<float>(prefix + ".weights", facts_.edges)
                          : std::span<const float>{}};
}

std::span<const std::uint64_t> Container::ids() {
  if (!facts_.has_ids) return {};
  return mapped<std::uint64_t>("ids", facts_.vertices);
}

Names Container::names() {
  if (!facts_.has_names || facts_.vertices == 0) return {};
  const auto offsets = mapped<std::uint64_t>("names.offsets", std::uint64_t{facts_.vertices} + 1);
  const auto order = mapped<VertexId>("names.order", facts_.vertices);
  check_name_files(folder_, offsets, order);
  return {mapped<char>("names.bytes", offsets.back()), offsets, order};
}

}  // namespace outcore
