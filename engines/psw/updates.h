// SPDX-License-Identifier: Apache-2.0
// The updates of one sub-interval. A vertex that is *due* (it is active, or was told something)
// hears what on its in-edges is news to it, and speaks if that made it active: its message goes
// onto its out-edges, and their targets are due.
//
// Deterministic parallelism (GraphChi, section 3.1 of its paper): vertices that share an edge with
// another one of the subgraph are updated by one thread, in order of ids, and so see what earlier
// ones wrote; all others beside it, in any order. No two threads touch the same value, and answers
// are the same, to the bit, whatever the number of threads. Without it all are updated by all
// threads, and see of each other what they happen to see: for programs to which hearing a message
// again is harmless.
//
// What says that vertices are due is two-fold: a byte each for the sub-interval at hand, and
// `told`, bits of the whole graph, for those to come and for the next pass.
#pragma once

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>
#include <vector>

#include "common/executor.h"
#include "engines/engine.h"
#include "engines/note_found.h"
#include "engines/psw/hearing_batch.h"
#include "engines/psw/subgraph.h"
#include "engines/psw/vertex_clocks.h"

namespace outcore {

class Updates {
 public:
  struct Counts {
    std::uint64_t updates = 0;
    std::uint64_t serialised = 0;  // of them, one after another
    std::uint64_t spoke = 0;
    std::uint64_t edges = 0;  // that were heard
  };

  // `events`: notes which vertices hear something new; null: nobody does.
  Updates(const EdgeLayout& layout, const EdgeSlots& slots, Executor& executor,
          EventRecorder* events)
      : layout_(layout), slots_(slots), executor_(executor), workers_(executor.size()) {
    for (Worker& worker : workers_) worker.speakers.watch(events);
  }

  // Of one converge(): the frontier is active.
  void start(Program& program, const Frontier& frontier, bool deterministic);
  [[nodiscard]] bool any_due(VertexRange range) const {
    return told_.any(range.begin, range.end) || active_.any(range.begin, range.end);
  }
  // Takes up a sub-interval: which of its vertices are to be updated in this step, or may have to
  // be.
  std::span<const std::uint8_t> enter(VertexRange sub_interval);
  // Updates those that enter() named. REQUIRES: the subgraph has their edges. Never in line:
  // callgrind counts what is done within (configs/columns.yaml).
  template <typename Edge>
  [[gnu::noinline]] void run(const WindowSubgraph<Edge>& subgraph);
  // Did the vertex speak in the step that was run last?
  [[nodiscard]] bool spoke(VertexId u) const { return clocks_.spoke_in(u, step_); }

  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  // With at least one vertex due in so many, all edges are assigned; else those of vertices that
  // are due, where the newest message is enough: a vertex that is told something in this step, and
  // cannot hear it, hears it after the source may have spoken again.
  static constexpr VertexId kFew = 16;
  static constexpr VertexId kChunk = 64;  // vertices in a worker's turn

  // Vertices of the sub-interval that hearing makes speak.
  class Speakers final : public Activations {
   public:
    void watch(EventRecorder* events) { events_ = events; }
    void start(VertexId first, std::uint8_t* speaks) {
      first_ = first;
      speaks_ = speaks;
    }

   protected:
    void take(std::span<const Entry> entries) override {
      if (events_ != nullptr) note_found(*events_, entries);
      for (const Entry& entry : entries) speaks_[entry.v - first_] = 1;
    }

   private:
    VertexId first_ = 0;
    std::uint8_t* speaks_ = nullptr;
    EventRecorder* events_ = nullptr;
  };
  struct alignas(64) Worker {
    Speakers speakers;
    HearingBatch hearing;
    std::vector<Source> sources;
    alignas(kLargestMessage) std::byte messages[kChunk * kLargestMessage];
    Counts counts;
  };

  [[nodiscard]] VertexId size() const { return range_.end - range_.begin; }
  template <typename Edge>
  void update_serialised(const WindowSubgraph<Edge>& subgraph, Worker& worker);
  template <typename Edge>
  void update_chunk(const WindowSubgraph<Edge>& subgraph, VertexRange chunk, Worker& worker);
  template <typename Edge>
  void hear(const WindowSubgraph<Edge>& subgraph, VertexId v, Worker& worker);
  template <typename Edge>
  void speak(const WindowSubgraph<Edge>& subgraph, VertexId u, const std::byte* message);
  void tell(VertexId u, VertexId v);
  void add_up();

  // The due bytes may be read and written by several threads at once where updates are not
  // deterministic. Relaxed: a byte that is seen late is in `told_` too.
  [[nodiscard]] bool take_due(VertexId k) {
    std::atomic_ref<std::uint8_t> due(due_[k]);
    if (due.load(std::memory_order_relaxed) == 0) return false;
    due.store(0, std::memory_order_relaxed);
    return true;
  }

  const EdgeLayout& layout_;
  EdgeSlots slots_;
  Executor& executor_;
  std::vector<Worker> workers_;
  Program* program_ = nullptr;
  std::size_t message_bytes_ = 0;
  bool deterministic_ = true;
  bool newest_is_enough_ = false;
  Bitmap active_;  // of the first frontier, until they are updated
  Bitmap told_;
  VertexClocks clocks_;
  VertexClocks::Step step_ = 0;
  VertexRange range_;
  std::vector<std::uint8_t> due_;
  std::vector<std::uint8_t> speaks_;
  std::vector<std::uint8_t> wanted_;
  std::vector<VertexId> serialised_;
  Counts counts_;
};

template <typename Edge>
void Updates::run(const WindowSubgraph<Edge>& subgraph) {
  serialised_.clear();
  if (deterministic_) {
    for (VertexId v = range_.begin; v < range_.end; ++v) {
      if (subgraph.has_neighbour(v)) serialised_.push_back(v);
    }
  }
  for (Worker& worker : workers_) {
    worker.speakers.start(range_.begin, speaks_.data());
    worker.hearing.start(*program_, worker.speakers, slots_.weights != nullptr);
  }
  std::atomic<VertexId> next{0};
  executor_.run([&](unsigned number) {
    Worker& worker = workers_[number];
    if (number == 0) update_serialised(subgraph, worker);
    // Relaxed: the counter hands out disjoint vertices and publishes nothing else.
    for (VertexId k = 0; !executor_.stopping();) {
      k = next.fetch_add(kChunk, std::memory_order_relaxed);
      if (k >= size()) break;
      const VertexId end = std::min(k + kChunk, size());
      update_chunk(subgraph, {range_.begin + k, range_.begin + end}, worker);
    }
  });
  add_up();
}

template <typename Edge>
void Updates::update_serialised(const WindowSubgraph<Edge>& subgraph, Worker& worker) {
  for (const VertexId v : serialised_) {
    if (executor_.stopping()) return;
    const VertexId k = v - range_.begin;
    if (!take_due(k)) continue;
    hear(subgraph, v, worker);
    worker.hearing.flush();
    ++worker.counts.updates;
    ++worker.counts.serialised;
    if (std::exchange(speaks_[k], std::uint8_t{0}) == 0) continue;
    const Source source{v, layout_.degrees(Direction::out)[v]};
    program_->begin({&source, 1}, {worker.messages, message_bytes_});
    speak(subgraph, v, worker.messages);
    ++worker.counts.spoke;
  }
}

// None has a neighbour among the others, or it does not matter: so all hear, and then all speak.
template <typename Edge>
void Updates::update_chunk(const WindowSubgraph<Edge>& subgraph, VertexRange chunk,
                           Worker& worker) {
  for (VertexId v = chunk.begin; v < chunk.end; ++v) {
    if (deterministic_ && subgraph.has_neighbour(v)) continue;
    if (!take_due(v - range_.begin)) continue;
    hear(subgraph, v, worker);
    ++worker.counts.updates;
  }
  worker.hearing.flush();
  worker.sources.clear();
  for (VertexId v = chunk.begin; v < chunk.end; ++v) {
    if (deterministic_ && subgraph.has_neighbour(v)) continue;
    if (std::exchange(speaks_[v - range_.begin], std::uint8_t{0}) == 0) continue;
    worker.sources.push_back({v, layout_.degrees(Direction::out)[v]});
  }
  if (worker.sources.empty()) return;
  program_->begin(worker.sources, {worker.messages, message_bytes_});
  const std::byte* message = worker.messages;
  for (const Source& source : worker.sources) {
    speak(subgraph, source.v, message);
    message += message_bytes_;
  }
  worker.counts.spoke += worker.sources.size();
}

template <typename Edge>
void Updates::hear(const WindowSubgraph<Edge>& subgraph, VertexId v, Worker& worker) {
  const VertexClocks::Step before = clocks_.hear(v, step_);
  subgraph.for_each_in_edge(v, [&](const Edge& edge) {
    const VertexId u = edge.source(slots_);
    if (!clocks_.is_news(u, v, before, !deterministic_)) return;
    const float weight = slots_.weights == nullptr ? 0.0F : slots_.weights[edge.slot(slots_)];
    worker.hearing.add(u, v, edge.value(slots_), weight);
  });
}

template <typename Edge>
void Updates::speak(const WindowSubgraph<Edge>& subgraph, VertexId u, const std::byte* message) {
  for (const Edge& edge : subgraph.out_edges(u)) {
    copy_value(edge.value(slots_), message, message_bytes_);
    tell(u, edge.target(slots_));
  }
  clocks_.speak(u, step_);
}

}  // namespace outcore
