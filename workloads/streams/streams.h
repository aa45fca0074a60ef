// SPDX-License-Identifier: Apache-2.0
// Streams of updates for stores of graphs that change, of any length, written as pages of the edge
// log (storage/evolving/stream_pages.h).
//
// Every choice is a hash of the seed and of what it decides. So the same parameters give the same
// bytes with any number of threads and any memory. Streams of a graph have all of its stored edges:
// of a symmetric one both directions, unless they are asked for one.
#pragma once

#include <cstdint>
#include <filesystem>

namespace outcore {

// Where a stream goes and what making it may take.
struct StreamTarget {
  std::filesystem::path file;
  // Of the process; the graph is mapped beside it.
  std::uint64_t memory_bytes = std::uint64_t{256} << 20;
  unsigned threads = 1;
  bool force = false;  // replace the file
};

struct StreamCounts {
  std::uint64_t updates = 0;
  std::uint64_t removals = 0;
};

// The edges of a graph in random order: how the field's benchmarks feed a store.
struct ShuffleOptions {
  std::filesystem::path graph;
  std::uint64_t seed = 1;
  // Each edge of a symmetric graph from its lesser end alone, a loop once: for stores that put each
  // edge at both ends. Every copy of a parallel edge stays.
  bool once = false;
};

// The edges of a graph by source: a store's easiest case.
struct SortedOptions {
  std::filesystem::path graph;
};

// A graph that grows by preferential attachment (Barabasi and Albert, Science 1999): vertices in
// the order of their birth, each with `degree` edges to earlier ones, which are chosen as likely as
// they have edges. An edge that would be a loop leads to the vertex that was born before.
struct GrowthOptions {
  std::uint64_t vertices = std::uint64_t{1} << 16;
  unsigned degree = 8;
  std::uint64_t seed = 1;
};

// Few vertices at a time have most of the edges, and others after a while. The source of an edge is
// one of `hot` vertices, by Zipf's law: the r-th is as likely as r^-exponent. After every `drift`
// edges an eighth of them are exchanged; newcomers are the hottest, and cool off as others come.
// Targets are any vertex but the source.
struct BurstsOptions {
  std::uint64_t vertices = std::uint64_t{1} << 16;
  std::uint64_t updates = std::uint64_t{1} << 20;
  double exponent = 1;
  std::uint32_t hot = 1024;
  std::uint64_t drift = std::uint64_t{1} << 16;
  std::uint64_t seed = 1;
};

// A shuffled graph of which no more than the last `edges` edges stand: before an edge is added, the
// one that came so many before it is removed.
struct WindowOptions {
  std::filesystem::path graph;
  std::uint64_t edges = 0;
  std::uint64_t seed = 1;
};

// The rule of gfe_driver's graphlogs: the edges of a graph come in random order, and between them
// others come and go, so that there are `factor` times as many updates as edges and in the end
// exactly the graph stands. Sources and targets of those others are as likely as they have edges in
// it, so that degrees are the final ones all the time.
struct AgingOptions {
  std::filesystem::path graph;
  std::uint64_t factor = 10;
  std::uint64_t seed = 1;
};

// A real stream (storage/evolving/timed_edges.h), in its order. With a window, an edge is removed
// once it is so many seconds old, before the next is added.
struct TimesOptions {
  std::filesystem::path file;
  std::uint64_t window_seconds = 0;  // 0: edges stay
};

// Throw usage errors for parameters that give no stream, and what opening the graph or file throws.
StreamCounts stream_shuffle(const ShuffleOptions& options, const StreamTarget& target);
StreamCounts stream_sorted(const SortedOptions& options, const StreamTarget& target);
StreamCounts stream_growth(const GrowthOptions& options, const StreamTarget& target);
StreamCounts stream_bursts(const BurstsOptions& options, const StreamTarget& target);
StreamCounts stream_window(const WindowOptions& options, const StreamTarget& target);
StreamCounts stream_aging(const AgingOptions& options, const StreamTarget& target);
StreamCounts stream_times(const TimesOptions& options, const StreamTarget& target);

}  // namespace outcore
