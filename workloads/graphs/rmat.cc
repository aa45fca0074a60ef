// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "common/error.h"
#include "workloads/graphs/edge_loop.h"
#include "workloads/graphs/generate.h"

namespace outcore {

namespace {

// Where the quadrants B, C and D begin among 32 random bits.
struct Quadrants {
  std::uint64_t b = threshold32(0.57);
  std::uint64_t c = threshold32(0.57 + 0.19);
  std::uint64_t d = threshold32(0.57 + 0.19 + 0.19);
};

// Source and target of an edge, before the ids are permuted.
Edge rmat_edge(std::uint64_t edge, unsigned scale, std::uint64_t seed, const Quadrants& quadrants) {
  const std::uint64_t stream = draw(seed, edge);
  std::uint64_t source = 0;
  std::uint64_t target = 0;
  std::uint64_t random = 0;
  for (unsigned level = 0; level < scale; ++level) {
    // One hash serves two levels with 32 bits each.
    random = level % 2 == 0 ? mix(stream + level) : random >> 32;
    const std::uint64_t bits = random & 0xffffffffU;
    // Quadrants A, B, C, D: B sets the target's bit, C the source's, D both.
    source = source << 1 | static_cast<std::uint64_t>(bits >= quadrants.c);
    target = target << 1 | (static_cast<std::uint64_t>(bits >= quadrants.b) ^
                            static_cast<std::uint64_t>(bits >= quadrants.c) ^
                            static_cast<std::uint64_t>(bits >= quadrants.d));
  }
  return {static_cast<VertexId>(source), static_cast<VertexId>(target)};
}

void generate(const KroneckerOptions& options, const Quadrants& quadrants,
              nlohmann::json provenance, const std::filesystem::path& folder, unsigned threads,
              bool force) {
  if (options.scale < 1 || options.scale > 31) {
    throw usage_error(fmt::format("--scale {}: expected 1 to 31", options.scale));
  }
  if (options.degree < 1 || options.degree > 4096) {
    throw usage_error(fmt::format("--degree {}: expected 1 to 4096", options.degree));
  }
  provenance.update({{"scale", options.scale},
                     {"degree", options.degree},
                     {"seed", options.seed},
                     {"symmetric", options.symmetric}});
  BuildOptions build = simple_graph(options.symmetric, threads, force);
  build.provenance = std::move(provenance);
  generate_edges(
      folder, VertexId{1} << options.scale, std::uint64_t{options.degree} << options.scale,
      std::move(build), {options.ids, options.seed}, [&](std::uint64_t edge) -> Edge {
        const auto [source, target] = rmat_edge(edge, options.scale, options.seed, quadrants);
        return {permuted_id(source, options.scale, options.seed),
                permuted_id(target, options.scale, options.seed)};
      });
}

}  // namespace

std::pair<VertexId, VertexId> kronecker_edge(std::uint64_t edge, unsigned scale,
                                             std::uint64_t seed) {
  return rmat_edge(edge, scale, seed, {});
}

void generate_kronecker(const KroneckerOptions& options, const std::filesystem::path& folder,
                        unsigned threads, bool force) {
  generate(options, {}, {{"generator", "kronecker"}}, folder, threads, force);
}

void generate_rmat(const RmatOptions& options, const std::filesystem::path& folder,
                   unsigned threads, bool force) {
  const bool shares = options.a >= 0 && options.b >= 0 && options.c >= 0;
  if (!shares || !(options.a + options.b + options.c <= 1)) {
    throw usage_error(
        fmt::format("--a {} --b {} --c {}: expected shares from 0 that add up to 1 "
                    "or less",
                    options.a, options.b, options.c));
  }
  const Quadrants quadrants = {threshold32(options.a), threshold32(options.a + options.b),
                               threshold32(options.a + options.b + options.c)};
  generate(options, quadrants,
           {{"generator", "rmat"}, {"a", options.a}, {"b", options.b}, {"c", options.c}}, folder,
           threads, force);
}

}  // namespace outcore
