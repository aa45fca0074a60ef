// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_layout.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "common/error.h"
#include "common/files.h"
#include "common/hash.h"
#include "storage/container/builder.h"
#include "storage/container/hashed_file.h"
#include "storage/inspect/check_graph.h"
#include "storage/inspect/layout_stats.h"
#include "storage/layout/edges/edge_layout.h"
#include "storage/layout/edges/values_door.h"
#include "storage/layout/parts.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

constexpr const char* kName = "fuzzed";
constexpr std::size_t kBlock = 4096;

using Files = std::map<std::string, std::string>;  // by path within the container

struct Variant {
  LayoutChoices choices = {};
  bool symmetric = false;
};

// Packs of edges come first, so that later added packs of lists do not change the others' numbers.
std::vector<std::string> packs() {
  std::vector<std::string> names;
  for (const EdgePackPart& pack : edge_pack_parts()) names.push_back(pack.name);
  for (const PackPart& pack : pack_parts()) names.push_back(pack.name);
  return names;
}

std::uint8_t byte_at(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<std::uint8_t>(bytes[at]) : 0;
}

// What else may be chosen, combined: only a few, because each is built with every pack and codec.
struct Options {
  const char* number;
  const char* weights;
  unsigned inline_edges;
  bool mini_data;
  unsigned heads;
  bool symmetric;
};
constexpr std::array<Options, 6> kOptions = {{
    {"original", "none", 0, false, 0, false},
    {"degree", "given", 2, false, 2, false},
    {"original", "none", 2, true, 0, true},
    {"original", "hashed", 3, false, 0, true},
    {"degree", "given", 1, true, 1, false},
    {"degree", "none", 0, true, 0, true},
}};

Variant choices_of(std::string_view bytes) {
  const Options& options = kOptions[byte_at(bytes, 2) % kOptions.size()];
  Variant variant{.symmetric = options.symmetric};
  LayoutChoices& choices = variant.choices;
  choices.pack = packs()[byte_at(bytes, 0) % fuzzed_packs()];
  choices.number = options.number;
  choices.weights = options.weights;
  if (choices.pack == "grid") set_pack(choices, "grid:p=3,groups=2");
  if (choices.pack == "psw") set_pack(choices, "psw:p=3,value=8");
  if (find_edge_pack(choices.pack) != nullptr) return variant;
  // A chunk of level 0 is half a block, one of level 1 is two blocks; longer lists are super.
  if (choices.pack == "chunks") set_pack(choices, "chunks:levels=2,smallest=2048,factor=4");
  choices.codec = codec_parts()[byte_at(bytes, 1) % fuzzed_codecs()].name;
  choices.inline_edges = options.inline_edges;
  choices.mini_data = options.mini_data && choices.codec == "raw";
  choices.heads = options.heads;
  return variant;
}

// Few vertices, so that changes hit their entries; one list takes several blocks in each codec.
void make_graph(const fs::path& folder, bool symmetric) {
  constexpr VertexId kVertices = 48;
  std::vector<WeightedEdge> edges;
  const auto add = [&](VertexId u, VertexId v) {
    edges.push_back({u, v, static_cast<float>(mix(u + v) % 100) / 7 - 1});
  };
  for (std::uint32_t i = 0; i < 3500; ++i) add(5, i * 40 / 3500);
  for (std::uint32_t i = 0; i < 600; ++i) add(7, i * 40 / 600);
  for (VertexId v = 0; v < 40; ++v) {
    for (std::uint64_t i = 0; i < mix(v) % 6; ++i) {
      add(v, static_cast<VertexId>(mix(v * 7 + i) % kVertices));
    }
  }
  std::vector<std::uint64_t> ids(kVertices);
  for (VertexId v = 0; v < kVertices; ++v) ids[v] = 3 * v + 10;
  BuildOptions options;
  options.edges = symmetric ? Edges::mirrored : Edges::directed;
  options.weighted = true;
  options.memory = kLeastSortMemory;
  options.force = true;
  ContainerBuilder builder(folder, options);
  builder.add_weighted(edges);
  builder.finish(kVertices, ids);
}

Files read_files(const fs::path& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::stringstream bytes;
    bytes << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    files[fs::relative(entry.path(), folder).string()] = bytes.str();
  }
  return files;
}

void write_files(const Files& files, const fs::path& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder / "layouts" / kName);
  for (const auto& [name, bytes] : files) {
    std::ofstream(folder / name, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
}

// Builds each choice once.
const Files& built(std::string_view bytes, const fs::path& folder) {
  const Variant variant = choices_of(bytes);
  static std::map<std::string, Files> all;
  const std::string key = layout_name(variant.choices) + (variant.symmetric ? " symmetric" : "");
  const auto [at, is_new] = all.try_emplace(key);
  if (is_new) {
    fs::remove_all(folder);  // a changed graph there is none that `force` would replace
    make_graph(folder, variant.symmetric);
    build_layout(folder, variant.choices, kName, true);
    at->second = read_files(folder);
  }
  return at->second;
}

struct Change {
  std::uint8_t what = 0;
  std::uint8_t file = 0;
  std::uint16_t where = 0;
  std::uint32_t value = 0;
};

std::vector<Change> changes_of(std::string_view bytes) {
  std::vector<Change> changes;
  for (std::size_t at = 3; at + 8 <= bytes.size(); at += 8) {
    Change change{.what = byte_at(bytes, at), .file = byte_at(bytes, at + 1)};
    std::memcpy(&change.where, bytes.data() + at + 2, sizeof(change.where));
    std::memcpy(&change.value, bytes.data() + at + 4, sizeof(change.value));
    changes.push_back(change);
  }
  return changes;
}

bool is_json(const std::string& name) { return name.ends_with(".json"); }

// Overwrites a whole word, the `where`-th of the file.
template <typename T>
void put(std::string& bytes, std::uint16_t where, T value) {
  const std::size_t words = bytes.size() / sizeof(T);
  if (words > 0) std::memcpy(bytes.data() + where % words * sizeof(T), &value, sizeof(T));
}

void change_bytes(std::string& bytes, const Change& change) {
  switch (change.what % 6) {
    case 0:
      if (!bytes.empty()) bytes[change.where % bytes.size()] ^= static_cast<char>(change.value);
      break;
    case 1:
      put(bytes, change.where, change.value);
      break;
    case 2:  // small numbers, and numbers that a small addition makes small
      put(bytes, change.where, static_cast<std::int64_t>(static_cast<std::int32_t>(change.value)));
      break;
    case 3:
      put(bytes, change.where, std::uint64_t{change.value} << 32);
      break;
    case 4:  // an entry of an index, a cell's number of edges: high and low bits
      put(bytes, change.where, std::uint64_t{change.value & 0xffff} << 48 | change.value >> 16);
      break;
    default:
      bytes.resize(std::min<std::size_t>(change.where, 4 * kBlock), '\0');
  }
}

// Replaces one value of a document by a number or by something else, or removes it.
void change_json(std::string& text, const Change& change) {
  const nlohmann::json leaves = nlohmann::json::parse(text).flatten();
  if (leaves.empty()) return;
  auto leaf = leaves.begin();
  std::advance(leaf, change.where % leaves.size());
  nlohmann::json json = nlohmann::json::parse(text);
  const nlohmann::json::json_pointer pointer(leaf.key());
  nlohmann::json& parent = json.at(pointer.parent_pointer());
  nlohmann::json& value = json.at(pointer);
  switch (change.what / 8 % 8) {
    case 0:
    case 1:
      value = change.value;
      break;
    case 2:
      value = -std::int64_t{change.value};
      break;
    case 3:
      value = std::uint64_t{change.value} << 32 | change.value;
      break;
    case 4:
      value = change.value / 7.0;
      break;
    case 5:
      value = std::to_string(change.value);
      break;
    case 6:
      value = nlohmann::json::array({change.value});
      break;
    default:
      if (parent.is_object()) parent.erase(pointer.back());
  }
  text = json.dump();
}

std::string sums_of(const std::string& blocks, bool of_values) {
  std::vector<std::uint32_t> sums;
  for (std::size_t at = 0; at + kBlock <= blocks.size(); at += kBlock) {
    sums.push_back(checksum32(std::as_bytes(std::span(blocks).subspan(at, kBlock))));
  }
  if (of_values) sums.push_back(checksum32(std::as_bytes(std::span(sums))));
  return {reinterpret_cast<const char*>(sums.data()), sums.size() * sizeof(sums[0])};
}

// Updates the sizes and checksums in the table of files of `manifest`.
void seal_table(nlohmann::json& manifest, const Files& files, const std::string& folder) {
  if (!manifest.contains("files")) return;
  for (auto& [name, entry] : manifest["files"].items()) {
    const auto file = files.find(folder + name);
    if (file == files.end() || !entry.is_object()) continue;
    entry["bytes"] = file->second.size();
    if (!entry.contains("hash")) continue;
    entry["hash"] = hash_text(hash_bytes(std::as_bytes(std::span(file->second))));
  }
}

void seal(Files& files, const Files& before) {
  const std::string folder = std::string("layouts/") + kName + "/";
  for (const auto& [name, bytes] : before) {
    const std::string sums = name.substr(0, name.rfind('.')) + ".sums";
    if (!name.ends_with(".blocks") || files[name] == bytes) continue;
    files[sums] = sums_of(files[name], name.ends_with("values.blocks"));
  }
  auto graph = nlohmann::json::parse(files["graph.json"]);
  seal_table(graph, files, "");
  auto layout = nlohmann::json::parse(files[folder + "layout.json"]);
  seal_table(layout, files, folder);
  graph = sealed(graph);
  layout["graph"] = graph;
  files["graph.json"] = graph.dump();
  files[folder + "layout.json"] = sealed(layout).dump();
}

Files changed(const Files& before, const std::vector<Change>& changes) {
  Files files = before;
  const auto name_of = [&](const Change& change) {
    auto file = before.begin();
    std::advance(file, change.file % before.size());
    return file->first;
  };
  for (const Change& change : changes) {
    const std::string name = name_of(change);
    if (!is_json(name)) {
      change_bytes(files[name], change);
    } else if (change.what % 8 != 0) {
      change_json(files[name], change);
    }
  }
  seal(files, before);
  for (const Change& change : changes) {  // the text itself, which nothing seals
    const std::string name = name_of(change);
    if (is_json(name) && change.what % 8 == 0) change_bytes(files[name], change);
  }
  return files;
}

// Depends on everything that is read, so that no read is optimised away.
class Digest {
 public:
  void add(std::uint64_t value) { sum_ += mix(value); }
  [[nodiscard]] std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

// Reads blocks one by one, with no more padding after each than readers are promised.
class BlockReader {
 public:
  explicit BlockReader(const BlockFile& file)
      : file_(File::open_read(file.path)), block_(file.block_bytes + kReadAhead) {}
  std::byte* read(BlockId block) {
    const std::size_t bytes = block_.size() - kReadAhead;
    file_.read(std::span(block_).first(bytes), block * bytes);
    return block_.data();
  }

 private:
  File file_;
  std::vector<std::byte> block_;
};

void read_lists(const Layout& layout, Direction direction, Digest& digest) {
  const ListIndex& index = layout.index(direction);
  const PieceFormat& format = layout.pieces();
  BlockReader blocks(layout.block_files()[layout.file(direction)]);
  std::vector<VertexId> ids(format.most_edges());
  std::vector<float> weights(format.most_edges());
  const auto add = [&](std::uint64_t count, const VertexId* list, const float* weighed) {
    for (std::uint64_t i = 0; i < count; ++i) {
      digest.add(list[i]);
      if (weighed != nullptr) digest.add(std::bit_cast<std::uint32_t>(weighed[i]));
    }
  };
  for (VertexId id = 0; id < layout.facts().id_space; ++id) {
    const std::uint64_t degree = index.degree(id);
    if (index.is_inline(degree)) {
      const InlineList list = index.inline_list(id);
      add(degree, list.ids, list.weights);
      continue;
    }
    const ListAddress address = index.address(id);
    for (BlockId b = index.first_block(address); b <= index.last_block(address); ++b) {
      const DecodedPiece piece =
          format.read(index.part(address, b), blocks.read(b), {ids.data(), weights.data()});
      add(piece.count, piece.ids, piece.weights);
    }
  }
}

void read_layout(const fs::path& folder, Digest& digest) {
  const Layout layout(folder);
  for (VertexId id = 0; id < layout.facts().id_space; ++id) {
    if (layout.is_real(id)) digest.add(layout.original(id));
  }
  for (const Direction direction : {Direction::out, Direction::in}) {
    read_lists(layout, direction, digest);
    for (const VertexId head : layout.heads(direction)) digest.add(head);
    if (layout.facts().out_levels.empty()) continue;
    for (const VertexId id : layout.read_order(direction)) {
      digest.add(layout.index(direction).degree(id));
    }
  }
  for (const DirectionStats& stats : layout_stats(layout)) digest.add(stats.chunk_reads);
}

std::vector<std::uint32_t> read_column(const BlockFile& file) {
  std::vector<std::uint32_t> words(file.blocks() * file.block_bytes / sizeof(std::uint32_t));
  File::open_read(file.path).read(std::as_writable_bytes(std::span(words)), 0);
  return words;
}

void read_values(const EdgeLayout& layout, Digest& digest) {
  ValuesDoor door(layout);
  for (std::uint32_t row = 0; row < layout.facts().intervals; ++row) {
    for (std::uint32_t column = 0; column < layout.facts().intervals; ++column) {
      digest.add(hash_bytes(door.read(layout.cell(row, column))));
    }
  }
  door.close();
}

void read_edge_layout(const fs::path& folder, Digest& digest) {
  const EdgeLayout layout(folder);
  for (VertexId id = 0; id < layout.facts().id_space; ++id) {
    digest.add(layout.original(id));
    digest.add(layout.intervals().of(id));
    digest.add(layout.degrees(Direction::out)[id] + layout.degrees(Direction::in)[id]);
  }
  const std::uint64_t words = layout.facts().block_bytes / sizeof(std::uint32_t);
  for (const EdgeColumn kind : edge_columns(layout.choices())) {
    const auto file = layout.block_files()[layout.file(kind).value()];
    const std::vector<std::uint32_t> column = read_column(file);
    for (std::uint32_t row = 0; row < layout.facts().intervals; ++row) {
      for (std::uint32_t to = 0; to < layout.facts().intervals; ++to) {
        const EdgeCell& cell = layout.cell(row, to);
        const bool runs = kind == EdgeColumn::runs;
        const std::uint64_t first = (runs ? cell.first_run_block : cell.first_block) * words;
        const std::uint64_t count = runs ? 2 * cell.runs : cell.edges;
        for (std::uint64_t i = 0; i < count; ++i) digest.add(column.at(first + i));
      }
    }
  }
  if (layout.facts().value_bytes > 0) read_values(layout, digest);
}

void read_container(const fs::path& folder, Digest& digest) {
  Container container(folder);
  for (const Direction direction : {Direction::out, Direction::in}) {
    const CsrView csr = container.csr(direction);
    for (VertexId v = 0; v < csr.vertices(); ++v) {
      for (const VertexId target : csr.list(v)) digest.add(target);
      for (const float weight : csr.weights(v)) digest.add(std::bit_cast<std::uint32_t>(weight));
    }
  }
  for (const std::uint64_t id : container.ids()) digest.add(id);
}

template <typename Call>
bool answers(const Call& call) {
  try {
    call();
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::size_t fuzzed_packs() { return packs().size(); }
std::size_t fuzzed_codecs() { return codec_parts().size(); }

FuzzOutcome fuzz_layout(std::string_view bytes, const fs::path& folder) {
  write_files(changed(built(bytes, folder), changes_of(bytes)), folder);
  const fs::path layout = folder / "layouts" / kName;
  const bool held = answers([&] { check_graph(folder, [](const std::string&) {}); });
  Digest digest;
  const bool opened = answers([&] { read_container(folder, digest); });
  const bool read = answers([&] {
    if (holds_edges(layout)) {
      read_edge_layout(layout, digest);
    } else {
      read_layout(layout, digest);
    }
  });
  if (held && !(opened && read)) throw std::logic_error("the check passed what cannot be read");
  return held ? FuzzOutcome::imported : FuzzOutcome::refused;
}

}  // namespace outcore
