// SPDX-License-Identifier: Apache-2.0
#include "workloads/graphs/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "common/error.h"
#include "common/hash.h"
#include "storage/container/container.h"
#include "workloads/graphs/edge_loop.h"
#include "workloads/graphs/shapes.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

fs::path graph_folder(const std::string& name) {
  return fs::path(testing::TempDir()) / "generate_test" / name;
}

std::vector<std::string> hashes(const fs::path& folder) {
  std::vector<std::string> hashes;
  for (const auto& entry : std::set<fs::path>(fs::directory_iterator(folder), {})) {
    hashes.push_back(entry.filename().string() + " " + hash_file(entry));
  }
  return hashes;
}

TEST(Generate, KroneckerIsBitIdenticalAtAnyThreadCount) {
  const KroneckerOptions options{.scale = 12, .degree = 8, .seed = 7, .symmetric = false};
  generate_kronecker(options, graph_folder("k1"), 1, true);
  const auto expected = hashes(graph_folder("k1"));
  EXPECT_EQ(expected.size(), 5U);  // graph.json and two CSRs of two files
  for (const unsigned threads : {2U, 7U}) {
    generate_kronecker(options, graph_folder("kn"), threads, true);
    EXPECT_EQ(hashes(graph_folder("kn")), expected) << threads;
  }
}

TEST(Generate, GridIsBitIdenticalAtAnyThreadCount) {
  const GridOptions options{.rows = 90, .columns = 70, .missing = 0.1, .seed = 3};
  generate_grid(options, graph_folder("g1"), 1, true);
  const auto expected = hashes(graph_folder("g1"));
  for (const unsigned threads : {2U, 7U}) {
    generate_grid(options, graph_folder("gn"), threads, true);
    EXPECT_EQ(hashes(graph_folder("gn")), expected) << threads;
  }
}

using Generator = std::function<void(const fs::path&, unsigned threads)>;

// Uses more edges than a batch of the generators' loop, so that joining batches is tested too.
void expect_the_same_with_any_threads(const std::string& name, const Generator& generate) {
  generate(graph_folder(name + "1"), 1);
  const auto expected = hashes(graph_folder(name + "1"));
  EXPECT_GE(expected.size(), 3U);
  EXPECT_GT(Container(graph_folder(name + "1")).facts().edges, kGeneratorBatch);
  for (const unsigned threads : {2U, 7U}) {
    generate(graph_folder(name + "n"), threads);
    EXPECT_EQ(hashes(graph_folder(name + "n")), expected) << name << " " << threads;
  }
}

TEST(Generate, EveryGeneratorIsBitIdenticalAtAnyThreadCount) {
  expect_the_same_with_any_threads("rmat", [](const fs::path& folder, unsigned threads) {
    generate_rmat({{.scale = 16, .degree = 24, .seed = 3}, 0.45, 0.2, 0.2}, folder, threads, true);
  });
  expect_the_same_with_any_threads("uniform", [](const fs::path& folder, unsigned threads) {
    generate_uniform({.vertices = 70001, .degree = 17, .seed = 3}, folder, threads, true);
  });
  expect_the_same_with_any_threads("ba", [](const fs::path& folder, unsigned threads) {
    generate_barabasi_albert({.vertices = 150001, .degree = 7, .seed = 3}, folder, threads, true);
  });
  expect_the_same_with_any_threads("grid", [](const fs::path& folder, unsigned threads) {
    generate_grid({.rows = 601, .columns = 701, .missing = 0.1, .seed = 3}, folder, threads, true);
  });
  expect_the_same_with_any_threads("comb", [](const fs::path& folder, unsigned threads) {
    generate_comb({.spine = 611, .tooth = 997, .ids = IdOrder::random}, folder, threads, true);
  });
  expect_the_same_with_any_threads("geometric", [](const fs::path& folder, unsigned threads) {
    generate_geometric({.vertices = 100001, .degree = 12, .seed = 3, .ids = IdOrder::random},
                       folder, threads, true);
  });
  expect_the_same_with_any_threads("islands", [](const fs::path& folder, unsigned threads) {
    generate_islands({.vertices = 70001, .degree = 8, .seed = 3}, folder, threads, true);
  });
  expect_the_same_with_any_threads("sw", [](const fs::path& folder, unsigned threads) {
    generate_small_world({.vertices = 150001, .degree = 14, .rewire = 0.1, .seed = 3}, folder,
                         threads, true);
  });
}

// The degrees of a graph in descending order; checks that its lists have no loops or duplicates.
std::vector<std::uint64_t> degrees_of_simple_graph(const fs::path& folder) {
  Container container(folder);
  const CsrView csr = container.csr(Direction::out);
  std::vector<std::uint64_t> degrees;
  for (VertexId v = 0; v < csr.vertices(); ++v) {
    const auto list = csr.list(v);
    EXPECT_EQ(std::adjacent_find(list.begin(), list.end(), std::greater_equal<>()), list.end());
    EXPECT_EQ(std::find(list.begin(), list.end(), v), list.end());
    degrees.push_back(list.size());
  }
  std::sort(degrees.rbegin(), degrees.rend());
  return degrees;
}

double share_of_the_first(const std::vector<std::uint64_t>& degrees, std::size_t first) {
  const auto middle = degrees.begin() + static_cast<std::ptrdiff_t>(first);
  return static_cast<double>(std::accumulate(degrees.begin(), middle, std::uint64_t{0})) /
         static_cast<double>(std::accumulate(degrees.begin(), degrees.end(), std::uint64_t{0}));
}

TEST(Generate, RmatOfKroneckersQuadrantsIsTheKroneckerGraph) {
  generate_kronecker({.scale = 10, .degree = 8, .seed = 4}, graph_folder("rk"), 2, true);
  generate_rmat({{.scale = 10, .degree = 8, .seed = 4}}, graph_folder("rr"), 2, true);
  EXPECT_EQ(hash_file(graph_folder("rr") / "out.targets"),
            hash_file(graph_folder("rk") / "out.targets"));
}

TEST(Generate, RmatsSkewFollowsItsQuadrants) {
  double before = 0;
  for (const double a : {0.25, 0.45, 0.65}) {
    const double b = (1 - a) / 3;
    generate_rmat({{.scale = 12, .degree = 8}, a, b, b}, graph_folder("skew"), 2, true);
    const auto degrees = degrees_of_simple_graph(graph_folder("skew"));
    EXPECT_EQ(degrees.size(), 4096U);
    const double share = share_of_the_first(degrees, 41);  // the first hundredth
    EXPECT_GT(share, before * 1.5);
    before = share;
  }
  EXPECT_GT(before, 0.15);
}

TEST(Generate, UniformDegreesAreNarrow) {
  generate_uniform({.vertices = 30000, .degree = 16}, graph_folder("u"), 2, true);
  const auto degrees = degrees_of_simple_graph(graph_folder("u"));
  EXPECT_EQ(degrees.size(), 30000U);
  // Poisson with mean 16: a degree of 45 is 7 deviations away, one of 0 has probability 1e-7.
  EXPECT_LT(degrees.front(), 45U);
  EXPECT_GT(degrees.back(), 0U);
  const double sum = share_of_the_first(degrees, 15000);
  EXPECT_NEAR(sum, 0.6, 0.02);
  const std::uint64_t edges = Container(graph_folder("u")).facts().edges;
  EXPECT_NEAR(static_cast<double>(edges), 480000, 1000);  // 16 loops, 128 duplicates expected
}

TEST(Generate, BarabasiAlbertGrowsHubsAmongTheFirst) {
  generate_barabasi_albert({.vertices = 20000, .degree = 4}, graph_folder("ba"), 2, true);
  Container container(graph_folder("ba"));
  EXPECT_TRUE(container.facts().symmetric);
  const auto degrees = degrees_of_simple_graph(graph_folder("ba"));
  EXPECT_GT(container.facts().edges, 2U * 20000 * 4 * 98 / 100);
  EXPECT_LE(container.facts().edges, 2U * 20000 * 4);
  // The oldest vertices' degree grows with the root of the size: about 4 * sqrt(20000).
  EXPECT_GT(degrees.front(), 200U);
  EXPECT_LT(degrees.front(), 3000U);
  std::uint64_t oldest = 0;
  for (VertexId v = 0; v < 20; ++v) oldest += container.csr(Direction::out).degree(v);
  EXPECT_GT(oldest, 20U * 100);
  // The expected share of degrees over k is m(m + 1) / ((k + 1)(k + 2)): 20 / 90 for k = 8.
  const auto over_8 = std::count_if(degrees.begin(), degrees.end(), [](auto d) { return d > 8; });
  EXPECT_NEAR(static_cast<double>(over_8) / 20000, 20.0 / 90, 0.02);
}

TEST(Generate, SmallWorldIsARingWithoutRewiringAndNearOneWithLittle) {
  generate_small_world({.vertices = 1000, .degree = 4, .rewire = 0}, graph_folder("ring"), 1, true);
  Container ring(graph_folder("ring"));
  EXPECT_THAT(ring.csr(Direction::out).list(0), testing::ElementsAre(1, 2, 998, 999));
  EXPECT_THAT(ring.csr(Direction::out).list(500), testing::ElementsAre(498, 499, 501, 502));
  EXPECT_EQ(degrees_of_simple_graph(graph_folder("ring")), std::vector<std::uint64_t>(1000, 4));

  generate_small_world({.vertices = 20000, .degree = 4, .rewire = 0.1}, graph_folder("sw"), 1,
                       true);
  Container container(graph_folder("sw"));
  EXPECT_TRUE(container.facts().symmetric);
  std::uint64_t far = 0;
  for (VertexId v = 0; v < 20000; ++v) {
    for (const VertexId u : container.csr(Direction::out).list(v)) {
      const VertexId distance = u > v ? u - v : v - u;
      far += std::min(distance, 20000 - distance) > 2 ? 1 : 0;
    }
  }
  EXPECT_NEAR(static_cast<double>(far) / static_cast<double>(container.facts().edges), 0.1, 0.01);
  EXPECT_LT(degrees_of_simple_graph(graph_folder("sw")).front(), 20U);
}

TEST(Generate, TheSmallestGraphsOfEveryGenerator) {
  generate_rmat({{.scale = 1, .degree = 1}}, graph_folder("tiny"), 1, true);
  EXPECT_EQ(Container(graph_folder("tiny")).facts().vertices, 2U);
  generate_uniform({.vertices = 1, .degree = 5}, graph_folder("tiny"), 1, true);
  EXPECT_EQ(Container(graph_folder("tiny")).facts().edges, 0U);
  generate_barabasi_albert({.vertices = 2, .degree = 1}, graph_folder("tiny"), 1, true);
  EXPECT_EQ(Container(graph_folder("tiny")).facts().vertices, 2U);
  generate_small_world({.vertices = 3, .degree = 2}, graph_folder("tiny"), 1, true);
  EXPECT_EQ(Container(graph_folder("tiny")).facts().edges, 6U);
}

TEST(Generate, RandomNumbersBelowALimitReachAllOfIt) {
  EXPECT_EQ(below(0, 10), 0U);
  EXPECT_EQ(below(~std::uint64_t{0}, 10), 9U);
  EXPECT_EQ(below(~std::uint64_t{0}, std::uint64_t{1} << 32), 0xffffffffU);
  EXPECT_EQ(below(std::uint64_t{1} << 63, 10), 5U);
}

TEST(Generate, AnotherSeedIsAnotherGraph) {
  generate_kronecker({.scale = 8, .degree = 4, .seed = 1}, graph_folder("s1"), 1, true);
  generate_kronecker({.scale = 8, .degree = 4, .seed = 2}, graph_folder("s2"), 1, true);
  EXPECT_NE(hash_file(graph_folder("s1") / "out.targets"),
            hash_file(graph_folder("s2") / "out.targets"));
}

TEST(Generate, KroneckerHasNoLoopsNoDuplicatesAndAHeavyTail) {
  generate_kronecker({.scale = 12, .degree = 16, .seed = 1, .symmetric = true}, graph_folder("k"),
                     2, true);
  Container container(graph_folder("k"));
  EXPECT_EQ(container.facts().vertices, 4096U);
  EXPECT_TRUE(container.facts().symmetric);
  const CsrView csr = container.csr(Direction::out);
  std::uint64_t longest = 0;
  std::uint64_t isolated = 0;
  for (VertexId v = 0; v < csr.vertices(); ++v) {
    const auto list = csr.list(v);
    for (std::size_t i = 0; i < list.size(); ++i) {
      ASSERT_NE(list[i], v);
      if (i > 0) {
        ASSERT_LT(list[i - 1], list[i]);
      }
    }
    longest = std::max(longest, csr.degree(v));
    isolated += list.empty() ? 1 : 0;
  }
  // Known for these parameters: a hub linked to a large share of all vertices, many isolated
  // vertices.
  EXPECT_GT(longest, 1000U);
  EXPECT_GT(isolated, 400U);
  EXPECT_GT(csr.edges(), 2U * 4096 * 10);
  EXPECT_LT(csr.edges(), 2U * 4096 * 16);
}

TEST(Generate, KroneckerQuadrantsFollowTheParameters) {
  std::array<int, 4> quadrants{};
  constexpr int kEdges = 100000;
  for (int edge = 0; edge < kEdges; ++edge) {
    const auto [source, target] = kronecker_edge(static_cast<std::uint64_t>(edge), 2, 5);
    ++quadrants[(source >> 1) * 2 + (target >> 1)];
  }
  EXPECT_NEAR(quadrants[0], 0.57 * kEdges, 700);
  EXPECT_NEAR(quadrants[1], 0.19 * kEdges, 600);
  EXPECT_NEAR(quadrants[2], 0.19 * kEdges, 600);
  EXPECT_NEAR(quadrants[3], 0.05 * kEdges, 400);
}

TEST(Generate, PermutedIdsAreABijection) {
  for (const unsigned bits : {1U, 2U, 5U, 10U}) {
    std::set<VertexId> seen;
    for (VertexId id = 0; id < VertexId{1} << bits; ++id) seen.insert(permuted_id(id, bits, 9));
    EXPECT_EQ(seen.size(), std::size_t{1} << bits);
    EXPECT_EQ(*seen.rbegin(), (VertexId{1} << bits) - 1);
  }
}

TEST(Generate, GridVerticesKnowTheirFourNeighbours) {
  generate_grid({.rows = 3, .columns = 4}, graph_folder("g"), 1, true);
  Container container(graph_folder("g"));
  const CsrView csr = container.csr(Direction::out);
  EXPECT_EQ(csr.edges(), 2U * (3 * 3 + 2 * 4));
  EXPECT_THAT(csr.list(5), testing::ElementsAre(1, 4, 6, 9));
  EXPECT_THAT(csr.list(3), testing::ElementsAre(2, 7));
  EXPECT_THAT(csr.list(4), testing::ElementsAre(0, 5, 8));
}

TEST(Generate, MissingLeavesOutThatShareOfAGrid) {
  generate_grid({.rows = 200, .columns = 200, .missing = 0.25}, graph_folder("m"), 1, true);
  const double all = 4.0 * 199 * 200;
  EXPECT_NEAR(static_cast<double>(Container(graph_folder("m")).facts().edges) / all, 0.75, 0.01);
}

// By another way than the shape of the same name: each edge's ends are found in its lists.
TEST(Generate, CombsHaveTheirSpineAndTeethInWhateverOrderOfIds) {
  for (const IdOrder ids : {IdOrder::in_order, IdOrder::reversed, IdOrder::random}) {
    SCOPED_TRACE(name_of(ids));
    generate_comb({.spine = 5, .tooth = 3, .ids = ids, .seed = 1}, graph_folder("c"), 1, true);
    Container container(graph_folder("c"));
    const CsrView csr = container.csr(Direction::out);
    ASSERT_EQ(csr.vertices(), 20U);
    EXPECT_EQ(csr.edges(), 2U * 19);
    std::set<VertexId> seen;
    for (VertexId place = 0; place < 20; ++place) {
      const VertexId v = id_in_order(place, 20, ids, 1);
      seen.insert(v);
      const bool on_spine = place % 4 == 0;
      const bool at_end = place == 0 || place == 16;
      EXPECT_EQ(csr.list(v).size(), on_spine ? (at_end ? 2U : 3U) : place % 4 == 3 ? 1U : 2U);
      const auto is_neighbour = [&](VertexId other) {
        if (other >= 20) return false;
        const auto list = csr.list(v);
        return std::find(list.begin(), list.end(), id_in_order(other, 20, ids, 1)) != list.end();
      };
      EXPECT_EQ(is_neighbour(place + 1), place % 4 != 3);
      EXPECT_EQ(is_neighbour(place + 4), on_spine && place != 16);
    }
    EXPECT_EQ(seen.size(), 20U) << "each id once";
  }
}

TEST(Generate, ACombWithoutTeethIsAPath) {
  generate_comb({.spine = 4, .tooth = 0}, graph_folder("p"), 1, true);
  Container container(graph_folder("p"));
  const CsrView csr = container.csr(Direction::out);
  EXPECT_THAT(csr.list(0), testing::ElementsAre(1));
  EXPECT_THAT(csr.list(1), testing::ElementsAre(0, 2));
  EXPECT_THAT(csr.list(3), testing::ElementsAre(2));
}

TEST(Generate, RefusesParametersThatMakeNoGraph) {
  const auto expect_usage = [](auto&& call, const std::string& names) {
    try {
      call();
      ADD_FAILURE() << names << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_THAT(error.what(), HasSubstr(names));
    }
  };
  const fs::path folder = graph_folder("refused");
  expect_usage([&] { generate_kronecker({.scale = 32}, folder, 1, false); }, "--scale 32");
  expect_usage([&] { generate_kronecker({.scale = 5, .degree = 0}, folder, 1, false); },
               "--degree 0");
  expect_usage([&] { generate_grid({.rows = 0}, folder, 1, false); }, "--rows 0");
  expect_usage([&] { generate_grid({.rows = 1 << 17, .columns = 1 << 17}, folder, 1, false); },
               "--columns 131072");
  expect_usage([&] { generate_grid({.missing = 1}, folder, 1, false); }, "--missing 1");
  expect_usage([&] { generate_rmat({{.scale = 4}, 0.6, 0.3, 0.2}, folder, 1, false); }, "--c 0.2");
  expect_usage(
      [&] {
        generate_rmat({{.scale = 4}, -0.1, 0.3, 0.2}, folder, 1, false);
      },
      "--a -0.1");
  expect_usage(
      [&] {
        generate_rmat({{.scale = 4}, std::nan(""), 0, 0}, folder, 1, false);
      },
      "--a nan");
  expect_usage([&] { generate_rmat({{.scale = 0}}, folder, 1, false); }, "--scale 0");
  expect_usage([&] { generate_uniform({.vertices = 0}, folder, 1, false); }, "--vertices 0");
  expect_usage([&] { generate_uniform({.vertices = kNoVertex + 1ULL}, folder, 1, false); },
               "--vertices 4294967296");
  expect_usage([&] { generate_barabasi_albert({.degree = 4097}, folder, 1, false); },
               "--degree 4097");
  expect_usage([&] { generate_small_world({.degree = 3}, folder, 1, false); }, "--degree 3");
  expect_usage([&] { generate_small_world({.vertices = 4, .degree = 4}, folder, 1, false); },
               "--degree 4");
  expect_usage([&] { generate_small_world({.rewire = 1.5}, folder, 1, false); }, "--rewire 1.5");
  expect_usage([&] { generate_comb({.spine = 0}, folder, 1, false); }, "--spine 0");
  expect_usage([&] { generate_comb({.spine = 1 << 17, .tooth = 1 << 17}, folder, 1, false); },
               "--tooth 131072");
  EXPECT_FALSE(fs::exists(folder));
}

TEST(Generate, RefusesAnExistingFolderWithoutForce) {
  const fs::path folder = graph_folder("there");
  generate_grid({.rows = 2, .columns = 2}, folder, 1, true);
  EXPECT_THROW(generate_grid({.rows = 3, .columns = 3}, folder, 1, false), Error);
  EXPECT_EQ(Container(folder).facts().vertices, 4U);
  generate_grid({.rows = 3, .columns = 3}, folder, 1, true);
  EXPECT_EQ(Container(folder).facts().vertices, 9U);
}

TEST(Shapes, AreWellFormedAndHaveHubsLongerThanABlockAndThanFour) {
  std::size_t over_one = 0;
  std::size_t over_four = 0;
  for (const Shape& shape : all_shapes()) {
    std::vector<std::size_t> degrees(shape.vertices);
    for (const auto& [source, target] : shape.edges) {
      ASSERT_LT(source, shape.vertices) << shape.name;
      ASSERT_LT(target, shape.vertices) << shape.name;
      ++degrees[source];
    }
    const std::size_t most =
        degrees.empty() ? 0 : *std::max_element(degrees.begin(), degrees.end());
    over_one += most > 1024 ? 1 : 0;
    over_four += most > 4096 ? 1 : 0;
  }
  EXPECT_GE(over_one, 2U);
  EXPECT_GE(over_four, 1U);
}

}  // namespace
}  // namespace outcore
