// SPDX-License-Identifier: Apache-2.0
// Small graphs of every shape that has ever broken a graph system, for tests in all rooms. Edges
// are directed as listed, with the loops and duplicates of the shape; a test decides whether to
// mirror them. They are the same in every run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "workloads/graphs/generate.h"

namespace outcore {

struct Shape {
  std::string name;
  VertexId vertices = 0;
  std::vector<std::pair<VertexId, VertexId>> edges;
};

Shape empty_graph();          // no vertex
Shape one_vertex();           // no edge
Shape self_loops();           // loops, one of them twice, and ordinary edges
Shape duplicate_edges();      // the same edge up to three times
Shape star(VertexId leaves);  // 0 is the centre
Shape path(VertexId vertices);
Shape cycle(VertexId vertices);
Shape comb(VertexId spine, VertexId tooth, IdOrder ids = IdOrder::in_order);  // CombOptions
Shape clique(VertexId vertices);                                              // each pair once
Shape grid(VertexId rows, VertexId columns);  // each neighbouring pair once
Shape small_kronecker(unsigned scale, unsigned degree, std::uint64_t seed);
Shape disconnected();        // components of several sizes, isolated vertices
Shape hub(VertexId degree);  // one list of `degree` among short ones

// One of each; hubs with lists just above one block of 1024 slots and just above four blocks.
std::vector<Shape> all_shapes();

}  // namespace outcore
