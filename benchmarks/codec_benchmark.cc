// SPDX-License-Identifier: Apache-2.0
// How fast lists are decoded from a block in the processor's cache: all pieces of a block through
// PieceFormat, for each codec, beside libstreamvbyte alone on the same lists and a plain copy of
// ids (the limit of memory). "edges" are edges per second; "bytes_an_edge" is what the block holds,
// including the heads of pieces. Lists have the given length, and differences like those of a
// Kronecker graph of 4 M vertices; or they are the lists of such a graph in their order
// (`kronecker`: 64 blocks, 2^18 vertices).
#include <benchmark/benchmark.h>
#include <streamvbyte.h>
#include <streamvbytedelta.h>

#include <algorithm>
#include <cstring>

#include "common/hash.h"
#include "storage/layout/parts.h"
#include "workloads/graphs/shapes.h"

namespace outcore {
namespace {

constexpr std::uint32_t kBlock = 4096;

using List = std::vector<VertexId>;

List list_of_length(std::size_t length, std::uint64_t seed) {
  List list(length);
  for (std::size_t i = 0; i < length; ++i) {
    list[i] = static_cast<VertexId>(mix(seed * length + i) % (1U << 22));
  }
  std::sort(list.begin(), list.end());
  return list;
}

// The lists of a symmetric Kronecker graph that are not empty and fit a block.
const std::vector<List>& kronecker_lists() {
  static const std::vector<List> lists = [] {
    const Shape shape = small_kronecker(18, 16, 1);
    std::vector<List> all(shape.vertices);
    for (const auto& [u, v] : shape.edges) {
      all[u].push_back(v);
      all[v].push_back(u);
    }
    std::erase_if(all, [](const List& l) { return l.empty() || l.size() > kBlock / 8; });
    for (List& list : all) std::sort(list.begin(), list.end());
    return all;
  }();
  return lists;
}

// A block of the codec, filled with lists until one does not fit.
struct FilledBlock {
  PieceFormat format;
  std::vector<List> lists;
  std::vector<BlockPart> parts;
  std::vector<std::byte> bytes = std::vector<std::byte>(kBlock + kReadAhead, std::byte{0xff});
  std::size_t edges = 0;

  // `next()` returns the next list.
  template <typename Next>
  FilledBlock(const std::string& codec, Next next) : format(codec_part(codec), false, kBlock) {
    std::uint32_t at = 0;
    for (;;) {
      List list = next();
      const std::uint64_t slots = format.slots(list);
      if (at + slots > format.slots_per_block()) return;
      format.write({list, {}}, 0,
                   std::span(bytes).subspan(at * format.slot_bytes(), slots * format.slot_bytes()));
      parts.push_back({0, at, static_cast<std::uint32_t>(slots), 0});
      at += static_cast<std::uint32_t>(slots);
      edges += list.size();
      lists.push_back(std::move(list));
    }
  }
  [[nodiscard]] double used_bytes() const {
    return static_cast<double>((parts.back().slot + parts.back().slots) * format.slot_bytes());
  }
};

FilledBlock block_of_length(const std::string& codec, std::size_t length) {
  return {codec,
          [length, seed = std::uint64_t{0}]() mutable { return list_of_length(length, seed++); }};
}

void report(benchmark::State& state, std::size_t edges, double bytes) {
  state.counters["edges"] = benchmark::Counter(static_cast<double>(edges * state.iterations()),
                                               benchmark::Counter::kIsRate);
  state.counters["bytes_an_edge"] = bytes / static_cast<double>(edges);
}

// Behind a call, as programs are behind a virtual call: otherwise the compiler would fuse this with
// the decoding for some codecs and not for others.
[[gnu::noinline]] VertexId go_through(const DecodedPiece& piece) {
  VertexId sum = 0;
  for (std::uint32_t i = 0; i < piece.count; ++i) sum += piece.ids[i];
  return sum;
}

// Decodes each piece and reads its ids, as an engine does.
void go_through(const FilledBlock& block, std::vector<VertexId>& ids) {
  for (const BlockPart& part : block.parts) {
    const DecodedPiece piece = block.format.read(part, block.bytes.data(), {ids.data(), nullptr});
    benchmark::DoNotOptimize(go_through(piece));
  }
}

void pieces(benchmark::State& state, const std::string& codec) {
  const FilledBlock block = block_of_length(codec, static_cast<std::size_t>(state.range(0)));
  std::vector<VertexId> ids(block.format.most_edges());
  for (auto _ : state) go_through(block, ids);
  report(state, block.edges, block.used_bytes());
}

void kronecker(benchmark::State& state, const std::string& codec) {
  std::vector<FilledBlock> blocks;
  std::size_t edges = 0;
  double bytes = 0;
  std::size_t at = 0;
  while (blocks.size() < 64) {
    // The list that did not fit comes first in the next block.
    const FilledBlock& block = blocks.emplace_back(codec, [&] { return kronecker_lists()[at++]; });
    --at;
    edges += block.edges;
    bytes += block.used_bytes();
  }
  std::vector<VertexId> ids(blocks.front().format.most_edges());
  for (auto _ : state) {
    for (const FilledBlock& block : blocks) go_through(block, ids);
  }
  report(state, edges, bytes);
}

void library(benchmark::State& state) {
  const FilledBlock block = block_of_length("svb", static_cast<std::size_t>(state.range(0)));
  std::vector<std::vector<std::uint8_t>> encoded;
  double bytes = 0;
  for (const auto& list : block.lists) {
    auto& code = encoded.emplace_back(streamvbyte_max_compressedbytes(list.size()) + kReadAhead);
    bytes += static_cast<double>(streamvbyte_delta_encode(
        list.data(), static_cast<std::uint32_t>(list.size()), code.data(), 0));
  }
  std::vector<VertexId> ids(block.format.most_edges());
  for (auto _ : state) {
    for (std::size_t i = 0; i < encoded.size(); ++i) {
      streamvbyte_delta_decode(encoded[i].data(), ids.data(),
                               static_cast<std::uint32_t>(block.lists[i].size()), 0);
      benchmark::ClobberMemory();
    }
  }
  report(state, block.edges, bytes);
}

void lengths(benchmark::internal::Benchmark* benchmark) {
  for (const int length : {4, 16, 64, 512}) benchmark->Arg(length);
}
BENCHMARK_CAPTURE(pieces, raw, "raw")->Apply(lengths);
BENCHMARK_CAPTURE(pieces, varint, "varint")->Apply(lengths);
BENCHMARK_CAPTURE(pieces, svb, "svb")->Apply(lengths);
BENCHMARK_CAPTURE(kronecker, raw, "raw");
BENCHMARK_CAPTURE(kronecker, varint, "varint");
BENCHMARK_CAPTURE(kronecker, svb, "svb");
BENCHMARK(library)->Apply(lengths);

}  // namespace
}  // namespace outcore
