// SPDX-License-Identifier: Apache-2.0
// The members of MemoryEngine (memory_engine.h) but for convergence in order (rho_stepping.h).
#pragma once

#include <algorithm>
#include <atomic>

#include "common/executor.h"
#include "common/stopwatch.h"
#include "engines/memory/by_node.h"
#include "engines/memory/loops.h"
#include "engines/memory/memory_engine.h"
#include "engines/take_messages.h"
#include "engines/task_stacks.h"

namespace outcore {

inline constexpr std::uint64_t kPullShare = 15;  // GAP's alpha
inline constexpr std::uint64_t kPushShare = 18;  // and its beta

template <typename Lists>
const Lists& MemoryEngine<Lists>::lists(Direction direction) const {
  return direction == Direction::in && !graph_.symmetric ? in_ : out_;
}

template <typename Lists>
void MemoryEngine<Lists>::for_each_vertex(const VertexFn& f) {
  for_neighbouring_ranges(graph_.id_space, options_.threads, [&](VertexRange range) {
    std::vector<std::uint32_t> degrees(range.end - range.begin);
    for (VertexId v = range.begin; v < range.end; ++v) {
      degrees[v - range.begin] = source_of(out_, v).degree;
    }
    f(range, degrees);
  });
}

template <typename Lists>
void MemoryEngine<Lists>::for_each_range(const RangeFn& f) {
  for_neighbouring_ranges(graph_.id_space, options_.threads, f);
}

// Gives the task the part of its list that it wants, piece by piece; returns the edges of it.
template <typename Lists>
std::uint64_t MemoryEngine<Lists>::step(TaskProgram& program, const Lists& lists, const Task& task,
                                        TaskStack& stack) {
  const auto degree = static_cast<std::uint32_t>(lists.degree(task.v));
  const ListRange wanted = program.wants(task, degree);
  std::uint64_t edges = 0;
  lists.for_each_piece(task.v, 0, [&](const Piece& piece) {
    const Piece part = clip(piece, wanted);
    if (part.count > 0) program.step(task, part, stack);
    edges += part.count;
    return piece.first + piece.count < wanted.end;
  });
  if (edges == 0) program.step(task, {.v = task.v, .degree = degree}, stack);
  return edges;
}

// Of the tasks that were added last, above the first `waiting`, where their lists begin is looked
// up soon, and the list of the one whose turn comes in a few steps is read soon.
template <typename Lists>
[[gnu::always_inline]] inline void fetch_ahead(const Lists& lists, const TaskStack& stack,
                                               std::size_t waiting) {
  constexpr std::size_t kAhead = 8;
  constexpr std::size_t kMost = 32;  // tasks: what is fetched for more of them would be gone again
  if constexpr (requires { lists.prefetch_place(VertexId{}); }) {
    const std::span<const VertexId> tasks = stack.vertices();
    const std::size_t added = tasks.size() - std::min(waiting, tasks.size());
    for (const VertexId v : tasks.last(std::min(added, kMost))) lists.prefetch_place(v);
    if (tasks.size() >= kAhead) lists.prefetch(tasks[tasks.size() - kAhead]);
  }
}

// All lists are in memory, so each worker has one stack, and the others wait for its halves.
template <typename Lists>
void MemoryEngine<Lists>::drive(TaskProgram& program, std::span<const Task> tasks,
                                Direction direction) {
  const Lists& lists = this->lists(direction);
  Executor executor(std::max(1U, options_.threads), watch_of(options_));
  TaskStacks stacks(tasks, executor.size(), program.stack_threshold());
  std::atomic<std::uint64_t> steps{0};
  std::atomic<std::uint64_t> edges{0};
  const auto run_stack = [&](TaskStack stack) {
    std::uint64_t stack_steps = 0;
    std::uint64_t stack_edges = 0;
    while (!stack.empty() && !stacks.stopped()) {
      const Task task = stack.pop_back();
      const std::size_t waiting = stack.size();
      stack_edges += step(program, lists, task, stack);
      ++stack_steps;
      fetch_ahead(lists, stack, waiting);
      if (program.done()) stacks.stop();
      stacks.share(stack);
    }
    // Relaxed: sums, read after the workers have finished.
    steps.fetch_add(stack_steps, std::memory_order_relaxed);
    edges.fetch_add(stack_edges, std::memory_order_relaxed);
    stacks.retire();
  };
  executor.run([&](unsigned) {
    try {
      while (auto stack = stacks.take(true)) run_stack(std::move(*stack));
    } catch (...) {
      stacks.stop();
      throw;
    }
  });
  report_.vertices_processed += steps;
  report_.edges_processed += edges;
  report_.counts["stack_splits"] += stacks.splits();
}

template <typename Lists>
void MemoryEngine<Lists>::converge_in_rounds(Program& program, Frontier&& frontier) {
  unfollowed_edges_ = graph_.edges;
  pulled_ = 0;
  while (!frontier.empty()) {
    frontier = round(program, std::move(frontier), Direction::out, Mode::any);
  }
}

template <typename Lists>
Frontier MemoryEngine<Lists>::round(Program& program, Frontier&& frontier, Direction direction,
                                    Mode mode) {
  const Stopwatch watch;
  const Direction reverse = direction == Direction::out ? Direction::in : Direction::out;
  const Traits traits = program.traits();
  const bool pulling = pulls(traits, frontier, lists(direction), mode);

  note_round_began(options_, report_.rounds.size(), frontier.size(), pulling);
  // Not a new one each round, which would cost a pass over its bits: a path of a million vertices
  // has a million rounds of one vertex.
  Frontier next = std::exchange(spare_, Frontier(0));
  if (next.id_space() != graph_.id_space) next = Frontier(graph_.id_space);
  const bool alone = pulling && !is_placed(lists(reverse));
  std::vector<Collector> collectors(std::max(1U, options_.threads),
                                    Collector(next, alone, options_.events));
  const Given given = pulling
                          ? pull(program, frontier, lists(direction), lists(reverse), collectors)
                          : push(program, frontier, lists(direction),
                                 traits.takes_all_messages(/*pull=*/false), collectors);
  if (traits.settles && !pulling) {
    for_ranges(graph_.id_space, options_.threads, [&](VertexRange range, int worker) {
      program.settle(range, collectors[static_cast<std::size_t>(worker)]);
    });
  }
  pulled_ = pulling ? frontier.size() : 0;
  if (!pulling) unfollowed_edges_ -= std::min(unfollowed_edges_, given.edges);
  finish_round(frontier, given, pulling, collectors, next, watch.seconds());
  frontier.clear();
  spare_ = std::move(frontier);
  return next;
}

template <typename Lists>
void MemoryEngine<Lists>::finish_round(const Frontier& frontier, const Given& given, bool pulled,
                                       std::span<Collector> collectors, Frontier& next,
                                       double seconds) {
  const std::uint64_t activations_before = report_.activations;
  for (Collector& collector : collectors) {
    collector.drain();
    report_.activations += collector.reported();
  }
  note_round_ended(options_, report_.rounds.size(), report_.activations - activations_before);
  next.adopt(collectors);
  report_.vertices_processed += frontier.size();
  report_.edges_processed += given.edges;
  if constexpr (!Lists::kWhole) report_.counts["pieces"] += given.pieces;
  report_.rounds.push_back(
      {.frontier = frontier.size(), .edges = given.edges, .pull = pulled, .seconds = seconds});
  if (options_.rounds_done != nullptr) ++*options_.rounds_done;
}

// Sums over a loop are relaxed, here and below: they are read after its barrier.
template <typename Lists>
class MemoryEngine<Lists>::GivenByAll {
 public:
  void add(const auto& batch) {
    edges_.fetch_add(batch.edges(), std::memory_order_relaxed);
    if constexpr (!Lists::kWhole) pieces_.fetch_add(batch.pieces(), std::memory_order_relaxed);
  }
  [[nodiscard]] Given sum() const { return {edges_, pieces_}; }

 private:
  std::atomic<std::uint64_t> edges_{0};
  std::atomic<std::uint64_t> pieces_{0};
};

template <typename Lists>
std::uint64_t MemoryEngine<Lists>::edges_of(const Frontier& frontier, const Lists& lists) const {
  if (frontier.size() == graph_.vertices) return graph_.edges;
  std::atomic<std::uint64_t> edges{0};
  for_batches(frontier, options_.threads, [&](std::span<const VertexId> batch, int) {
    std::uint64_t sum = 0;
    for (const VertexId v : batch) sum += lists.degree(v);
    edges.fetch_add(sum, std::memory_order_relaxed);
  });
  return edges;
}

template <typename Lists>
bool MemoryEngine<Lists>::pulls(const Traits& traits, const Frontier& frontier, const Lists& lists,
                                Mode mode) const {
  if (!traits.combines || mode == Mode::push) return false;
  if (mode == Mode::pull || frontier.size() == graph_.vertices) return true;
  if (traits.hearing != Hearing::first) return false;
  if (pulled_ == 0) return edges_of(frontier, lists) > unfollowed_edges_ / kPullShare;
  return frontier.size() >= pulled_ || frontier.size() > graph_.vertices / kPushShare;
}

template <typename Lists>
Messages MemoryEngine<Lists>::messages(std::size_t count, const Traits& traits) {
  if (message_buffer_.size() < count * traits.message_bytes) {
    message_buffer_.resize(count * traits.message_bytes);
    // In shares per thread: the batches that would first write to it are taken in turn by all
    // threads.
    for_neighbouring_ranges(static_cast<VertexId>(count), options_.threads, [&](VertexRange range) {
      std::fill(message_buffer_.begin() + range.begin * traits.message_bytes,
                message_buffer_.begin() + range.end * traits.message_bytes, std::byte{0});
    });
  }
  return {message_buffer_.data(), traits.message_bytes};
}

// Collects pieces, and hands them on in batches. One worker's.
template <typename HandOn>
class PieceBatch {
 public:
  explicit PieceBatch(HandOn hand_on) : hand_on_(std::move(hand_on)) {}
  // Did this fill the batch, so that it was handed on?
  bool add(const Piece& piece) {
    pieces_[count_++] = piece;
    edges_ += piece.count;
    if (count_ < kBatch) return false;
    finish();
    return true;
  }
  void finish() {
    if (count_ == 0) return;
    all_ += count_;
    hand_on_(std::span<const Piece>(pieces_, std::exchange(count_, 0)));
  }
  [[nodiscard]] std::uint64_t edges() const { return edges_; }
  [[nodiscard]] std::uint64_t pieces() const { return all_; }

 private:
  HandOn hand_on_;
  Piece pieces_[kBatch];
  std::size_t count_ = 0;
  std::uint64_t edges_ = 0;
  std::uint64_t all_ = 0;
};

template <typename Lists>
[[gnu::always_inline]] inline void prefetch_lists(const Lists& lists,
                                                  std::span<const VertexId> vertices) {
  if constexpr (requires { lists.prefetch(vertices.front()); }) {
    for (const VertexId v : vertices) lists.prefetch(v);
  }
}

// Adds the first piece of each list, where most vertices that need one message alone hear it: the
// next ones would each be waited for. Returns those whose lists go on, in `longer`.
template <typename Lists, typename Pieces>
std::span<const VertexId> add_first_pieces(const Lists& lists, std::span<const VertexId> vertices,
                                           Pieces& pieces, VertexId* longer) {
  std::size_t count = 0;
  for (const VertexId v : vertices) {
    lists.for_each_piece(v, 0, [&](const Piece& piece) {
      pieces.add(piece);
      if (piece.count < piece.degree) longer[count++] = v;
      return false;
    });
  }
  return {longer, count};
}

// Calls f(batch, worker) over the frontier; where lists are placed, each on their own node.
template <typename Lists>
template <typename F>
void MemoryEngine<Lists>::for_batches_of_lists(const Lists& lists, const Frontier& frontier,
                                               F&& f) {
  if constexpr (requires { lists.placement(); }) {
    if (is_placed(lists)) {
      VerticesByNode vertices(*lists.placement(), lists.side());
      frontier.for_each([&](VertexId v) { vertices.add(v); });
      report_.counts["vertices_by_node"] += vertices.size();
      return vertices.for_batches(std::max(1U, options_.threads), f);
    }
  }
  for_batches(frontier, options_.threads, f);
}

// `beforehand`: take all messages before any of them is heard.
template <typename Lists>
MemoryEngine<Lists>::Given MemoryEngine<Lists>::push(Program& program, const Frontier& frontier,
                                                     const Lists& lists, bool beforehand,
                                                     std::vector<Collector>& out) {
  const Traits traits = program.traits();
  GivenByAll given;
  const Access access = options_.threads > 1 ? Access::shared : Access::exclusive;
  const Messages dense = messages(beforehand ? graph_.id_space : 0, traits);
  if (beforehand) {
    for_batches(frontier, options_.threads, [&](std::span<const VertexId> batch, int) {
      take_messages(program, lists, batch, dense);
    });
  }
  for_batches_of_lists(lists, frontier, [&](std::span<const VertexId> batch, int worker) {
    prefetch_lists(lists, batch);
    alignas(kLargestMessage) std::byte local[kBatch * kLargestMessage];
    const Messages taken = beforehand ? dense : Messages(local, traits.message_bytes);
    if (!beforehand) {
      Source sources[kBatch];
      for (std::size_t i = 0; i < batch.size(); ++i) sources[i] = source_of(lists, batch[i]);
      program.begin({sources, batch.size()}, taken);
    }
    PieceBatch pieces([&](std::span<const Piece> handed) {
      program.scatter({handed, access}, taken, out[static_cast<std::size_t>(worker)]);
    });
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::uint32_t slot = beforehand ? batch[i] : static_cast<std::uint32_t>(i);
      lists.for_each_piece(batch[i], slot, [&](const Piece& piece) {
        pieces.add(piece);
        return true;
      });
    }
    pieces.finish();
    given.add(pieces);
  });
  return given.sum();
}

// Once the lists of a range's vertices are done, nothing more concerns these vertices, so they
// settle at once, while their state is still in the cache.
template <typename Lists>
MemoryEngine<Lists>::Given MemoryEngine<Lists>::pull(Program& program, const Frontier& frontier,
                                                     const Lists& out_lists, const Lists& in_lists,
                                                     std::vector<Collector>& out) {
  const Traits traits = program.traits();
  const bool beforehand = traits.takes_all_messages(true);
  const Messages dense = messages(beforehand ? graph_.id_space : 0, traits);
  if (beforehand) {
    for_batches(frontier, options_.threads, [&](std::span<const VertexId> batch, int) {
      take_messages(program, out_lists, batch, dense);
    });
  }
  const Bitmap* active = frontier.size() == graph_.vertices ? nullptr : &frontier.bits();
  Bitmap listening(graph_.id_space);
  GivenByAll given;
  const auto listen = [&](VertexRange range) {
    program.listening(range, listening);
    listening.keep(range.begin, range.end, in_lists.linked());
  };
  // Gives batches of listeners their pieces; `for_each_batch` calls its argument with each.
  const auto gather = [&](int worker, auto&& for_each_batch) {
    PieceBatch pieces([&](std::span<const Piece> handed) {
      program.gather({handed, Access::exclusive}, dense, active,
                     out[static_cast<std::size_t>(worker)]);
    });
    // What is left of a long list is fetched only if v still listens.
    const auto add = [&](VertexId v, const Piece& piece) {
      return !pieces.add(piece) || program.listens(v);
    };
    for_each_batch([&](std::span<const VertexId> listeners) {
      prefetch_lists(in_lists, listeners);
      if (!Lists::kWhole && traits.hearing == Hearing::first) {
        VertexId longer[kBatch];
        listeners = add_first_pieces(in_lists, listeners, pieces, longer);
        pieces.finish();
        for (const VertexId v : listeners) {
          if (!program.listens(v)) continue;
          in_lists.for_each_piece(
              v, 0, [&](const Piece& piece) { return piece.first == 0 || add(v, piece); });
        }
        return;
      }
      for (const VertexId v : listeners) {
        in_lists.for_each_piece(v, 0, [&](const Piece& piece) { return add(v, piece); });
      }
    });
    pieces.finish();
    given.add(pieces);
  };
  const auto settle = [&](VertexRange range, int worker) {
    if (traits.settles) program.settle(range, out[static_cast<std::size_t>(worker)]);
  };
  if (is_placed(in_lists)) {
    for_ranges(graph_.id_space, options_.threads, [&](VertexRange range, int) { listen(range); });
    for_batches_of_lists(in_lists, Frontier::from_bits(std::move(listening)),
                         [&](std::span<const VertexId> batch, int worker) {
                           gather(worker, [&](auto&& f) { f(batch); });
                         });
    for_ranges(graph_.id_space, options_.threads, settle);
    return given.sum();
  }
  for_ranges(graph_.id_space, options_.threads, [&](VertexRange range, int worker) {
    listen(range);
    gather(worker, [&](auto&& f) { for_batches_of(listening, range, f); });
    settle(range, worker);
  });
  return given.sum();
}

}  // namespace outcore
