// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/layout.h"

#include <fmt/format.h>

#include <future>

#include "common/error.h"
#include "common/files.h"
#include "storage/container/hashed_file.h"
#include "storage/io/door.h"
#include "storage/layout/coded_file.h"
#include "storage/layout/layout_command.h"
#include "storage/layout/manifest.h"
#include "storage/layout/open_checks.h"
#include "storage/layout/parts.h"
#include "storage/layout/virtual_ids.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

std::uint64_t file_bytes(const fs::path& folder, const std::string& name,
                         const nlohmann::json& manifest) {
  const nlohmann::json entry = file_entry(manifest, name, folder / "layout.json");
  return json_field<std::uint64_t>(entry, "bytes", folder / "layout.json");
}

// Reads a file whose size gives its number of Ts.
template <typename T>
std::vector<T> read_all(const fs::path& folder, const std::string& name,
                        const nlohmann::json& manifest) {
  return read_checked<T>(folder, name, file_bytes(folder, name, manifest) / sizeof(T), manifest);
}

void check_count(std::size_t entries, const LayoutFacts& facts, const fs::path& path) {
  if (entries <= facts.id_space) return;
  throw bad_input(Place::file(path), fmt::format("{} entries", entries),
                  fmt::format("at most {}, one for each id", facts.id_space), kBuildAgain);
}

RunningPositions read_lengths(const fs::path& folder, const std::string& name,
                              const LayoutFacts& facts, const LongLists& longs,
                              const nlohmann::json& manifest) {
  auto lengths = read_all<std::uint16_t>(folder, name, manifest);
  check_count(lengths.size(), facts, folder / name);
  return {std::move(lengths), [&](VertexId id) {
            const auto list = longs.find(id);  // check_index reports it if it is missing
            return list == longs.end() ? 0 : list->second.degree;
          }};
}

// Takes the positions of a layout as its file has them, modulo 2^32, and checks each.
class PositionReader {
 public:
  PositionReader(PositionCheck check, RankedPositions& positions)
      : check_(check), positions_(positions) {}

  // Of as many ids as there are words, none of them virtual.
  void add_lists(std::span<const std::uint32_t> words) {
    const std::uint64_t last = position_ + (words.back() - low());
    if (check_.all_hold(words, low(), last) && RankedPositions::are_low(last)) {
      positions_.add_low(words);
      check_.skip(words.size(), last);
      position_ = last;
      return;
    }
    for (const std::uint32_t word : words) add(word, false);
  }
  void add(std::uint32_t word, bool is_virtual) {
    position_ += word - low();
    if (check_.add(position_, is_virtual)) positions_.add(position_, is_virtual);
  }
  void finish(const fs::path& path) const { check_.finish(path); }

 private:
  [[nodiscard]] std::uint32_t low() const { return static_cast<std::uint32_t>(position_); }

  PositionCheck check_;
  RankedPositions& positions_;
  std::uint64_t position_ = 0;
};

// The last of `count` positions belongs to no id.
RankedPositions read_positions(const fs::path& folder, const std::string& name, std::uint64_t count,
                               PositionCheck check, VertexId ids, VirtualIds& virtual_ids,
                               const nlohmann::json& manifest) {
  RankedPositions positions;
  positions.reserve(std::min<std::uint64_t>(count, std::uint64_t{ids} + 1));
  PositionReader reader(check, positions);
  VertexId id = 0;
  read_coded(folder, name, count, manifest, [&](std::span<const std::uint32_t> words) {
    const auto end = static_cast<VertexId>(std::min(id + words.size(), count - 1));
    const VertexId begin = id;
    for (const VertexId next : virtual_ids.within(begin, end)) {
      if (next > id) reader.add_lists(words.subspan(id - begin, next - id));
      reader.add(words[next - begin], true);
      id = next + 1;
    }
    if (const auto rest = words.subspan(id - begin); !rest.empty()) reader.add_lists(rest);
    id = begin + static_cast<VertexId>(words.size());
  });
  reader.finish(folder / name);
  return positions;
}

// A virtual id is stored as the vertex before it.
OriginalIds read_originals(const fs::path& folder, const LayoutFacts& facts,
                           VirtualIds& virtual_ids, const nlohmann::json& manifest) {
  OriginalIds original;
  VertexId before = kNoVertex;
  std::vector<VertexId> vertices;
  std::vector<VertexId> found;
  read_coded(folder, "original", facts.id_space, manifest, [&](std::span<const VertexId> ids) {
    if (original.empty()) original = OriginalIds(facts.id_space);  // the file is large enough
    const auto begin = static_cast<VertexId>(original.size());
    vertices.assign(ids.begin(), ids.end());
    found.clear();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (std::exchange(before, ids[i]) != ids[i]) continue;
      vertices[i] = kNoVertex;
      found.push_back(begin + static_cast<VertexId>(i));
    }
    original.add(vertices);
    virtual_ids.add(found, begin + static_cast<VertexId>(ids.size()));
  });
  return original;
}

ListIndex read_index(const fs::path& folder, const std::string& prefix,
                     const LayoutChoices& choices, const LayoutFacts& facts, bool encoded,
                     std::uint64_t blocks, VirtualIds& virtual_ids,
                     const nlohmann::json& manifest) {
  ListIndex::Parts parts;
  const auto longs = read_all<std::uint64_t>(folder, prefix + ".long", manifest);
  for (std::size_t i = 0; i + 3 <= longs.size(); i += 3) {
    parts.longs.emplace(static_cast<VertexId>(longs[i]), LongList{longs[i + 1], longs[i + 2]});
  }
  parts.inline_edges = choices.inline_edges;
  parts.encoded = encoded;
  parts.slots_per_block = facts.slots_per_block;
  parts.form = index_form(choices, choices.mini_data && prefix == "out");
  const std::string index = prefix + ".index";
  switch (parts.form) {
    case IndexForm::sparse:
      break;  // in no file
    case IndexForm::lengths:
      parts.running = read_lengths(folder, index, facts, parts.longs, manifest);
      break;
    case IndexForm::packed:
      parts.entries = read_all<std::uint64_t>(folder, index, manifest);
      check_count(parts.entries.size(), facts, folder / index);
      break;
    case IndexForm::in_index:
      parts.degrees = read_all<std::uint32_t>(folder, prefix + ".degrees", manifest);
      check_count(parts.degrees.size(), facts, folder / (prefix + ".degrees"));
      parts.words = read_checked<std::uint32_t>(
          folder, index,
          std::uint64_t{parts.listed()} * ListIndex::entry_words(choices.inline_edges), manifest);
      break;
    case IndexForm::mini_data:
      parts.theta = facts.theta;
      if (parts.theta.size() != choices.inline_edges + 1) {
        throw bad_input(Place::file(folder / "layout.json"),
                        fmt::format("theta of {} ids", parts.theta.size()),
                        fmt::format("{}", choices.inline_edges + 1), kBuildAgain);
      }
      parts.positions =
          read_positions(folder, index, std::uint64_t{parts.theta.back()} + 1,
                         PositionCheck(choices.inline_edges, blocks * facts.slots_per_block),
                         facts.id_space, virtual_ids, manifest);
      parts.mini = read_all<VertexId>(folder, prefix + ".mini", manifest);
  }
  if (choices.weights != "none" && choices.inline_edges > 0) {
    const std::uint64_t count = parts.form == IndexForm::mini_data
                                    ? parts.mini.size()
                                    : std::uint64_t{parts.listed()} * choices.inline_edges;
    parts.weights = read_checked<float>(folder, prefix + ".inline_weights", count, manifest);
  }
  check_index(parts, facts.id_space, blocks * facts.slots_per_block, folder, prefix);
  return ListIndex(std::move(parts));
}

BlockFile read_sums(const fs::path& folder, const std::string& prefix, const LayoutFacts& facts,
                    const nlohmann::json& manifest) {
  const std::string name = prefix + ".blocks";
  if (const Striping striping = striping_of(manifest, facts.block_bytes, folder / "layout.json");
      striping.unit > 0) {
    BlockFile file{folder / name, facts.block_bytes,
                   read_all<std::uint32_t>(folder, prefix + ".sums", manifest)};
    file.stripe_blocks = striping.unit;
    file.stripes = stripe_files(folder, name, striping, file.blocks(), facts.block_bytes, manifest);
    return file;
  }
  const std::uint64_t blocks = file_bytes(folder, name, manifest) / facts.block_bytes;
  check_file_size(folder / name, file_entry(manifest, name, folder / "layout.json"),
                  blocks * facts.block_bytes);
  return {folder / name, facts.block_bytes,
          read_checked<std::uint32_t>(folder, prefix + ".sums", blocks, manifest)};
}

}  // namespace

IndexForm index_form(const LayoutChoices& choices, bool ranked) {
  if (ranked) return IndexForm::mini_data;
  if (choices.inline_edges > 0) return IndexForm::in_index;
  const bool one_behind_the_other =
      choices.pack == "csr" && choices.place == "id" && choices.codec == "raw";
  return one_behind_the_other ? IndexForm::lengths : IndexForm::packed;
}

Layout::Layout(fs::path in_folder)
    : OpenedGraph(std::move(in_folder), {kKind, kLayoutVersion}),
      facts_(facts_from_manifest(manifest(), folder() / "layout.json")),
      pieces_(codec_part(choices().codec), choices().weights != "none", choices().block_bytes) {
  const fs::path path = folder() / "layout.json";
  if (facts_.block_bytes != choices().block_bytes ||
      facts_.slots_per_block != pieces_.slots_per_block()) {
    throw bad_input(Place::file(path), "facts of another block size",
                    fmt::format("{} bytes", choices().block_bytes), kBuildAgain);
  }
  const bool has_ids = choices().number != "original" || choices().mini_data;
  if (!has_ids && facts_.id_space != facts_.vertices) {
    throw bad_input(Place::file(path), fmt::format("id_space {}", facts_.id_space),
                    fmt::format("{}, one for each vertex", facts_.vertices), kBuildAgain);
  }
  // Read by another thread at the same time.
  VirtualIds virtual_ids;
  std::future<void> ids;
  if (has_ids) ids = std::async(std::launch::async, [&] { read_ids(virtual_ids); });
  try {
    read_directions(virtual_ids);
  } catch (const Error&) {
    if (has_ids) ids.get();  // a broken table of ids may be the reason
    throw;
  }
  if (has_ids) ids.get();
}

Layout::Layout(fs::path store, const CommonFacts& facts, ListIndex out, ListIndex in,
               std::vector<BlockFile> files)
    : OpenedGraph(std::move(store), GraphKind::store, facts),
      pieces_(codec_part("raw"), false, facts.block_bytes),
      out_(std::move(out)),
      in_(std::move(in)) {
  static_cast<CommonFacts&>(facts_) = facts;
  block_files_ = std::move(files);
}

void Layout::read_ids(VirtualIds& virtual_ids) {
  try {
    original_ = read_originals(folder(), facts_, virtual_ids, manifest());
  } catch (...) {
    virtual_ids.stop();
    throw;
  }
  virtual_ids.stop();
  check_originals(original_, facts_.vertices, folder() / "original");
}

void Layout::read_directions(VirtualIds& virtual_ids) {
  const fs::path path = folder() / "layout.json";
  read_direction("out", out_, out_heads_, virtual_ids);
  check_levels(facts_.out_levels, choices(), block_files_.front().blocks(), path);
  if (facts_.symmetric) return;
  read_direction("in", in_, in_heads_, virtual_ids);
  check_levels(facts_.in_levels, choices(), block_files_.back().blocks(), path);
}

void Layout::read_direction(const std::string& prefix, ListIndex& index,
                            std::vector<VertexId>& heads, VirtualIds& virtual_ids) {
  block_files_.push_back(read_sums(folder(), prefix, facts_, manifest()));
  const auto read_lists = [&] {
    index = read_index(folder(), prefix, choices(), facts_, pieces_.encoded(),
                       block_files_.back().blocks(), virtual_ids, manifest());
  };
  if (choices().heads == 0) return read_lists();
  // Read by another thread at the same time. How many there are to be, the index says.
  const std::string name = prefix + ".heads";
  const nlohmann::json entry = file_entry(manifest(), name, folder() / "layout.json");
  std::future<std::vector<VertexId>> read = std::async(
      std::launch::async, [&] { return read_all<VertexId>(folder(), name, manifest()); });
  read_lists();
  heads = read.get();
  check_file_size(folder() / name, entry,
                  std::uint64_t{index.listed()} * choices().heads * sizeof(VertexId));
}

std::vector<VertexId> Layout::read_order(Direction direction) const {
  if (facts_.out_levels.empty()) {
    throw usage_error(
        fmt::format("{} has no order table; {}", folder().string(),
                    how_to_have(graph_of_layout(folder()), layout_preset("chunkgraph"))));
  }
  const bool in = direction == Direction::in && !facts_.symmetric;
  const char* const name = in ? "in.order" : "out.order";
  auto order = read_checked<VertexId>(folder(), name, facts_.id_space, manifest());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] < facts_.id_space) continue;
    throw bad_input(Place::offset(folder() / name, i * sizeof(VertexId)),
                    fmt::format("vertex {}", order[i]), "each id once, in the order of the blocks",
                    kBuildAgain);
  }
  return order;
}

std::uint64_t Layout::index_bytes() const {
  return OpenedGraph::index_bytes() + out_.memory_bytes() + in_.memory_bytes() +
         (out_heads_.size() + in_heads_.size()) * sizeof(VertexId);
}

void Layout::forget_lists() {
  out_ = ListIndex();
  in_ = ListIndex();
  out_heads_ = std::vector<VertexId>();
  in_heads_ = std::vector<VertexId>();
}

}  // namespace outcore
