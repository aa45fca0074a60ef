// SPDX-License-Identifier: Apache-2.0
// Packs with parameters hold graphs of every shape. Packs without parameters, and what the
// parameters change, are tested beside the packs (storage/layout).
#include <gtest/gtest.h>

#include "storage/layout/edges/expect_same_edges.h"
#include "storage/layout/expect_same_graph.h"
#include "tests/toy_container.h"

namespace outcore {
namespace {

// Builds `pack` for every shape, stored in both directions.
template <typename Expect>
void on_every_shape(const std::string& pack, Expect&& expect) {
  for (const Shape& shape : all_shapes()) {
    for (const bool symmetric : {false, true}) {
      SCOPED_TRACE(shape.name + (symmetric ? " symmetric " : " directed ") + pack);
      const ToyContainer toy(shape, symmetric);
      LayoutChoices choices;
      set_pack(choices, pack);
      expect(toy.folder(), build_layout(toy.folder(), choices, "", false));
    }
  }
}

class ListPack : public testing::TestWithParam<std::string> {};
TEST_P(ListPack, HoldsEveryShape) { on_every_shape(GetParam(), expect_same_graph); }
INSTANTIATE_TEST_SUITE_P(Sweep, ListPack,
                         testing::Values("chunks", "chunks:smallest=512,tail=0,interleave=0",
                                         "chunks:smallest=256,factor=2,tail=100"));

class EdgePack : public testing::TestWithParam<std::string> {};
TEST_P(EdgePack, HoldsEveryShape) { on_every_shape(GetParam(), expect_same_edges); }
INSTANTIATE_TEST_SUITE_P(Sweep, EdgePack,
                         testing::Values("grid:p=1", "grid:p=6,groups=2", "psw:p=1",
                                         "psw:p=6,value=8"));

}  // namespace
}  // namespace outcore
