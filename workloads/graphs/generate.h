// SPDX-License-Identifier: Apache-2.0
// Generators of graphs of any size, written as containers.
//
// Every random choice is a hash of the seed and of what it decides, never a state that is passed
// along. So the same parameters give bit-identical containers with any number of threads.
//
// All kinds have `ids` (id_order.h): which id the vertex at each place gets. Random ids hang on the
// seed, as all that is random does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "common/ids.h"
#include "workloads/graphs/id_order.h"

namespace outcore {

// Kronecker graphs with the parameters of Graph500 and the GAP suite (A = .57, B = C = .19):
// 2^scale vertices, degree * 2^scale edges before loops and duplicates are dropped, ids permuted.
struct KroneckerOptions {
  unsigned scale = 16;  // 1 to 31
  unsigned degree = 16;
  std::uint64_t seed = 1;
  bool symmetric = false;
  IdOrder ids = IdOrder::in_order;
};

// The same with arbitrary quadrants: R-MAT (Chakrabarti, Zhan, Faloutsos, SDM 2004). a, b and c are
// the probabilities of the quadrants top left, top right (the target's bit is set) and bottom left
// (the source's bit); the rest is the fourth's. The farther a is from 1/4, the more skewed the
// degrees. With 0.57, 0.19, 0.19 the graph is generate_kronecker's.
struct RmatOptions : KroneckerOptions {
  double a = 0.57;
  double b = 0.19;
  double c = 0.19;
};

// `degree` times `vertices` edges with both ends chosen at random, before loops and duplicates are
// dropped (Erdos and Renyi's G(n, m)).
struct UniformOptions {
  std::uint64_t vertices = std::uint64_t{1} << 16;
  unsigned degree = 16;
  std::uint64_t seed = 1;
  bool symmetric = false;
  IdOrder ids = IdOrder::in_order;
};

// Preferential attachment (Barabasi and Albert, Science 1999): each vertex in turn links to
// `degree` earlier ends of edges, so low ids become hubs. Loops and duplicates are dropped; always
// symmetric. Generated without state, as in Sanders and Schulz, "Scalable generation of scale-free
// graphs" (2016): the end of an edge is traced back through the hashes that chose it.
struct BarabasiAlbertOptions {
  std::uint64_t vertices = std::uint64_t{1} << 16;
  unsigned degree = 8;  // edges of a new vertex
  std::uint64_t seed = 1;
  IdOrder ids = IdOrder::in_order;
};

// A ring in which each vertex is linked to the next `degree` / 2 vertices on either side; each of
// these edges leads to a random vertex instead with probability `rewire` (Watts and Strogatz,
// Nature 1998). Loops and duplicates are dropped; always symmetric.
struct SmallWorldOptions {
  std::uint64_t vertices = std::uint64_t{1} << 16;
  unsigned degree = 16;  // even
  double rewire = 0.01;
  std::uint64_t seed = 1;
  IdOrder ids = IdOrder::in_order;
};

// A grid in which each vertex (row * columns + column) is linked to its four neighbours; always
// symmetric. `missing` is the share of edges that are left out at random, like dead ends in a city.
// In a torus the last of a row or column is linked to its first. Two columns make a ladder.
struct GridOptions {
  std::uint64_t rows = 1024;
  std::uint64_t columns = 1024;
  double missing = 0;
  std::uint64_t seed = 1;
  bool torus = false;
  IdOrder ids = IdOrder::in_order;
};

// A path of `spine` vertices. At each begins another path, a tooth, of `tooth` vertices more;
// without teeth it is a plain path. Always symmetric. Ids in order go tooth by tooth. No graph has
// longer paths for its edges, or less to do in a round.
struct CombOptions {
  std::uint64_t spine = 1000;
  std::uint64_t tooth = 999;
  IdOrder ids = IdOrder::in_order;
  std::uint64_t seed = 1;
};

// A path in which each vertex is linked to the next `width` vertices, not to the next one alone;
// always symmetric. It is as long as a path for its vertices, and its lists are longer.
struct BandOptions {
  std::uint64_t vertices = std::uint64_t{1} << 16;
  unsigned width = 8;
  std::uint64_t seed = 1;  // of random ids
  IdOrder ids = IdOrder::in_order;
};

// A complete tree, level by level: vertex v has the children v * `children` + 1 and further on.
// With as many children as there are other vertices it is a star. Always symmetric.
struct TreeOptions {
  std::uint64_t vertices = std::uint64_t{1} << 16;
  std::uint64_t children = 2;
  std::uint64_t seed = 1;  // of random ids
  IdOrder ids = IdOrder::in_order;
};

// Complete graphs of `size` vertices, one after the other; always symmetric. In a chain, the last
// vertex of each is linked to the first of the next.
struct CliquesOptions {
  std::uint64_t cliques = 4096;
  std::uint64_t size = 16;  // up to 65,536
  bool chain = false;
  std::uint64_t seed = 1;  // of random ids
  IdOrder ids = IdOrder::in_order;
};

// Points thrown at random into a square, linked where they are nearer than a radius (Gilbert 1961,
// Penrose 2003); the radius is such that a point far from the rim has at least `degree` neighbours
// on average. Always symmetric. Ids in order go row by row, in rows as high as the radius. Memory:
// 4 bytes a cell of the radius, pi / `degree` cells a vertex.
struct GeometricOptions {
  std::uint64_t vertices = std::uint64_t{1} << 16;
  unsigned degree = 16;  // up to 256
  std::uint64_t seed = 1;
  IdOrder ids = IdOrder::in_order;
};

// Two sides, with edges from each of the `left` first vertices to `degree` of the `right` others,
// chosen at random. Duplicates are dropped.
struct BipartiteOptions {
  std::uint64_t left = std::uint64_t{1} << 15;
  std::uint64_t right = std::uint64_t{1} << 15;
  unsigned degree = 16;  // of a vertex on the left
  std::uint64_t seed = 1;
  bool symmetric = false;
  IdOrder ids = IdOrder::in_order;
};

// A large component, the mainland: `degree` times `vertices` edges with random ends, one of each
// vertex to an earlier one, so that it is connected. And many small components, paths of `size`
// vertices. Loops and duplicates are dropped; always symmetric.
struct IslandsOptions {
  std::uint64_t vertices = std::uint64_t{1} << 16;  // of the mainland
  unsigned degree = 8;
  std::uint64_t islands = 100000;
  std::uint64_t size = 2;
  std::uint64_t seed = 1;
  IdOrder ids = IdOrder::in_order;
};

// A web as crawlers see it, with ids in the order of URLs. Hosts have power-law sizes and contain
// hubs. Links stay mostly inside a host and near. Chains of up to `chain` pages, each linked only
// to the next and the previous one, make the diameter at least twice that. Loops and duplicates are
// dropped. hostweb.h describes the model, docs/generators.md how it was tuned.
struct HostWebOptions {
  std::uint64_t vertices = std::uint64_t{1} << 16;
  unsigned degree = 14;  // links of a page on average, before duplicates are dropped
  VertexId chain = 256;
  std::uint64_t seed = 1;
  bool symmetric = false;
  IdOrder ids = IdOrder::in_order;
};

// `threads` 0: every core. Throws a usage Error for parameters that give no graph.
void generate_kronecker(const KroneckerOptions& options, const std::filesystem::path& folder,
                        unsigned threads, bool force);
void generate_rmat(const RmatOptions& options, const std::filesystem::path& folder,
                   unsigned threads, bool force);
void generate_uniform(const UniformOptions& options, const std::filesystem::path& folder,
                      unsigned threads, bool force);
void generate_barabasi_albert(const BarabasiAlbertOptions& options,
                              const std::filesystem::path& folder, unsigned threads, bool force);
void generate_small_world(const SmallWorldOptions& options, const std::filesystem::path& folder,
                          unsigned threads, bool force);
void generate_hostweb(const HostWebOptions& options, const std::filesystem::path& folder,
                      unsigned threads, bool force);
void generate_grid(const GridOptions& options, const std::filesystem::path& folder,
                   unsigned threads, bool force);
void generate_comb(const CombOptions& options, const std::filesystem::path& folder,
                   unsigned threads, bool force);
void generate_band(const BandOptions& options, const std::filesystem::path& folder,
                   unsigned threads, bool force);
void generate_tree(const TreeOptions& options, const std::filesystem::path& folder,
                   unsigned threads, bool force);
void generate_cliques(const CliquesOptions& options, const std::filesystem::path& folder,
                      unsigned threads, bool force);
void generate_geometric(const GeometricOptions& options, const std::filesystem::path& folder,
                        unsigned threads, bool force);
void generate_bipartite(const BipartiteOptions& options, const std::filesystem::path& folder,
                        unsigned threads, bool force);
void generate_islands(const IslandsOptions& options, const std::filesystem::path& folder,
                      unsigned threads, bool force);

// Source and target of the edge, before the ids are permuted.
std::pair<VertexId, VertexId> kronecker_edge(std::uint64_t edge, unsigned scale,
                                             std::uint64_t seed);

}  // namespace outcore
