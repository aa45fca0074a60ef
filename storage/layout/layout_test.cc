// SPDX-License-Identifier: Apache-2.0
// An independent reader shows here that a layout holds the graph it was made from, over blocks read
// from the file. Then check_layout is shown to find what was broken on purpose.
#include "storage/layout/layout.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files.h"
#include "common/hash.h"
#include "storage/container/builder.h"
#include "storage/container/container.h"
#include "storage/layout/broken_layout.h"
#include "storage/layout/expect_same_graph.h"
#include "storage/layout/manifest.h"
#include "storage/layout/parts.h"
#include "tests/sanitized.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

fs::path graph_folder(const std::string& name) {
  const fs::path folder = fs::path(testing::TempDir()) / "layout_test" / name;
  fs::remove_all(folder);
  return folder;
}

// A hub longer than four blocks of 4 KB, a list of exactly a block, one slightly longer, short
// lists, loops and duplicates, isolated vertices.
void make_graph(const fs::path& folder, bool symmetric) {
  constexpr VertexId kVertices = 1600;
  std::vector<Edge> edges;
  for (VertexId i = 0; i < 4500; ++i) edges.emplace_back(17, i % 1500);
  for (VertexId v = 0; v < 1024; ++v) edges.emplace_back(1500, v);
  for (VertexId v = 0; v < 1025; ++v) edges.emplace_back(1501, v);
  for (VertexId v = 0; v < 1400; ++v) {
    for (std::uint64_t i = 0; i < mix(v) % 7; ++i) {
      edges.emplace_back(v, static_cast<VertexId>(mix(v * 7 + i) % kVertices));
    }
  }
  edges.emplace_back(3, 3);
  edges.emplace_back(3, 4);
  edges.emplace_back(3, 4);
  std::vector<WeightedEdge> weighted;
  for (const auto& [u, v] : edges) {
    // The same in both directions, as a symmetric graph requires; some are 0 and some negative.
    weighted.push_back({u, v, static_cast<float>(mix(u + v) % 1000) / 7 - 1});
  }
  make_weighted_container(folder, kVertices, weighted, symmetric);
}

void expect_built(const LayoutChoices& choices, bool symmetric) {
  const fs::path folder = graph_folder("every");
  make_graph(folder, symmetric);
  const std::string name = build_layout(folder, choices, "", false);
  SCOPED_TRACE(name);
  expect_same_graph(folder, name);
  const Layout layout(folder / "layouts" / name);
  EXPECT_EQ(layout.choices(), complete_choices(choices));
}

class EveryChoice : public testing::TestWithParam<
                        std::tuple<std::string, std::string, std::string, std::uint32_t, bool>> {};

TEST_P(EveryChoice, HoldsTheGraph) {
  const auto& [number, place, pack, block_bytes, symmetric] = GetParam();
  expect_built({.number = number, .place = place, .pack = pack, .block_bytes = block_bytes},
               symmetric);
}

// What is written into blocks and index, for each pack: codec, lists in the index, weights.
struct FormCase {
  std::string pack;
  std::string codec;
  unsigned inline_edges;
  bool mini_data;
  std::string weights;
  friend std::ostream& operator<<(std::ostream& out, const FormCase& form) {
    return out << form.pack << " " << form.codec << " " << form.inline_edges
               << (form.mini_data ? " mini-data " : " in-index ") << form.weights;
  }
};

std::vector<FormCase> form_cases() {
  std::vector<FormCase> cases;
  for (const PackPart& pack : pack_parts()) {
    for (const CodecPart& codec : codec_parts()) {
      for (const unsigned inline_edges : {0U, 1U, 2U, 3U}) {
        for (const char* weights : {"none", "hashed", "given"}) {
          cases.push_back({pack.name, codec.name, inline_edges, false, weights});
          if (codec.name == "raw") {
            cases.push_back({pack.name, codec.name, inline_edges, true, weights});
          }
        }
      }
    }
  }
  return cases;
}

class EveryForm : public testing::TestWithParam<FormCase> {};

// Number, place, direction and block size vary from case to case. Set OUTCORE_ALL_LAYOUTS to test
// all of them with every case.
TEST_P(EveryForm, HoldsTheGraph) {
  const FormCase& form = GetParam();
  const std::string name = testing::PrintToString(form);
  std::uint64_t turn = hash_bytes(std::as_bytes(std::span(name)));  // the same on every machine
  for (std::size_t all = std::getenv("OUTCORE_ALL_LAYOUTS") == nullptr ? 1 : 16; all-- > 0;) {
    const bool renumbered = (turn & 1) != 0;
    const LayoutChoices choices{.number = renumbered ? "random" : "original",
                                .place = (turn & 2) != 0 ? "degree" : "id",
                                .pack = form.pack,
                                .codec = form.codec,
                                .inline_edges = form.inline_edges,
                                .mini_data = form.mini_data,
                                .heads = static_cast<unsigned>(turn / 16 % 5),
                                .weights = form.weights,
                                .block_bytes = (turn & 4) != 0 ? 16384U : 4096U};
    expect_built(choices, (turn & 8) != 0);
    ++turn;
  }
}

// Parts that are added to the registries are tested without a change here.
template <typename Part>
std::vector<std::string> names(std::span<const Part> parts) {
  std::vector<std::string> names;
  for (const Part& part : parts) names.push_back(part.name);
  return names;
}

std::vector<std::uint32_t> block_sizes() {
  if (kSanitized) return {4096};
  return {4096, 65536};
}

INSTANTIATE_TEST_SUITE_P(Sweep, EveryChoice,
                         testing::Combine(testing::ValuesIn(names(number_parts())),
                                          testing::ValuesIn(names(place_parts())),
                                          testing::ValuesIn(names(pack_parts())),
                                          testing::ValuesIn(block_sizes()), testing::Bool()));
INSTANTIATE_TEST_SUITE_P(Sweep, EveryForm, testing::ValuesIn(thinned(form_cases())));

TEST(Layout, ListsWithoutEdgesTakeNoBlocks) {
  const fs::path folder = graph_folder("empty");
  make_container(folder, 3, {}, false);
  const Layout layout(folder / "layouts" / build_layout(folder, {}, "", false));
  EXPECT_EQ(layout.facts().blocks, 0U);
  EXPECT_EQ(layout.index(Direction::in).degree(2), 0U);
  make_container(folder / "none", 0, {}, true);
  EXPECT_EQ(build_layout(folder / "none", layout_preset("csr"), "", false), "csr");
  EXPECT_EQ(check_layout(folder / "none" / "layouts" / "csr").size(), 4U);
}

TEST(Firstfit, TakesTheFirstBlockWithRoomAndFreshBlocksForLongLists) {
  const std::vector<std::uint64_t> lengths = {3, 0, 2, 9, 1, 2, 4, 4, 3};
  const Packing packing = pack_firstfit(lengths, {4});
  // 3 -> block 0; 2 -> block 1; 9 -> blocks 2, 3, 4; 1 -> rest of block 0; 2 -> rest of block 1; 4
  // -> blocks 5 and 6; 3 -> the rest of the long list's last block.
  EXPECT_THAT(packing.positions, ElementsAre(0, 0, 4, 8, 3, 6, 20, 24, 17));
  EXPECT_EQ(packing.blocks, 7U);
}

TEST(Firstfit, NeverRunsOutOfItsRowOfBlocks) {
  for (const std::uint64_t length : {1, 2, 3, 4, 5, 7, 8, 9}) {
    for (const std::size_t lists : {1, 2, 3, 1000}) {
      const std::vector<std::uint64_t> lengths(lists, length);
      const Packing packing = pack_firstfit(lengths, {4});
      EXPECT_LE(packing.blocks, lists * ((length + 3) / 4));
    }
  }
}

TEST(Csr, CutsAnywhere) {
  const std::vector<std::uint64_t> lengths = {3, 0, 2, 9};
  const Packing packing = pack_csr(lengths, {4});
  EXPECT_THAT(packing.positions, ElementsAre(0, 3, 3, 5));
  EXPECT_EQ(packing.blocks, 4U);
}

TEST(ListIndex, KeepsDegreesThatDoNotFitTheEntryAside) {
  constexpr std::uint64_t kLong = ListIndex::kLongDegree + 5;
  constexpr std::uint64_t kFar = (std::uint64_t{1} << ListIndex::kPositionBits) - 1024;
  ListIndex::Parts parts;
  parts.entries = {ListIndex::pack(0, ListIndex::kLongDegree), ListIndex::pack(kFar, 3)};
  parts.longs = {{0, {.degree = kLong, .slots = kLong}}};
  const ListIndex index(std::move(parts));
  EXPECT_EQ(index.degree(0), kLong);
  EXPECT_EQ(index.last_block(index.address(0)), (kLong - 1) / 1024);
  EXPECT_EQ(index.address(1).position, kFar);
  EXPECT_EQ(index.degree(1), 3U);
}

// In files the degree is stored beside each entry; in memory it moves into entries that are
// positions.
TEST(ListIndex, PutsDegreesIntoTheEntriesOfListsInBlocks) {
  constexpr std::uint64_t kFar = (std::uint64_t{1} << ListIndex::kPositionBits) - 1024;
  constexpr std::uint32_t kLong = ListIndex::kLongDegree + 5;
  const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
  const auto high = [](std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); };
  ListIndex::Parts parts;
  parts.form = IndexForm::in_index;
  parts.inline_edges = 2;
  parts.encoded = true;
  parts.degrees = {2, 1, 0, 3, kLong, 4000, 0};
  parts.words = {7, 8, 9, kNoVertex, kNoVertex, kNoVertex};
  for (const std::uint64_t entry : {kFar, std::uint64_t{5000}, 6000 | ListIndex::kFlag}) {
    parts.words.insert(parts.words.end(), {low(entry), high(entry)});
  }
  parts.words.insert(parts.words.end(), {kNoVertex, kNoVertex});
  parts.longs = {{5, {.degree = 4000, .slots = 9000}}};
  const ListIndex index(std::move(parts));
  const std::vector<std::uint64_t> degrees = {2, 1, 0, 3, kLong, 4000, 0, 0};
  for (VertexId v = 0; v < degrees.size(); ++v) EXPECT_EQ(index.degree(v), degrees[v]) << v;
  EXPECT_THAT(std::span(index.inline_list(0).ids, 2), ElementsAre(7, 8));
  EXPECT_EQ(index.inline_list(1).ids[0], 9U);
  EXPECT_EQ(index.address(3).position, kFar);
  EXPECT_EQ(index.address(3).slots, 1U);
  EXPECT_EQ(index.address(4).position, 5000U);
  EXPECT_EQ(index.address(4).degree, kLong);
  EXPECT_EQ(index.address(5).position, 6000U);
  EXPECT_EQ(index.address(5).slots, 9000U);
}

TEST(RankedPositions, KeepWhatDoesNotFitTheirEntriesAside) {
  constexpr std::uint64_t kHigh = std::uint64_t{1} << 31;
  const std::vector<std::uint64_t> expected = {
      0, 1, kHigh - 1, kHigh, kHigh, kHigh + 7, 4 * kHigh + 5, 4 * kHigh + 6, 512 * kHigh};
  RankedPositions positions;
  for (std::size_t i = 0; i < expected.size(); ++i) positions.add(expected[i], i % 3 == 1);
  for (std::uint32_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(positions[i], expected[i]) << i;
    EXPECT_EQ(positions.is_virtual(i), i % 3 == 1) << i;
  }
  std::vector<std::uint32_t> distances(expected.size() - 1);
  positions.distances(0, static_cast<std::uint32_t>(distances.size()), distances.data());
  EXPECT_THAT(distances, ElementsAre(1, 0, 1, 0, 0, (3 * kHigh - 2) & 0xffff'ffff, 1, 0));
}

// ACGraph, Example 5.1: 10 large vertices, then 500 of degree 3, 1000 of 2 and 2000 of 1.
TEST(ListIndex, FindsMiniListsByIdAsInACGraphsExample) {
  ListIndex::Parts parts;
  parts.form = IndexForm::mini_data;
  parts.inline_edges = 3;
  parts.theta = {3510, 1510, 510, 10};
  parts.mini.resize(500 * 3 + 1000 * 2 + 2000);
  const std::size_t expected = (510 - 10) * 3 + (1200 - 510) * 2;
  parts.mini[expected] = 77;
  for (std::uint64_t i = 0; i < 11; ++i) parts.positions.add(i * 5, i == 7);
  const ListIndex index(std::move(parts));
  EXPECT_EQ(index.degree(1200), 2U);
  EXPECT_EQ(*index.inline_list(1200).ids, 77U);
  EXPECT_EQ(index.degree(10), 3U);
  EXPECT_EQ(index.degree(509), 3U);
  EXPECT_EQ(index.degree(510), 2U);
  EXPECT_EQ(index.degree(1510), 1U);
  EXPECT_EQ(index.degree(3509), 1U);
  EXPECT_EQ(index.degree(3510), 0U);
  EXPECT_EQ(index.inline_list(3508).ids + 1, index.inline_list(3509).ids);
  EXPECT_EQ(index.inline_list(3510).ids, nullptr);
  EXPECT_EQ(index.degree(9), 5U);
  EXPECT_EQ(index.address(6).position, 30U);
  EXPECT_EQ(index.degree(6), 5U) << "ends where the virtual vertex begins";
  EXPECT_EQ(index.degree(7), 0U);
  std::vector<std::uint32_t> together(3520 - 5);
  index.degrees({5, 3520}, together);
  for (VertexId v = 5; v < 3520; ++v) EXPECT_EQ(together[v - 5], index.degree(v)) << v;
}

TEST(ListIndex, EndsWithTheLastListThatHasEdges) {
  const fs::path folder = graph_folder("isolated");
  const std::vector<Edge> edges = {{1, 4}, {1, 5}, {1, 6}, {4, 1}};
  make_container(folder, 1000, edges, false);
  for (const unsigned inline_edges : {0U, 2U}) {
    const LayoutChoices choices{.number = "degree", .inline_edges = inline_edges, .heads = 1};
    const std::string name = build_layout(folder, choices, "", false);
    expect_same_graph(folder, name);
    const Layout layout(folder / "layouts" / name);
    const ListIndex& index = layout.index(Direction::out);
    EXPECT_EQ(index.listed(), 2U);
    EXPECT_EQ(index.memory_bytes(), 2U * 8 + (inline_edges == 0 ? 0 : 1));
    EXPECT_EQ(layout.heads(Direction::out).size(), 2U);
    EXPECT_EQ(index.degree(2), 0U);
    EXPECT_EQ(index.degree(999), 0U);
    EXPECT_EQ(index.inline_list(999).ids, nullptr);
  }
}

// For consecutive lists, some of them longer than an entry can hold.
TEST(ListIndex, AddsUpTheLengthsBefore) {
  const fs::path folder = graph_folder("lengths");
  std::vector<Edge> edges;
  std::vector<std::uint64_t> lengths(40, 3);
  lengths[0] = 65'535;
  lengths[2] = 0;
  lengths[17] = 65'534;
  lengths[20] = 70'000;
  lengths[21] = 65'536;
  for (VertexId v = 0; v < lengths.size(); ++v) {
    edges.insert(edges.end(), lengths[v], Edge{v, v % 7});
  }
  make_container(folder, 50, edges, false);
  const std::string name = build_layout(folder, {.pack = "csr"}, "", false);
  expect_same_graph(folder, name);
  const Layout layout(folder / "layouts" / name);
  const ListIndex& index = layout.index(Direction::out);
  EXPECT_EQ(index.form(), IndexForm::lengths);
  EXPECT_EQ(index.listed(), 40U);
  std::uint64_t position = 0;
  for (VertexId v = 0; v < lengths.size(); ++v) {
    EXPECT_EQ(index.degree(v), lengths[v]);
    if (lengths[v] > 0) {
      EXPECT_EQ(index.address(v).position, position);
    }
    position += lengths[v];
  }
  EXPECT_EQ(index.memory_bytes(), 40 * 2 + 3 * 8 + 3 * (sizeof(VertexId) + sizeof(LongList)));
  for (const LayoutChoices& other :
       {LayoutChoices{.pack = "csr", .codec = "svb"},
        LayoutChoices{.place = "degree", .pack = "csr"}, LayoutChoices{.pack = "firstfit"}}) {
    const Layout packed(folder / "layouts" / build_layout(folder, other, "", false));
    EXPECT_EQ(packed.index(Direction::out).form(), IndexForm::packed);
  }
}

// What an engine keeps in memory: ACGraph's form has no degrees, ChunkGraph's has one bit that says
// where the list is.
TEST(ListIndex, CostsWhatItsFormSays) {
  const fs::path folder = graph_folder("memory");
  make_graph(folder, true);
  const auto bytes = [&](unsigned inline_edges, bool mini_data) {
    const LayoutChoices choices{
        .pack = "lplf", .inline_edges = inline_edges, .mini_data = mini_data};
    return Layout(folder / "layouts" / build_layout(folder, choices, "", false))
        .index(Direction::out)
        .memory_bytes();
  };
  EXPECT_EQ(bytes(0, false), 1600 * 8U);
  EXPECT_EQ(bytes(2, false), 1600 * 8U + 1600 / 8);
  EXPECT_EQ(bytes(3, false), 1600 * 12U + 1600 / 8);
  const Layout layout(folder / "layouts" / "lplf-inline2");
  EXPECT_LT(bytes(2, true), 1600 * 8U + layout.facts().blocks * 4 + 64)
      << "positions, virtual vertices and lists that take the place of positions";
}

TEST(BuildLayout, NamesLayoutsByTheirChoices) {
  const fs::path folder = graph_folder("names");
  make_graph(folder, true);
  EXPECT_EQ(build_layout(folder, layout_preset("cave"), "", false), "firstfit");
  LayoutChoices choices = layout_preset("cave");
  EXPECT_EQ(layout_name(choices, "cave"), "cave");
  choices.number = "degree";
  choices.block_bytes = 16384;
  EXPECT_EQ(layout_name(choices, "cave"), "cave-degree-16K");
  set_pack(choices, "lplf:window=8,ranges=3");  // 8 is the default
  EXPECT_EQ(layout_name(choices, "cave"), "cave-lplf-ranges3-degree-16K");
  EXPECT_EQ(build_layout(
                folder, {.number = "random", .place = "degree", .pack = "csr", .block_bytes = 8192},
                "", false),
            "csr-random-by-degree-8K");
  EXPECT_EQ(build_layout(folder, {}, "mine", false), "mine");
  EXPECT_THAT(Container(folder).layouts(),
              ElementsAre("csr-random-by-degree-8K", "firstfit", "mine"));
}

TEST(BuildLayout, RecordsEveryParameterOfThePack) {
  const fs::path folder = graph_folder("parameters");
  make_graph(folder, true);
  LayoutChoices choices;
  set_pack(choices, "lplf:ranges=2");
  const std::string name = build_layout(folder, choices, "", false);
  EXPECT_EQ(name, "lplf-ranges2");
  expect_same_graph(folder, name);
  const fs::path path = folder / "layouts" / name / "layout.json";
  const nlohmann::json recorded = read_json(path)["choices"]["pack_parameters"];
  EXPECT_EQ(recorded, (nlohmann::json{{"ranges", 2}, {"window", 8}}));
  EXPECT_EQ(Layout(folder / "layouts" / name).choices(), complete_choices(choices));
}

TEST(BuildLayout, RefusesWhatItDoesNotKnow) {
  const fs::path folder = graph_folder("refused");
  make_graph(folder, true);
  const auto refuse = [&](const LayoutChoices& choices, const std::string& text) {
    expect_error(ExitCode::usage, text, [&] { build_layout(folder, choices, "", false); });
  };
  refuse({.number = "dgree"}, "unknown number 'dgree'");
  refuse({.place = "x"}, "unknown place 'x'; there are: id, degree, bfs2");
  refuse({.pack = "firsfit"}, "did you mean 'firstfit'?");
  const auto refuse_pack = [](const std::string& spec, const std::string& text) {
    LayoutChoices choices;
    expect_error(ExitCode::usage, text, [&] { set_pack(choices, spec); });
  };
  refuse_pack("firsfit", "did you mean 'firstfit'?");
  refuse_pack("lplf:windw=8", "unknown parameter of pack lplf 'windw'");
  refuse_pack("csr:window=8", "pack csr takes no parameters, but 'window=8' was given");
  refuse_pack("lplf:window", "pack lplf: 'window' has no value; write window=8");
  for (const char* value : {"0", "", "8x", "-1"}) {
    refuse_pack(std::string("lplf:window=") + value, "expected a whole number from 1 to 1048576");
  }
  refuse({.codec = "zip"}, "unknown codec 'zip'");
  refuse({.inline_edges = 4}, "--inline 4");
  refuse({.heads = 5}, "--heads 5: at most 4");
  refuse({.weights = "hash"}, "did you mean 'hashed'?");
  refuse({.codec = "svb", .mini_data = true}, "use --inline in-index");
  for (const char* text : {"4", "x", "mini-data", "mini-data:4", "mini:1", "in-index:", "-1"}) {
    LayoutChoices choices;
    expect_error(ExitCode::usage, "--inline", [&] { set_inline(choices, text); });
  }
  refuse({.block_bytes = 2048}, "--block 2048");
  refuse({.block_bytes = 5000}, "--block 5000");
  refuse({.block_bytes = 131072}, "--block 131072");
  expect_error(ExitCode::usage, "unknown preset 'cav'", [] { layout_preset("cav"); });
  expect_error(ExitCode::usage, "--name ../x", [&] { build_layout(folder, {}, "../x", false); });
  EXPECT_TRUE(Container(folder).layouts().empty());
}

TEST(BuildLayout, BakesOnlyWeightsThatThereAre) {
  const fs::path folder = graph_folder("weights");
  make_graph(folder, true);
  const Layout layout(folder / "layouts" / build_layout(folder, {.weights = "given"}, "", false));
  EXPECT_EQ(layout.facts().least_weight, -1);
  const fs::path plain = graph_folder("plain");
  make_container(plain, 3, std::vector<Edge>{{0, 1}}, false);
  expect_error(ExitCode::usage, "--weights hashed makes some",
               [&] { build_layout(plain, {.weights = "given"}, "", false); });
}

TEST(BuildLayout, ReplacesOnlyWhenForced) {
  const fs::path folder = graph_folder("force");
  make_graph(folder, true);
  build_layout(folder, {}, "mine", false);
  expect_error(ExitCode::usage, "--force", [&] { build_layout(folder, {}, "mine", false); });
  build_layout(folder, layout_preset("csr"), "mine", true);
  EXPECT_EQ(Layout(folder / "layouts" / "mine").choices().pack, "csr");
}

TEST(Layout, RefusesVersionsAndChoicesItDoesNotKnow) {
  const fs::path folder = graph_folder("version");
  make_graph(folder, true);
  const fs::path layout = folder / "layouts" / build_layout(folder, {}, "", false);
  const auto refuse = [&](const std::string& text,
                          const std::function<void(nlohmann::json&)>& edit) {
    const nlohmann::json before = read_json(layout / "layout.json");
    edit_json(layout / "layout.json", edit);
    expect_error(ExitCode::bad_input, text, [&] { const Layout opened(layout); });
    write_json_atomically(layout / "layout.json", before);
  };
  for (const int version : {kLayoutVersion - 1, kLayoutVersion + 1}) {
    refuse(fmt::format("found version {}, expected version {}; build the layout again", version,
                       kLayoutVersion),
           [&](auto& json) { json["version"] = version; });
  }
  refuse("unknown codec 'zip'", [](auto& json) { json["choices"]["codec"] = "zip"; });
  refuse("takes no parameters, but 'x=1' was given",
         [](auto& json) { json["choices"]["pack_parameters"]["x"] = 1; });
  refuse("'out.degrees'", [](auto& json) { json["choices"]["inline"] = 2; });
  refuse("another block size", [](auto& json) { json["choices"]["block_bytes"] = 8192; });
  refuse("'facts'", [](auto& json) { json.erase("facts"); });
  refuse("'out.sums'", [](auto& json) { json["files"].erase("out.sums"); });
  expect_error(ExitCode::bad_input, "no layout.json", [&] { const Layout opened(folder); });
}

TEST(CheckLayout, SeesAFlippedByteInEveryFile) {
  const fs::path folder = graph_folder("flip");
  make_graph(folder, false);
  const fs::path layout =
      folder / "layouts" /
      build_layout(folder, {.number = "random", .inline_edges = 1, .heads = 2}, "", false);
  std::size_t flipped = 0;
  for (const fs::path& file : Layout(layout).files()) {
    if (fs::file_size(file) == 0) continue;  // no list is long enough for *.long
    for (const std::uint64_t offset : {std::uint64_t{0}, fs::file_size(file) - 1}) {
      flip_byte(file, offset);
      expect_error(ExitCode::bad_input, file.filename().string(), [&] { check_layout(layout); });
      flip_byte(file, offset);
      ++flipped;
    }
  }
  EXPECT_EQ(flipped, 22U);
  EXPECT_EQ(check_layout(layout).size(), 4U);
}

TEST(CheckLayout, SeesAnyChangeOfTheManifest) {
  const fs::path folder = graph_folder("sealed");
  make_graph(folder, false);
  for (const char* const pack : {"lplf", "psw"}) {
    const fs::path manifest =
        folder / "layouts" / build_layout(folder, {.pack = pack}, pack, false) / "layout.json";
    nlohmann::json json = read_json(manifest);
    json["seconds"]["number"] = 7;
    write_json_atomically(manifest, json);
    expect_error(ExitCode::bad_input,
                 "layout.json: found seal xxh3:", [&] { check_layout(manifest.parent_path()); });
    json.erase("seal");
    write_json_atomically(manifest, json);
    expect_error(ExitCode::bad_input, "'seal'", [&] { check_layout(manifest.parent_path()); });
  }
}

// Chunks of 512 and 1024 bytes for lists of up to 20 and 30 edges, and super lists. Each `edit` of
// the manifest makes them lie outside the stated chunks, which no checksum reveals.
TEST(CheckLayout, SeesListsThatLieOutsideOfTheirChunks) {
  const fs::path folder = graph_folder("chunks");
  std::vector<Edge> edges;
  for (VertexId v = 0; v < 200; ++v) {
    for (VertexId target = 0; target < 3 + v % 38; ++target) edges.emplace_back(v, target);
  }
  make_container(folder, 200, edges, false);
  LayoutChoices choices = layout_preset("chunkgraph");
  set_pack(choices, "chunks:levels=2,smallest=512,factor=2,d0=20,d1=30");
  const fs::path layout = folder / "layouts" / build_layout(folder, choices, "", false);
  EXPECT_EQ(check_layout(layout).size(), 4U);
  const auto refuse = [&](const std::string& text, const auto& edit) {
    const nlohmann::json before = read_json(layout / "layout.json");
    edit_json(layout / "layout.json", edit);
    expect_error(ExitCode::bad_input, text, [&] { check_layout(layout); });
    write_json_atomically(layout / "layout.json", before);
  };
  const auto parameter = [](auto& json, const char* name) -> auto& {
    return json["choices"]["pack_parameters"][name];
  };
  refuse("expected one chunk of level 1", [&](auto& json) { parameter(json, "d0") = 10; });
  refuse("expected one chunk of level 0", [&](auto& json) { parameter(json, "d0") = 22; });
  refuse("expected a super list", [&](auto& json) { parameter(json, "d1") = 25; });
  refuse("expected one chunk of level 0", [&](auto& json) {
    parameter(json, "smallest") = 256;
    for (const char* const levels : {"out_levels", "in_levels"}) {
      json["facts"][levels][0]["chunk_bytes"] = 256;
      json["facts"][levels][1]["chunk_bytes"] = 512;
    }
  });
}

TEST(CheckLayout, SeesCutFilesAndFalseFacts) {
  const fs::path folder = graph_folder("cut");
  make_graph(folder, true);
  const fs::path layout = folder / "layouts" / build_layout(folder, {}, "", false);
  for (const char* fact : {"longest_list", "most_vertices_in_a_block", "blocks", "inline_edges"}) {
    const nlohmann::json before = read_json(layout / "layout.json");
    edit_json(layout / "layout.json", [&](auto& json) { json["facts"][fact] = 7; });
    expect_error(ExitCode::bad_input, std::string(fact) + " 7", [&] { check_layout(layout); });
    write_json_atomically(layout / "layout.json", before);
  }
  fs::resize_file(layout / "out.blocks", fs::file_size(layout / "out.blocks") - 4096);
  expect_error(ExitCode::bad_input, "out.blocks", [&] { const Layout opened(layout); });
}

// Blocks and checksums that agree with each other but not with the graph.
TEST(CheckLayout, SeesAWrongTargetAndAnOccupiedFreeSlotBehindValidChecksums) {
  const fs::path folder = graph_folder("wrong");
  make_container(folder, 4, std::vector<Edge>{{0, 1}, {0, 2}, {3, 1}}, false);
  for (const auto& [slot, text] : {std::pair{0U, "target 9 in list 0"}, {3U, "in no list"}}) {
    const fs::path layout = folder / "layouts" / build_layout(folder, {}, "", true);
    std::vector<VertexId> block(1024);
    File::open_read(layout / "out.blocks").read(std::as_writable_bytes(std::span(block)), 0);
    block[slot] = 9;
    const std::uint32_t sum = checksum32(std::as_bytes(std::span(block)));
    File::create(layout / "out.blocks").write(std::as_bytes(std::span(block)));
    File::create(layout / "out.sums").write(std::as_bytes(std::span(&sum, 1)));
    edit_json(layout / "layout.json", [&](auto& json) {
      json["files"]["out.sums"]["hash"] = hash_file(layout / "out.sums");
      json["files"]["out.blocks"]["hash"] = hash_file(layout / "out.blocks");
    });
    expect_error(ExitCode::bad_input, text, [&] { check_layout(layout); });
  }
}

}  // namespace
}  // namespace outcore
