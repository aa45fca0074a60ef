// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/freeze.h"

#include <gtest/gtest.h>

#include <fstream>

#include "common/error.h"
#include "storage/container/container.h"
#include "storage/evolving/check_store.h"
#include "storage/evolving/multiset_for_tests.h"
#include "storage/evolving/store.h"

namespace outcore::evolving {

namespace {

std::filesystem::path folder_of(const std::string& name) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / name;
  std::filesystem::remove_all(folder);
  return folder;
}

std::shared_ptr<Snapshot> snapshot_of(std::span<const LogEdge> stream, bool symmetric) {
  StoreKnobs options;
  options.symmetric = symmetric;
  options.log_edges = 1024;
  options.threshold = 100;
  options.bulk_bytes = std::uint64_t{1} << 16;
  Store store(options);
  store.add_edges(stream);
  auto snapshot = store.snapshot();
  snapshot->prepare(1);
  return snapshot;
}

std::filesystem::path text_of(std::span<const LogEdge> stream, const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream file(path);
  for (const LogEdge& edge : stream) {
    file << (removes(edge.target) ? "- " : "+ ") << edge.source << ' ' << neighbour(edge.target)
         << '\n';
  }
  return path;
}

// What import makes of the same edges.
void expect_same_files(const std::filesystem::path& frozen, const std::filesystem::path& made) {
  EXPECT_EQ(Container(frozen).manifest()["files"], Container(made).manifest()["files"]);
  check_container(frozen, [](const std::string&) {});
}

TEST(Freeze, MakesTheGraphThatImportMakes) {
  auto stream = make_stream({.updates = 5000, .vertices = 3000});
  stream.push_back({2999, 2999});
  std::vector<Edge> edges;
  for (const LogEdge& edge : stream) edges.emplace_back(edge.source, edge.target);
  const std::filesystem::path made = folder_of("made");
  const std::filesystem::path frozen = folder_of("frozen");
  make_container(made, 3000, edges, false);
  freeze(*snapshot_of(stream, false), frozen, {});
  expect_same_files(frozen, made);
}

TEST(Freeze, LeavesOutWhatWasRemoved) {
  for (const bool symmetric : {false, true}) {
    const auto stream = make_stream({.updates = 5000, .vertices = 3000, .removals = 0.4});
    const auto snapshot = snapshot_of(stream, symmetric);
    const EdgeMultiset expected(stream, symmetric);
    const std::filesystem::path folder = folder_of("removed");
    freeze(*snapshot, folder, {});
    Container container(folder);
    EXPECT_EQ(container.facts().edges, expected.edges());
    EXPECT_EQ(container.facts().symmetric, symmetric);
    const CsrView in = container.csr(Direction::in);
    const auto lists = lists_of(expected, snapshot->vertices(), Direction::in);
    for (VertexId v = 0; v < in.vertices(); ++v) {
      const auto list = in.list(v);
      ASSERT_TRUE(std::equal(list.begin(), list.end(), lists[v].begin(), lists[v].end())) << v;
    }
  }
}

TEST(Freeze, RefusesAStoreWithoutEdges) {
  const std::vector<LogEdge> stream = {{1, 2}, {1, 2 | kRemoval}};
  EXPECT_THROW(freeze(*snapshot_of(stream, false), folder_of("none"), {}), Error);
}

TEST(CheckStore, FindsWhatDiffersFromTheStream) {
  for (const bool symmetric : {false, true}) {
    auto stream = make_stream({.updates = 4000, .vertices = 3000, .removals = 0.3});
    const auto snapshot = snapshot_of(stream, symmetric);
    const CheckedStore checked = check_store(*snapshot, text_of(stream, "same.txt"), {});
    EXPECT_EQ(checked.edges, EdgeMultiset(stream, symmetric).edges());
    EXPECT_EQ(checked.removals_missed, EdgeMultiset(stream, symmetric).missed());

    auto longer = stream;  // only the first updates count
    longer.push_back({1, 2});
    check_store(*snapshot, text_of(longer, "longer.txt"), {});

    auto other = stream;
    other[17].source = (other[17].source + 1) % 3000;
    EXPECT_THROW(check_store(*snapshot, text_of(other, "other.txt"), {}), Error);
    const std::span<const LogEdge> cut(stream.data(), stream.size() - 1);
    EXPECT_THROW(check_store(*snapshot, text_of(cut, "cut.txt"), {}), Error);
  }
}

}  // namespace

}  // namespace outcore::evolving
