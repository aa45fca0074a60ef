// SPDX-License-Identifier: Apache-2.0
#include "storage/sizes/format_sizes.h"

#include <algorithm>

#include "storage/sizes/list_sizes.h"

namespace outcore {

namespace {

constexpr std::uint64_t kTileBits = 16;  // G-Store's: an id within a tile takes 2 bytes

// The sum of bytes_of(id, list) over all lists.
template <typename BytesOf>
std::uint64_t sum_over_lists(const NumberedGraph& graph, [[maybe_unused]] unsigned threads,
                             const BytesOf& bytes_of) {
  std::uint64_t total = 0;
#pragma omp parallel num_threads(static_cast <int>(threads)) reduction(+ : total)
  {
    ListBuffer buffer;
#pragma omp for schedule(dynamic, 1024)
    for (std::uint64_t id = 0; id < graph.vertices(); ++id) {
      const auto vertex = static_cast<VertexId>(id);
      total += bytes_of(vertex, graph.list(vertex, buffer));
    }
  }
  return total;
}

// The bytes of all lists in a codec of the layouts.
std::uint64_t codec_bytes(const NumberedGraph& graph, unsigned threads, const CodecPart& codec) {
  return sum_over_lists(graph, threads, [&](VertexId /*source*/, std::span<const VertexId> list) {
    if (codec.bytes == nullptr) return std::uint64_t{list.size_bytes()};
    return list.empty() ? std::uint64_t{0} : std::uint64_t{codec.bytes(list)};
  });
}

// Summed over the directions that a system which compresses undirected graphs stores.
template <typename BytesOf>
std::uint64_t stored_bytes(const NumberedLists& lists, const BytesOf& bytes_of) {
  const std::uint64_t out = bytes_of(lists.out);
  return lists.symmetric ? out : out + bytes_of(lists.in);
}

FormatSize g_store(const NumberedLists& lists, unsigned threads) {
  constexpr std::uint64_t kEdge = 4;
  constexpr std::uint64_t kOffset = 8;
  const std::uint64_t side = (lists.out.vertices() + (1ULL << kTileBits) - 1) >> kTileBits;
  FormatSize size{"G-Store", "tiles with local ids; half of an undirected graph"};
  if (lists.symmetric) {
    size.edge_bytes = kEdge * sum_over_lists(lists.out, threads, [](VertexId source, auto list) {
                        const auto upper = std::lower_bound(list.begin(), list.end(), source);
                        return static_cast<std::uint64_t>(list.end() - upper);
                      });
    size.index_bytes = kOffset * (side * (side + 1) / 2 + 1);
  } else {
    size.edge_bytes = kEdge * lists.out.csr.edges();
    size.index_bytes = kOffset * (side * side + 1);
  }
  return size;
}

}  // namespace

std::vector<FormatSize> format_sizes(const NumberedLists& lists, unsigned threads) {
  const std::uint64_t vertices = lists.out.vertices();
  const std::uint64_t edges = lists.out.csr.edges();
  const std::uint64_t directions = lists.symmetric ? 1 : 2;
  const std::uint64_t offsets = directions * 8 * (vertices + 1);
  const std::uint64_t degrees = directions * 4 * vertices;
  const std::uint64_t losc = stored_bytes(lists, [&](const NumberedGraph& graph) {
    return codec_bytes(graph, threads, codec_part("varint"));
  });
  const std::uint64_t ligra_plus = stored_bytes(lists, [&](const NumberedGraph& graph) {
    return sum_over_lists(graph, threads, ligra_plus_list_bytes);
  });
  return {
      {"edge list", "GridGraph: source and target", 8 * edges, 0},
      {"CSR", "FlashGraph, LOSC without compression", directions * 4 * edges, offsets},
      {"LOSC", "differences in bytes of 7 bits", losc, offsets},
      {"Ligra+", "run-length encoded byte code", ligra_plus, offsets + degrees},
      g_store(lists, threads),
  };
}

std::vector<CodecSize> codec_sizes(const NumberedGraph& lists, unsigned threads) {
  std::vector<CodecSize> sizes;
  for (const CodecPart& codec : codec_parts()) {
    sizes.push_back({codec.name, codec_bytes(lists, threads, codec)});
  }
  return sizes;
}

}  // namespace outcore
