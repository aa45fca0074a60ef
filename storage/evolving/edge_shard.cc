// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/edge_shard.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#if defined(__SSE2__) && !defined(__SANITIZE_THREAD__)
#include <emmintrin.h>
#endif

#include "storage/evolving/vertex_buffer.h"

namespace outcore::evolving {

namespace {

// Calls f with each entry that a thread's part of a batch makes.
template <Ends kEnds, typename F>
void for_each_entry(const EdgeShard::Batch& batch, unsigned thread, unsigned threads, F&& f) {
  const std::uint64_t size = batch.first.size() + batch.second.size();
  const std::uint64_t begin = size * thread / threads;
  const std::uint64_t end = size * (thread + 1) / threads;
  const auto part = [&](std::span<const LogEdge> edges, std::uint64_t before) {
    const std::uint64_t first = std::clamp<std::uint64_t>(begin, before, before + edges.size());
    const std::uint64_t last = std::clamp<std::uint64_t>(end, before, before + edges.size());
    for (const LogEdge& edge : edges.subspan(first - before, last - first)) {
      const Entry removal = edge.target & kRemoval;
      const VertexId target = neighbour(edge.target);
      if constexpr (kEnds != Ends::target) f(edge.source, edge.target);
      if constexpr (kEnds == Ends::target) f(target, edge.source | removal);
      if constexpr (kEnds == Ends::both) {
        if (target != edge.source) f(target, edge.source | removal);  // a loop stands once
      }
    }
  };
  part(batch.first, 0);
  part(batch.second, batch.first.size());
}

// Stores a line past the cache. REQUIRES: `to` is aligned to 64 bytes.
void store_line(Sharded* to, const Sharded* line) {
#if defined(__SSE2__) && !defined(__SANITIZE_THREAD__)
  auto* const into = reinterpret_cast<__m128i*>(to);
  const auto* const from = reinterpret_cast<const __m128i*>(line);
  for (int i = 0; i < 4; ++i) _mm_stream_si128(into + i, _mm_load_si128(from + i));
#else
  std::memcpy(to, line, 64);
#endif
}
// Stores past the cache are ordered before what follows, the end of the executor's run.
void store_fence() {
#if defined(__SSE2__) && !defined(__SANITIZE_THREAD__)
  _mm_sfence();
#endif
}

}  // namespace

EdgeShard::EdgeShard(Executor& executor, unsigned ranges, VertexPlaces places)
    : executor_(executor),
      wanted_ranges_(ranges),
      places_(places),
      counts_(executor.size()),
      first_ranges_(executor.size()),
      scratch_(executor.size()),
      counters_(executor.size()) {}

void EdgeShard::choose_ranges(std::uint64_t entries, VertexId vertices) {
  // A list that fits the second-level cache beside the records of its range, twice: it is sorted.
  constexpr std::uint64_t kListEntries = 16384;
  constexpr unsigned kMostRanges = 1024;
  const auto bits = static_cast<unsigned>(std::bit_width(std::max<VertexId>(vertices, 1) - 1));
  const std::uint64_t wanted =
      wanted_ranges_ != 0
          ? wanted_ranges_
          : std::clamp<std::uint64_t>(entries / kListEntries, executor_.size() * 8, kMostRanges);
  const auto range_bits = static_cast<unsigned>(
      std::bit_width(std::max<std::uint64_t>(wanted, places_.sub_graphs()) - 1));
  // A range is made of whole partitions, since each is copied for a snapshot by one thread.
  shift_ = std::max(kPartitionBits, bits > range_bits ? bits - range_bits : 0);
  ranges_ = static_cast<unsigned>(places_.groups(vertices, shift_));
}

void EdgeShard::take_memory(std::uint64_t entries) {
  if (memory_ != nullptr && memory_.get_deleter().bytes >= entries * sizeof(Sharded)) return;
  memory_ = nullptr;
  memory_ = numa::allocate(std::max<std::uint64_t>(entries, 1) * sizeof(Sharded));
  // Only advice: if the kernel refuses it, pages are small.
  madvise(memory_.get(), memory_.get_deleter().bytes, MADV_HUGEPAGE);
  edges_ = reinterpret_cast<Sharded*>(memory_.get());
}

void EdgeShard::split(Executor& executor, std::span<const Split> splits, const Batch& batch,
                      VertexId vertices) {
  const std::uint64_t edges = batch.first.size() + batch.second.size();
  for (const auto& [shard, ends] : splits) {
    const std::uint64_t most = edges * (ends == Ends::both ? 2 : 1);
    shard->choose_ranges(most, vertices);
    shard->take_memory(most);
  }
  const auto pass = [&](auto&& step) {
    executor.run([&](unsigned thread) {
      for (const auto& [shard, ends] : splits) {
        if (ends == Ends::source) step.template operator()<Ends::source>(*shard, thread);
        if (ends == Ends::target) step.template operator()<Ends::target>(*shard, thread);
        if (ends == Ends::both) step.template operator()<Ends::both>(*shard, thread);
      }
    });
  };
  pass([&]<Ends kEnds>(EdgeShard& shard, unsigned thread) { shard.count<kEnds>(thread, batch); });
  for (const Split& split : splits) split.shard->place_lists(executor.size());
  pass([&]<Ends kEnds>(EdgeShard& shard, unsigned thread) { shard.store<kEnds>(thread, batch); });
}

template <Ends kEnds>
void EdgeShard::count(unsigned thread, const Batch& batch) {
  std::vector<std::uint64_t>& counts = counts_[thread];
  counts.assign(ranges_, 0);
  std::uint64_t* const count = counts.data();
  const unsigned shift = shift_;
  const VertexPlaces places = places_;
  for_each_entry<kEnds>(batch, thread, executor_.size(),
                        [&](VertexId vertex, Entry) { ++count[places.group(vertex, shift)]; });
}

// Turns counts into places, and gives ranges to threads.
void EdgeShard::place_lists(unsigned threads) {
  begins_.resize(ranges_ + 1);
  std::uint64_t sum = 0;
  for (unsigned range = 0; range < ranges_; ++range) {
    begins_[range] = sum;
    for (unsigned thread = 0; thread < threads; ++thread) {
      const std::uint64_t count = counts_[thread][range];
      counts_[thread][range] = sum;
      sum += count;
    }
  }
  begins_[ranges_] = sum;
  for (unsigned sub_graph = 0; sub_graph < range_step(); ++sub_graph) share_ranges(sub_graph);
}

// The threads of a sub-graph are those whose numbers are the sub-graph's, modulo their number.
void EdgeShard::share_ranges(unsigned sub_graph) {
  const unsigned step = range_step();
  std::uint64_t all = 0;
  for (unsigned range = sub_graph; range < ranges_; range += step) all += list(range).size();
  const unsigned threads = (executor_.size() - sub_graph + step - 1) / step;
  std::uint64_t before = 0;
  unsigned range = sub_graph;
  for (unsigned i = 0; i < threads; ++i) {
    for (; range < ranges_ && before < all * i / threads; range += step)
      before += list(range).size();
    first_ranges_[sub_graph + i * step] = range;
  }
}

template <Ends kEnds>
void EdgeShard::store(unsigned thread, const Batch& batch) {
  std::vector<std::uint64_t>& places = counts_[thread];
  const std::vector<std::uint64_t> firsts = places;
  std::vector<Line> lines(ranges_);
  std::uint64_t* const next = places.data();
  Line* const line = lines.data();
  const unsigned shift = shift_;
  const VertexPlaces vertices = places_;
  for_each_entry<kEnds>(batch, thread, executor_.size(), [&](VertexId vertex, Entry entry) {
    const VertexId range = vertices.group(vertex, shift);
    const std::uint64_t place = next[range]++;
    line[range].entries[place % kLineEntries] = {vertex, entry};
    if (place % kLineEntries != kLineEntries - 1) return;
    const std::uint64_t begin = place - (kLineEntries - 1);
    if (begin >= firsts[range]) return store_line(edges_ + begin, line[range].entries);
    // The line begins with entries of another list, or of another thread's part.
    for (std::uint64_t i = firsts[range]; i <= place; ++i)
      edges_[i] = line[range].entries[i % kLineEntries];
  });
  for (unsigned range = 0; range < ranges_; ++range) {
    const std::uint64_t begin = std::max(firsts[range], next[range] / kLineEntries * kLineEntries);
    for (std::uint64_t i = begin; i < next[range]; ++i)
      edges_[i] = line[range].entries[i % kLineEntries];
  }
  store_fence();
}

std::span<const Sharded> EdgeShard::sorted(unsigned thread, unsigned range) {
  std::span<Sharded> from = list(range);
  if (from.size() <= 1) return from;
  if (scratch_[thread].size() < from.size()) scratch_[thread].resize(from.size());
  std::span<Sharded> to(scratch_[thread].data(), from.size());
  // Passes of a radix sort, from the lowest bits. More buckets than entries would cost more to
  // clear than to sort; more than 2^14 do not fit the cache.
  const auto most_bits =
      std::clamp<unsigned>(static_cast<unsigned>(std::bit_width(from.size())) - 1, 6, 14);
  const unsigned passes = (shift_ + most_bits - 1) / most_bits;
  for (unsigned pass = 0, low = 0; pass < passes; ++pass) {
    const unsigned bits = (shift_ - low + passes - pass - 1) / (passes - pass);
    const VertexId mask = (VertexId{1} << bits) - 1;
    std::vector<std::uint32_t>& counters = counters_[thread];
    counters.assign(std::size_t{mask} + 1, 0);
    const VertexPlaces places = places_;
    const auto bucket = [=](const Sharded& entry) {
      return places.number_in_sub_graph(entry.vertex) >> low & mask;
    };
    for (const Sharded& entry : from) ++counters[bucket(entry)];
    std::uint32_t sum = 0;
    for (std::uint32_t& counter : counters) sum += std::exchange(counter, sum);
    for (const Sharded& entry : from) to[counters[bucket(entry)]++] = entry;
    std::swap(from, to);
    low += bits;
  }
  return from;
}

}  // namespace outcore::evolving
