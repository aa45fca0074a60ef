// SPDX-License-Identifier: Apache-2.0
// What each kind promises of its edges, degrees and components, and that an order of ids renames
// vertices and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "common/error.h"
#include "storage/container/container.h"
#include "workloads/graphs/generate.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Lists = std::vector<std::vector<VertexId>>;

// A folder of its own, and the lists of the graph that `make` puts there.
class Kinds : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }

  template <typename Make, typename Options>
  Lists lists(const Make& make, const Options& options) {
    make(options, folder_, 2, true);
    Container container(folder_);
    const CsrView csr = container.csr(Direction::out);
    edges_ = csr.edges();
    symmetric_ = container.facts().symmetric;
    provenance_ = container.facts().provenance;
    Lists found;
    for (VertexId v = 0; v < csr.vertices(); ++v) {
      const auto list = csr.list(v);
      found.emplace_back(list.begin(), list.end());
      EXPECT_EQ(std::adjacent_find(list.begin(), list.end(), std::greater_equal<>()), list.end());
      EXPECT_EQ(std::find(list.begin(), list.end(), v), list.end()) << "a loop";
    }
    return found;
  }

  template <typename Make, typename Options>
  void expect_refused(const Make& make, const Options& options, const std::string& names) {
    try {
      make(options, folder_ / "refused", 1, false);
      ADD_FAILURE() << names << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_THAT(error.what(), HasSubstr(names));
    }
    EXPECT_FALSE(fs::exists(folder_ / "refused"));
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / "kinds_test";
  std::uint64_t edges_ = 0;
  bool symmetric_ = false;
  nlohmann::json provenance_;
};

// The sizes of the components, the largest first.
std::vector<std::size_t> component_sizes(const Lists& lists) {
  std::vector<bool> seen(lists.size());
  std::vector<std::size_t> sizes;
  for (VertexId start = 0; start < lists.size(); ++start) {
    if (seen[start]) continue;
    std::vector<VertexId> reached = {start};
    seen[start] = true;
    for (std::size_t at = 0; at < reached.size(); ++at) {
      for (const VertexId u : lists[reached[at]]) {
        if (!seen[u]) reached.push_back(u);
        seen[u] = true;
      }
    }
    sizes.push_back(reached.size());
  }
  std::sort(sizes.rbegin(), sizes.rend());
  return sizes;
}

// Checks that the graph in another order of ids is the graph in order, renamed.
void expect_renamed(const Lists& in_order, const Lists& found, IdOrder ids, std::uint64_t seed) {
  ASSERT_EQ(found.size(), in_order.size());
  const auto vertices = static_cast<VertexId>(found.size());
  Lists renamed(found.size());
  for (VertexId place = 0; place < vertices; ++place) {
    auto& list = renamed[id_in_order(place, vertices, ids, seed)];
    for (const VertexId u : in_order[place]) list.push_back(id_in_order(u, vertices, ids, seed));
    std::sort(list.begin(), list.end());
  }
  EXPECT_EQ(renamed, found);
  // A band reversed is itself.
  if (ids == IdOrder::random) {
    EXPECT_NE(in_order, found);
  }
}

TEST_F(Kinds, AnOrderOfIdsRenamesTheVerticesOfEveryKind) {
  const auto check = [&](const auto& make, auto options) {
    options.seed = 5;
    const Lists in_order = lists(make, options);
    EXPECT_FALSE(provenance_.contains("ids") && provenance_["ids"] != "in-order");
    for (const IdOrder ids : {IdOrder::reversed, IdOrder::random}) {
      SCOPED_TRACE(provenance_.dump() + name_of(ids));
      options.ids = ids;
      expect_renamed(in_order, lists(make, options), ids, 5);
      EXPECT_EQ(provenance_["ids"], name_of(ids));
    }
  };
  check(generate_kronecker, KroneckerOptions{.scale = 8, .degree = 4});
  check(generate_rmat, RmatOptions{{.scale = 8, .degree = 4}, 0.45, 0.2, 0.2});
  check(generate_uniform, UniformOptions{.vertices = 300, .degree = 4});
  check(generate_barabasi_albert, BarabasiAlbertOptions{.vertices = 300, .degree = 4});
  check(generate_small_world, SmallWorldOptions{.vertices = 300, .degree = 4, .rewire = 0.1});
  check(generate_hostweb, HostWebOptions{.vertices = 1000, .degree = 4});
  check(generate_grid, GridOptions{.rows = 7, .columns = 9, .missing = 0.1});
  check(generate_comb, CombOptions{.spine = 7, .tooth = 5});
  check(generate_band, BandOptions{.vertices = 100, .width = 3});
  check(generate_tree, TreeOptions{.vertices = 100, .children = 3});
  check(generate_cliques, CliquesOptions{.cliques = 7, .size = 5, .chain = true});
  check(generate_geometric, GeometricOptions{.vertices = 300, .degree = 8});
  check(generate_bipartite, BipartiteOptions{.left = 100, .right = 70, .degree = 3});
  check(generate_islands, IslandsOptions{.vertices = 100, .degree = 3, .islands = 20, .size = 4});
}

TEST_F(Kinds, ATorusClosesTheRowsAndColumnsOfAGrid) {
  const Lists torus = lists(generate_grid, GridOptions{.rows = 3, .columns = 4, .torus = true});
  EXPECT_EQ(edges_, 4U * 12);
  EXPECT_THAT(torus[0], ElementsAre(1, 3, 4, 8));
  EXPECT_THAT(torus[7], ElementsAre(3, 4, 6, 11));
  EXPECT_THAT(torus[11], ElementsAre(3, 7, 8, 10));
  EXPECT_EQ(provenance_["torus"], true);
  expect_refused(generate_grid, GridOptions{.rows = 2, .columns = 9, .torus = true}, "--rows 2");
  expect_refused(generate_grid, GridOptions{.rows = 9, .columns = 2, .torus = true}, "--columns 2");
}

TEST_F(Kinds, VerticesOfABandKnowTheNextOnes) {
  const Lists band = lists(generate_band, BandOptions{.vertices = 100, .width = 3});
  EXPECT_EQ(edges_, 2U * (3 * 100 - 3 * 4 / 2));
  EXPECT_TRUE(symmetric_);
  EXPECT_THAT(band[0], ElementsAre(1, 2, 3));
  EXPECT_THAT(band[50], ElementsAre(47, 48, 49, 51, 52, 53));
  EXPECT_THAT(band[99], ElementsAre(96, 97, 98));
  lists(generate_band, BandOptions{.vertices = 2, .width = 9});
  EXPECT_EQ(edges_, 2U);
  expect_refused(generate_band, BandOptions{.vertices = 0}, "--vertices 0");
  expect_refused(generate_band, BandOptions{.width = 0}, "--width 0");
}

TEST_F(Kinds, ATreeIsCompleteAndWithManyChildrenAStar) {
  const Lists tree = lists(generate_tree, TreeOptions{.vertices = 15, .children = 2});
  EXPECT_EQ(edges_, 2U * 14);
  EXPECT_TRUE(symmetric_);
  EXPECT_THAT(tree[0], ElementsAre(1, 2));
  EXPECT_THAT(tree[3], ElementsAre(1, 7, 8));
  EXPECT_THAT(tree[14], ElementsAre(6));
  const Lists star = lists(generate_tree, TreeOptions{.vertices = 100, .children = 99});
  EXPECT_EQ(star[0].size(), 99U);
  for (VertexId leaf = 1; leaf < 100; ++leaf) EXPECT_THAT(star[leaf], ElementsAre(0));
  lists(generate_tree, TreeOptions{.vertices = 1});
  EXPECT_EQ(edges_, 0U);
  expect_refused(generate_tree, TreeOptions{.vertices = 0}, "--vertices 0");
  expect_refused(generate_tree, TreeOptions{.children = 0}, "--children 0");
}

TEST_F(Kinds, CliquesAreCompleteApartOrInAChain) {
  for (const VertexId size : {1U, 2U, 4U, 5U}) {
    SCOPED_TRACE(size);
    const CliquesOptions options{.cliques = 10, .size = size};
    const Lists apart = lists(generate_cliques, options);
    EXPECT_EQ(edges_, 10U * size * (size - 1));
    EXPECT_EQ(component_sizes(apart), std::vector<std::size_t>(10, size));
    EXPECT_TRUE(std::all_of(apart.begin(), apart.end(),
                            [&](const auto& list) { return list.size() == size - 1; }));
  }
  const Lists chain =
      lists(generate_cliques, CliquesOptions{.cliques = 10, .size = 4, .chain = true});
  EXPECT_EQ(edges_, 10U * 12 + 2 * 9);
  EXPECT_THAT(component_sizes(chain), ElementsAre(40));
  EXPECT_THAT(chain[3], ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(chain[4], ElementsAre(3, 5, 6, 7));
  expect_refused(generate_cliques, CliquesOptions{.cliques = 0}, "--cliques 0");
  expect_refused(generate_cliques, CliquesOptions{.size = 65537}, "--size 65537");
  expect_refused(generate_cliques, CliquesOptions{.cliques = 1 << 20, .size = 1 << 14},
                 "--cliques 1048576");
}

TEST_F(Kinds, PointsKnowThoseNearThem) {
  const Lists points = lists(generate_geometric, GeometricOptions{.vertices = 20000, .degree = 12});
  EXPECT_TRUE(symmetric_);
  // Rounding the cells down adds up to 2 in 72 to the radius, and the rim takes some away.
  const double mean = static_cast<double>(edges_) / 20000;
  EXPECT_GT(mean, 11.0);
  EXPECT_LT(mean, 13.0);
  // Poisson with mean 12: a degree of 40 is 8 deviations away.
  EXPECT_LT(std::max_element(points.begin(), points.end(),
                             [](const auto& a, const auto& b) { return a.size() < b.size(); })
                ->size(),
            40U);
  // Neighbours of a neighbour are near too: about 0.587 of a point's pairs of neighbours are linked
  // in the plane, 12 in 20,000 in a uniform graph.
  std::uint64_t pairs = 0;
  std::uint64_t linked = 0;
  for (const auto& list : points) {
    for (std::size_t i = 1; i < list.size(); ++i) {
      const auto& other = points[list[i]];
      pairs += 1;
      linked += std::binary_search(other.begin(), other.end(), list[i - 1]) ? 1 : 0;
    }
  }
  EXPECT_GT(static_cast<double>(linked) / static_cast<double>(pairs), 0.5);
  // The square is 72 cells a side, and no edge spans more than two rows of them and a cell.
  VertexId widest = 0;
  for (VertexId v = 0; v < points.size(); ++v) {
    for (const VertexId u : points[v]) widest = std::max(widest, u > v ? u - v : v - u);
  }
  EXPECT_LT(widest, 20000U / 20);
  lists(generate_geometric, GeometricOptions{.vertices = 20, .degree = 256});
  EXPECT_GT(edges_, 2U * 150) << "one cell: all but the farthest pairs of 190";
  expect_refused(generate_geometric, GeometricOptions{.degree = 257}, "--degree 257");
  expect_refused(generate_geometric, GeometricOptions{.vertices = 0}, "--vertices 0");
}

TEST_F(Kinds, BipartiteEdgesCrossFromSideToSide) {
  const BipartiteOptions options{.left = 500, .right = 30, .degree = 3, .symmetric = true};
  const Lists sides = lists(generate_bipartite, options);
  ASSERT_EQ(sides.size(), 530U);
  EXPECT_TRUE(symmetric_);
  EXPECT_LE(edges_, 2U * 1500);
  EXPECT_GT(edges_, 2U * 1380) << "three of 30: one in ten has a duplicate";
  for (VertexId v = 0; v < 530; ++v) {
    EXPECT_FALSE(sides[v].empty());
    for (const VertexId u : sides[v]) EXPECT_NE(u < 500, v < 500);
  }
  lists(generate_bipartite, BipartiteOptions{.left = 5, .right = 3, .degree = 1});
  EXPECT_FALSE(symmetric_);
  EXPECT_EQ(edges_, 5U);
  expect_refused(generate_bipartite, BipartiteOptions{.left = 0}, "--left 0");
  expect_refused(generate_bipartite, BipartiteOptions{.right = 0}, "--right 0");
  expect_refused(generate_bipartite, BipartiteOptions{.degree = 0}, "--degree 0");
}

TEST_F(Kinds, IslandsLieBesideOneMainland) {
  const IslandsOptions options{.vertices = 300, .degree = 2, .islands = 50, .size = 3};
  const Lists sea = lists(generate_islands, options);
  ASSERT_EQ(sea.size(), 450U);
  std::vector<std::size_t> expected(51, 3);
  expected[0] = 300;
  EXPECT_EQ(component_sizes(sea), expected);
  EXPECT_THAT(sea[300], ElementsAre(301));
  EXPECT_THAT(sea[301], ElementsAre(300, 302));
  EXPECT_LE(edges_, 2U * (300 * 2 + 50 * 2));
  EXPECT_GT(edges_, 2U * (300 * 2 + 50 * 2 - 30));
  lists(generate_islands, IslandsOptions{.vertices = 10, .degree = 1, .islands = 7, .size = 1});
  EXPECT_EQ(edges_, 2U * 9) << "islands of one vertex have no edge";
  lists(generate_islands, IslandsOptions{.vertices = 10, .degree = 1, .islands = 0});
  EXPECT_EQ(edges_, 2U * 9);
  expect_refused(generate_islands, IslandsOptions{.size = 0}, "--size 0");
  expect_refused(generate_islands, IslandsOptions{.islands = 1ULL << 32}, "--islands 4294967296");
}

}  // namespace
}  // namespace outcore
