// SPDX-License-Identifier: Apache-2.0
// A round in two half passes, for programs that must see of a round only what was there before it:
// first all active vertices put their messages onto their out-edges, by windows, and then all that
// were told something hear what lies on their in-edges, by memory shards. Together they read and
// write what a pass does (psw.h), and no vertex waits for another within either.
#pragma once

#include <span>
#include <vector>

#include "common/executor.h"
#include "engines/engine.h"
#include "engines/psw/hearing_batch.h"
#include "engines/psw/subgraph.h"

namespace outcore {

class HalfPasses {
 public:
  HalfPasses(const EdgeLayout& layout, const EdgeSlots& slots, Executor& executor)
      : layout_(layout), slots_(slots), executor_(executor), workers_(executor.size()) {}

  // Of one round. `outs` are one a worker.
  void start(Program& program, const Frontier& frontier, std::span<Collector> outs);
  // Of the first half: those that speak. Of the second: those that were told.
  [[nodiscard]] const Bitmap& active() const { return *active_; }
  [[nodiscard]] const Bitmap& told() const { return told_; }
  template <typename Edge>
  void speak(const WindowSubgraph<Edge>& subgraph);
  template <typename Edge>
  void hear(const WindowSubgraph<Edge>& subgraph);
  void settle(VertexRange interval);

  [[nodiscard]] std::uint64_t edges() const;  // that were heard in this round
  [[nodiscard]] std::uint64_t memory_bytes() const { return told_.words().size() * 8; }

 private:
  static constexpr VertexId kChunk = 64;  // vertices in a worker's turn

  struct alignas(64) Worker {
    HearingBatch hearing;
    std::vector<Source> sources;
    alignas(kLargestMessage) std::byte messages[kChunk * kLargestMessage];
  };

  // f(worker, vertices of `bits`) by chunks.
  template <typename F>
  void for_chunks(const Bitmap& bits, VertexRange range, const F& f);

  const EdgeLayout& layout_;
  EdgeSlots slots_;
  Executor& executor_;
  std::vector<Worker> workers_;
  Program* program_ = nullptr;
  std::size_t message_bytes_ = 0;
  std::span<Collector> outs_;
  const Bitmap* active_ = nullptr;
  bool all_active_ = false;
  Bitmap told_;
};

template <typename F>
void HalfPasses::for_chunks(const Bitmap& bits, VertexRange range, const F& f) {
  executor_.parallel_for(
      range.begin, range.end, kChunk, [&](unsigned worker, std::size_t begin, std::size_t end) {
        for (; begin < end; begin += kChunk) {
          workers_[worker].sources.clear();
          bits.for_each(begin, std::min<std::size_t>(end, begin + kChunk), [&](std::size_t v) {
            workers_[worker].sources.push_back({static_cast<VertexId>(v), 0});
          });
          if (!workers_[worker].sources.empty()) f(workers_[worker]);
        }
      });
}

template <typename Edge>
void HalfPasses::speak(const WindowSubgraph<Edge>& subgraph) {
  const std::span<const std::uint32_t> degrees = layout_.degrees(Direction::out);
  for_chunks(*active_, subgraph.vertices(), [&](Worker& worker) {
    for (Source& source : worker.sources) source.degree = degrees[source.v];
    program_->begin(worker.sources, {worker.messages, message_bytes_});
    const std::byte* message = worker.messages;
    for (const Source& source : worker.sources) {
      for (const Edge& edge : subgraph.out_edges(source.v)) {
        copy_value(edge.value(slots_), message, message_bytes_);
        told_.set(edge.target(slots_));
      }
      message += message_bytes_;
    }
  });
}

template <typename Edge>
void HalfPasses::hear(const WindowSubgraph<Edge>& subgraph) {
  for_chunks(told_, subgraph.vertices(), [&](Worker& worker) {
    for (const Source& listener : worker.sources) {
      subgraph.for_each_in_edge(listener.v, [&](const Edge& edge) {
        const VertexId u = edge.source(slots_);
        if (!all_active_ && !active_->get(u)) return;
        const float weight = slots_.weights == nullptr ? 0.0F : slots_.weights[edge.slot(slots_)];
        worker.hearing.add(u, listener.v, edge.value(slots_), weight);
      });
    }
    worker.hearing.flush();
  });
}

}  // namespace outcore
