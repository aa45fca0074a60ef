// SPDX-License-Identifier: Apache-2.0
#include "workloads/graphs/shapes.h"

#include <fmt/format.h>

#include "common/hash.h"
#include "workloads/graphs/generate.h"

namespace outcore {

Shape empty_graph() { return {"empty", 0, {}}; }

Shape one_vertex() { return {"one_vertex", 1, {}}; }

Shape self_loops() { return {"self_loops", 4, {{0, 0}, {0, 1}, {1, 2}, {2, 2}, {2, 2}, {3, 3}}}; }

Shape duplicate_edges() {
  return {"duplicate_edges", 4, {{0, 1}, {0, 1}, {1, 2}, {2, 3}, {2, 3}, {2, 3}, {0, 3}}};
}

Shape star(VertexId leaves) {
  Shape shape{fmt::format("star_{}", leaves), leaves + 1, {}};
  for (VertexId leaf = 1; leaf <= leaves; ++leaf) shape.edges.emplace_back(0, leaf);
  return shape;
}

Shape path(VertexId vertices) {
  Shape shape{fmt::format("path_{}", vertices), vertices, {}};
  for (VertexId v = 0; v + 1 < vertices; ++v) shape.edges.emplace_back(v, v + 1);
  return shape;
}

Shape cycle(VertexId vertices) {
  Shape shape = path(vertices);
  shape.name = fmt::format("cycle_{}", vertices);
  shape.edges.emplace_back(vertices - 1, 0);
  return shape;
}

Shape comb(VertexId spine, VertexId tooth, IdOrder ids) {
  const VertexId vertices = spine * (tooth + 1);
  Shape shape{fmt::format("comb_{}_{}", spine, tooth), vertices, {}};
  const auto id = [&](VertexId place) { return id_in_order(place, vertices, ids, 1); };
  for (VertexId v = 0; v < vertices; ++v) {
    const VertexId along = v % (tooth + 1);
    if (along < tooth) shape.edges.emplace_back(id(v), id(v + 1));
    if (along == 0 && v + tooth + 1 < vertices) shape.edges.emplace_back(id(v), id(v + tooth + 1));
  }
  return shape;
}

Shape clique(VertexId vertices) {
  Shape shape{fmt::format("clique_{}", vertices), vertices, {}};
  for (VertexId u = 0; u < vertices; ++u) {
    for (VertexId v = u + 1; v < vertices; ++v) shape.edges.emplace_back(u, v);
  }
  return shape;
}

Shape grid(VertexId rows, VertexId columns) {
  Shape shape{fmt::format("grid_{}x{}", rows, columns), rows * columns, {}};
  for (VertexId v = 0; v < rows * columns; ++v) {
    if ((v + 1) % columns != 0) shape.edges.emplace_back(v, v + 1);
    if (v + columns < rows * columns) shape.edges.emplace_back(v, v + columns);
  }
  return shape;
}

Shape small_kronecker(unsigned scale, unsigned degree, std::uint64_t seed) {
  Shape shape{fmt::format("kronecker_{}_{}", scale, degree), VertexId{1} << scale, {}};
  for (std::uint64_t edge = 0; edge < std::uint64_t{degree} << scale; ++edge) {
    const auto [source, target] = kronecker_edge(edge, scale, seed);
    shape.edges.emplace_back(permuted_id(source, scale, seed), permuted_id(target, scale, seed));
  }
  return shape;
}

Shape disconnected() {
  Shape shape{"disconnected", 40, {}};  // 0..9 path, 10..14 clique, 20 - 30 pair, others alone
  for (VertexId v = 0; v < 9; ++v) shape.edges.emplace_back(v, v + 1);
  for (VertexId u = 10; u < 15; ++u) {
    for (VertexId v = u + 1; v < 15; ++v) shape.edges.emplace_back(u, v);
  }
  shape.edges.emplace_back(20, 30);
  return shape;
}

Shape hub(VertexId degree) {
  Shape shape{fmt::format("hub_{}", degree), degree + 3, {}};
  const VertexId centre = degree / 2;  // short lists before and after the long one
  for (VertexId v = 0; v <= degree; ++v) {
    if (v != centre) shape.edges.emplace_back(centre, v);
    shape.edges.emplace_back(v, static_cast<VertexId>(mix(v) % (degree + 3)));
  }
  return shape;
}

std::vector<Shape> all_shapes() {
  return {
      empty_graph(),  one_vertex(),  self_loops(), duplicate_edges(),  star(100),
      path(50),       cycle(33),     clique(20),   grid(12, 17),       small_kronecker(10, 8, 1),
      disconnected(), hub(1024 + 1), hub(1024),    hub(4 * 1024 + 500)};
}

}  // namespace outcore
