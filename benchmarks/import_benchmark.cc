// SPDX-License-Identifier: Apache-2.0
// How import spends its time, one thread each: lines of text to edges, and sorting.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "common/hash.h"
#include "storage/formats/text_edges.h"
#include "storage/sort/parallel_sort.h"
#include "storage/sort/sort_buffer.h"

namespace outcore {
namespace {

constexpr std::uint64_t kVertices = std::uint64_t{1} << 23;

struct TwoIds {
  using Record = TextEdge;
  static LineKind parse(LineCursor& line, TextEdge& edge) {
    return line.id(edge.source) && line.id(edge.target) && line.end() ? LineKind::record
                                                                      : LineKind::refused;
  }
};
struct TwoIdsAndWeight {
  using Record = WeightedTextEdge;
  static LineKind parse(LineCursor& line, WeightedTextEdge& edge) {
    return line.id(edge.source) && line.id(edge.target) && line.weight(edge.weight) && line.end()
               ? LineKind::record
               : LineKind::refused;
  }
};

std::string text_of(std::size_t bytes, const char* weight_format) {
  std::string text;
  for (std::uint64_t i = 0; text.size() + 40 < bytes; ++i) {
    text += fmt::format("{} {}", mix(i) % kVertices, mix(~i) % kVertices);
    if (*weight_format != '\0') {
      text += fmt::format(fmt::runtime(weight_format), static_cast<double>(mix(i) % 100000) / 1000);
    }
    text += '\n';
  }
  return text;
}

template <typename Grammar>
void parse(benchmark::State& state, const char* weight_format) {
  const std::string text =
      text_of(FilePiece::kBytes, weight_format) + std::string(FilePiece::kPadding, '\0');
  const std::string_view lines(text.data(), text.size() - FilePiece::kPadding);
  ParsedLines<typename Grammar::Record> parsed;
  for (auto _ : state) parse_lines(Grammar{}, lines, parsed);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * lines.size()));
}
void parse_ids(benchmark::State& state) { parse<TwoIds>(state, ""); }
BENCHMARK(parse_ids);
void parse_whole_weights(benchmark::State& state) { parse<TwoIdsAndWeight>(state, " {:.0f}"); }
BENCHMARK(parse_whole_weights);
void parse_decimal_weights(benchmark::State& state) { parse<TwoIdsAndWeight>(state, " {:.3f}"); }
BENCHMARK(parse_decimal_weights);

template <typename Record>
void sort_a_buffer(benchmark::State& state) {
  constexpr std::size_t kRecords = std::size_t{4} << 20;
  const SortBuffer<Record> keys(kRecords);
  const SortBuffer<Record> scratch(kRecords);
  for (auto _ : state) {
    state.PauseTiming();
    for (std::size_t i = 0; i < kRecords; ++i) {
      const std::uint64_t key = mix(i) % kVertices << 32 | mix(~i) % kVertices;
      if constexpr (std::is_same_v<Record, EdgeKey>) {
        keys.records()[i] = key;
      } else {
        keys.records()[i] = {parts_of(key).source, parts_of(key).target,
                             weight_order(static_cast<float>(i % 256))};
      }
    }
    state.ResumeTiming();
    benchmark::DoNotOptimize(parallel_sort(keys.records(), scratch.records(), 1).data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kRecords));
}
BENCHMARK(sort_a_buffer<EdgeKey>)->Unit(benchmark::kMillisecond);
BENCHMARK(sort_a_buffer<WeightedKey>)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace outcore
