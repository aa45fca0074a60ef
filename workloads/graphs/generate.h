// SPDX-License-Identifier: Apache-2.0
// Generators of graphs of any size, written as containers.
//
// Every random choice is a hash of the seed and of what it decides, never a state that is passed
// along. So the same parameters give bit-identical containers with any number of threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "common/ids.h"

namespace outcore {

// Kronecker graphs with the parameters of Graph500 and the GAP suite (A = .57, B = C = .19):
// 2^scale vertices, degree * 2^scale edges before loops and duplicates are dropped, ids permuted.
struct KroneckerOptions {
  unsigned scale = 16;  // 1 to 31
  unsigned degree = 16;
  std::uint64_t seed = 1;
  bool symmetric = false;
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
};

// Preferential attachment (Barabasi and Albert, Science 1999): each vertex in turn links to
// `degree` earlier ends of edges, so low ids become hubs. Loops and duplicates are dropped; always
// symmetric. Generated without state, as in Sanders and Schulz, "Scalable generation of scale-free
// graphs" (2016): the end of an edge is traced back through the hashes that chose it.
struct BarabasiAlbertOptions {
  std::uint64_t vertices = std::uint64_t{1} << 16;
  unsigned degree = 8;  // edges of a new vertex
  std::uint64_t seed = 1;
};

// A ring in which each vertex is linked to the next `degree` / 2 vertices on either side; each of
// these edges leads to a random vertex instead with probability `rewire` (Watts and Strogatz,
// Nature 1998). Loops and duplicates are dropped; always symmetric.
struct SmallWorldOptions {
  std::uint64_t vertices = std::uint64_t{1} << 16;
  unsigned degree = 16;  // even
  double rewire = 0.01;
  std::uint64_t seed = 1;
};

// A grid in which each vertex (row * columns + column) is linked to its four neighbours; always
// symmetric. `missing` is the share of edges that are left out at random, like dead ends in a city.
struct GridOptions {
  std::uint64_t rows = 1024;
  std::uint64_t columns = 1024;
  double missing = 0;
  std::uint64_t seed = 1;
};

// A path of `spine` vertices. At each begins another path, a tooth, of `tooth` vertices more;
// without teeth it is a plain path. Always symmetric. `ids`: as the vertices lie, tooth by tooth;
// from the other end; or at random. No graph has longer paths for its edges, or less to do in a
// round.
enum class IdOrder : std::uint8_t { in_order, reversed, random };
struct CombOptions {
  std::uint64_t spine = 1000;
  std::uint64_t tooth = 999;
  IdOrder ids = IdOrder::in_order;
  std::uint64_t seed = 1;
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

// The id of the vertex at `place` of so many.
VertexId id_in_order(VertexId place, VertexId vertices, IdOrder order, std::uint64_t seed);
// As the command line has it.
const char* name_of(IdOrder order);

// A bijection on [0, 2^bits) chosen by the seed. It hides the structure in a Kronecker graph's ids.
// A Feistel network of four rounds, repeated until the result lies in the range.
VertexId permuted_id(VertexId id, unsigned bits, std::uint64_t seed);
// Source and target of the edge, before the ids are permuted.
std::pair<VertexId, VertexId> kronecker_edge(std::uint64_t edge, unsigned scale,
                                             std::uint64_t seed);

}  // namespace outcore
