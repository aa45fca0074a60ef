// SPDX-License-Identifier: Apache-2.0
// Every shape goes through container and layouts of every pack and block size, and comes out
// unchanged.
#include "workloads/graphs/shapes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "storage/container/builder.h"
#include "storage/container/container.h"
#include "storage/inspect/check_graph.h"
#include "storage/layout/expect_same_graph.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;

class EveryShape : public testing::TestWithParam<std::tuple<Shape, bool>> {
 protected:
  void SetUp() override {
    const auto& [shape, symmetric] = GetParam();
    folder_ = fs::path(testing::TempDir()) / "shapes_test" / shape.name;
    fs::remove_all(folder_);
    make_container(folder_, shape.vertices, shape.edges, symmetric);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_P(EveryShape, IsStoredAsItIs) {
  const auto& [shape, symmetric] = GetParam();
  std::vector<Edge> expected = shape.edges;
  if (symmetric) {
    for (const auto& [u, v] : shape.edges) {
      if (u != v) expected.emplace_back(v, u);
    }
  }
  std::sort(expected.begin(), expected.end());
  Container container(folder_);
  EXPECT_EQ(container.facts().vertices, shape.vertices);
  EXPECT_EQ(container.facts().edges, expected.size());
  std::vector<Edge> out;
  std::vector<Edge> in;
  for (VertexId v = 0; v < shape.vertices; ++v) {
    for (const VertexId u : container.csr(Direction::out).list(v)) out.emplace_back(v, u);
    for (const VertexId u : container.csr(Direction::in).list(v)) in.emplace_back(u, v);
  }
  std::sort(in.begin(), in.end());
  EXPECT_EQ(out, expected);
  EXPECT_EQ(in, expected);
}

TEST_P(EveryShape, IsTheSameInEveryLayout) {
  for (const char* pack : {"csr", "firstfit"}) {
    for (const std::uint32_t block_bytes : {4096U, 16384U, 65536U}) {
      const std::string name =
          build_layout(folder_, {.pack = pack, .block_bytes = block_bytes}, "", false);
      expect_same_graph(folder_, name);
    }
  }
  std::size_t held = 0;
  check_graph(folder_, [&](const std::string&) { ++held; });
  EXPECT_GE(held, 6U * 4);
}

INSTANTIATE_TEST_SUITE_P(Sweep, EveryShape,
                         testing::Combine(testing::ValuesIn(all_shapes()), testing::Bool()),
                         [](const auto& test) {
                           return std::get<0>(test.param).name +
                                  (std::get<1>(test.param) ? "_symmetric" : "_directed");
                         });

}  // namespace
}  // namespace outcore
