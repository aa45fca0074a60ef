// SPDX-License-Identifier: Apache-2.0
// A model of Blaze (Kim, Swanson, SC 2022). The edges are pages, and a page frontier selects those
// that hold edges of active vertices. Each page is scattered, when it arrives, into bins by ranges
// of targets. A full bin is handed over and gathered by one thread at a time, without atomics,
// while other pages are still being scattered (online binning).
//
// Gathering starts before scattering ends, so all messages are taken before the first page:
// visibility `round`.
#pragma once

#include <deque>
#include <mutex>
#include <set>

#include "common/executor.h"
#include "tests/prototypes/toy_engine.h"

namespace outcore::toys {

class BinningEngine : public ToyEngine {
 public:
  static constexpr std::uint32_t kPageEdges = 4;
  static constexpr std::size_t kBins = 3;
  static constexpr std::size_t kFullBytes = 64;  // a bin is handed over when it has this size

  BinningEngine(const ToyGraph& g, unsigned threads)
      : ToyEngine(g),
        executor_(threads),
        bin_size_(g.id_space() / static_cast<VertexId>(kBins) + 1),
        full_(kBins) {
    EdgeIndex at = 0;
    for (VertexId v = 0; v < g.id_space(); ++v) {
      begins_.push_back(at);
      at += g.out[v].size();
    }
    begins_.push_back(at);
  }

  [[nodiscard]] EngineTraits traits() const override { return {}; }

  Frontier round(Program& program, Frontier&& frontier, Direction /*out*/, Mode /*push*/) override {
    MessageArray messages(g_.id_space(), program.traits().message_bytes);
    const std::vector<EdgeIndex> pages = page_frontier(program, frontier, messages.view());

    std::vector<Frontier> heard(executor_.size(), Frontier(g_.id_space()));
    std::vector<Bins> bins(executor_.size(), Bins(kBins, bin_size_));
    each(pages.size(), [&](unsigned worker, std::size_t p) {
      scatter(program, pages[p], frontier.bits(), messages.view(), bins[worker]);
      for (std::size_t b = 0; b < kBins; ++b) {
        if (bins[worker].bin(b).size() < kFullBytes) continue;
        hand_over(b, bins[worker]);
        gather(program, b, heard[worker]);
        ++handed_over_early;
      }
    });
    each(kBins, [&](unsigned worker, std::size_t b) {
      for (Bins& of_worker : bins) hand_over(b, of_worker);
      gather(program, b, heard[worker]);
    });

    Frontier next(g_.id_space());
    Collector activations(next);
    for (const Frontier& of_worker : heard) of_worker.for_each([&](VertexId v) { next.add(v); });
    if (program.traits().settles) program.settle({0, g_.id_space()}, activations);
    activations.drain();
    return next;
  }

  std::uint64_t pages_read = 0;
  std::atomic<std::uint64_t> handed_over_early = 0;
  std::atomic<std::uint64_t> binned_bytes = 0;

 private:
  struct FullBin {
    std::mutex one_gatherer;
    std::mutex queue;
    std::deque<Bins::Buffer> buffers;
  };

  template <typename F>
  void each(std::size_t count, F&& f) {
    executor_.parallel_for(0, count, 1, [&](unsigned worker, std::size_t i, std::size_t end) {
      for (; i < end; ++i) f(worker, i);
    });
  }

  // Takes the messages, and finds the pages that hold edges of active vertices.
  std::vector<EdgeIndex> page_frontier(Program& program, const Frontier& frontier,
                                       Messages messages) {
    std::set<EdgeIndex> pages;
    frontier.for_each([&](VertexId v) {
      const Source source{v, static_cast<std::uint32_t>(g_.out[v].size())};
      program.begin({&source, 1}, messages.from(v));
      for (EdgeIndex e = begins_[v]; e < begins_[v + 1]; ++e) pages.insert(e / kPageEdges);
    });
    pages_read += pages.size();
    return {pages.begin(), pages.end()};
  }

  // Puts a page's parts of the lists of active vertices into this worker's bins.
  void scatter(Program& program, EdgeIndex page, const Bitmap& active, Messages messages,
               Bins& bins) {
    const EdgeIndex begin = page * kPageEdges;
    const EdgeIndex end = std::min(begin + kPageEdges, begins_.back());
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), begin);
    std::vector<Piece> pieces;
    for (auto v = static_cast<VertexId>(after - begins_.begin() - 1); begins_[v] < end; ++v) {
      const EdgeIndex from = std::max(begin, begins_[v]);
      const EdgeIndex to = std::min(end, begins_[v + 1]);
      if (from >= to || !active.get(v)) continue;
      const auto first = static_cast<std::uint32_t>(from - begins_[v]);
      pieces.push_back({v, v, first, static_cast<std::uint32_t>(to - from),
                        static_cast<std::uint32_t>(g_.out[v].size()), g_.out[v].data() + first,
                        nullptr});
    }
    program.bin({pieces, Access::exclusive}, messages, bins);
  }

  void hand_over(std::size_t b, Bins& from) {
    binned_bytes += from.bin(b).size();
    const std::lock_guard lock(full_[b].queue);
    full_[b].buffers.push_back(std::exchange(from.bin(b), {}));
  }

  // Applies what was handed over to bin b, unless another thread is already doing so: the round's
  // last pass takes what that thread leaves.
  void gather(Program& program, std::size_t b, Frontier& heard) {
    const std::unique_lock gatherer(full_[b].one_gatherer, std::try_to_lock);
    if (!gatherer.owns_lock()) return;
    Collector activations(heard);
    for (;;) {
      Bins::Buffer buffer;
      {
        const std::lock_guard lock(full_[b].queue);
        if (full_[b].buffers.empty()) break;
        buffer = std::move(full_[b].buffers.front());
        full_[b].buffers.pop_front();
      }
      program.drain(buffer, activations);
    }
    activations.drain();
  }

  Executor executor_;
  VertexId bin_size_;
  std::vector<EdgeIndex> begins_;
  std::deque<FullBin> full_;
};

}  // namespace outcore::toys
