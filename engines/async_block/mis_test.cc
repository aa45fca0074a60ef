// SPDX-License-Identifier: Apache-2.0
// MIS decides vertices of short lists first. Where many lists stand in the index that spares most
// edges and some bytes, and elsewhere nothing is lost. By counts, with little of the graph in
// memory.
#include <fmt/format.h>

#include "engines/async_block/async_block_fixture.h"

namespace outcore {
namespace {

class AsyncMis : public AsyncBlock {
 protected:
  // Edges and bytes of form=short-first over those of form=count.
  struct Ratios {
    double edges;
    double bytes;
  };
  static Ratios ratios(const Shape& shape) {
    const ToyContainer toy(shape, true);
    const Layout layout(toy.layout(layout_preset("acgraph")));
    EngineOptions options = pool(std::max<std::uint64_t>(layout.block_files()[0].blocks() / 8, 8));
    options.backend = "mem";
    const EngineReport now = run(layout, "mis", options);
    const EngineReport before = run(layout, "mis", options, {"form=count"});
    EXPECT_TRUE(verdict_on(toy, layout, "mis", options).passed) << shape.name;
    const auto ratio = [](std::uint64_t a, std::uint64_t b) {
      return b == 0 ? 1 : static_cast<double>(a) / static_cast<double>(b);
    };
    return {ratio(now.edges_processed, before.edges_processed),
            ratio(now.io.requested_bytes, before.io.requested_bytes)};
  }
};

TEST_F(AsyncMis, SparesMostEdgesWhereManyListsAreShort) {
  for (const Shape& shape : {small_kronecker(13, 16, 1), small_kronecker(13, 16, 77),
                             small_kronecker(13, 8, 5), star(5000)}) {
    SCOPED_TRACE(shape.name);
    const Ratios found = ratios(shape);
    EXPECT_LE(found.edges, 0.6);
    EXPECT_LE(found.bytes, 1.0);
  }
}

TEST_F(AsyncMis, LosesNothingWhereFewListsAreShort) {
  for (const Shape& shape : {grid(60, 60), clique(60), hub(3000), comb(20, 49), path(3000)}) {
    SCOPED_TRACE(shape.name);
    const Ratios found = ratios(shape);
    EXPECT_LE(found.edges, 1.0);
    EXPECT_LE(found.bytes, 1.05);
  }
}

}  // namespace
}  // namespace outcore
