// SPDX-License-Identifier: Apache-2.0
#include "engines/in_memory/in_memory.h"

#include "common/executor.h"
#include "common/stopwatch.h"
#include "engines/in_memory/loops.h"
#include "engines/layout_graph.h"
#include "engines/task_stacks.h"

namespace outcore {

namespace {

constexpr std::uint64_t kPullShare = 15;  // GAP's alpha
constexpr std::uint64_t kPushShare = 18;  // and its beta

}  // namespace

InMemoryEngine::InMemoryEngine(const Layout& layout, const EngineOptions& options)
    : options_(options), graph_(graph_of(layout)), out_(layout, Direction::out, options) {
  if (!graph_.symmetric) in_ = Lists(layout, Direction::in, options);
  std::uint64_t bytes = 0;
  for (const Lists* lists : {&out_, &in_}) {
    bytes += lists->memory_bytes();
    report_.io.add(lists->io());
    report_.notes.insert(report_.notes.end(), lists->notes().begin(), lists->notes().end());
  }
  report_.backend = out_.backend();
  report_.backend_traits = out_.backend_traits();
  report_.memory = {{"index", layout.index_bytes()}, {"lists", bytes}};
}

const Lists& InMemoryEngine::lists(Direction direction) const {
  return direction == Direction::in && !graph_.symmetric ? in_ : out_;
}

void InMemoryEngine::for_each_vertex(const VertexFn& f) {
  for_neighbouring_ranges(graph_.id_space, options_.threads, [&](VertexRange range) {
    std::vector<std::uint32_t> degrees(range.end - range.begin);
    for (VertexId v = range.begin; v < range.end; ++v) {
      degrees[v - range.begin] = source_of(out_.index(), v).degree;
    }
    f(range, degrees);
  });
}

void InMemoryEngine::for_each_range(const RangeFn& f) {
  for_neighbouring_ranges(graph_.id_space, options_.threads, f);
}

void InMemoryEngine::heads(unsigned k, const HeadsFn& f) {
  for_ranges(graph_.id_space, options_.threads, [&](VertexRange range, int) {
    for (VertexId v = range.begin; v < range.end; ++v) {
      const Piece list = out_.whole(v, 0);
      f(v, {list.ids, std::min(k, list.count)});
    }
  });
}

// All lists are in memory, so each worker has one stack, and the others wait for its halves.
void InMemoryEngine::drive(TaskProgram& program, std::span<const Task> tasks) {
  Executor executor(std::max(1U, options_.threads));
  TaskStacks stacks(tasks, executor.size(), program.stack_threshold());
  std::atomic<std::uint64_t> steps{0};
  std::atomic<std::uint64_t> edges{0};
  const auto run_stack = [&](TaskStack stack) {
    std::uint64_t stack_steps = 0;
    std::uint64_t stack_edges = 0;
    while (!stack.empty() && !stacks.stopped()) {
      const Task task = stack.pop_back();
      const Piece list = out_.whole(task.v, 0);
      const Piece piece = clip(list, program.wants(task, list.degree));
      program.step(task, piece, stack);
      ++stack_steps;
      stack_edges += piece.count;
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

void InMemoryEngine::converge(Program& program, Frontier&& frontier) {
  const Traits traits = program.traits();
  if (!traits.settles && traits.hearing != Hearing::first) {
    converge_in_order(program, std::move(frontier));
    return;
  }
  unfollowed_edges_ = graph_.edges;
  pulled_ = 0;
  while (!frontier.empty()) {
    frontier = round(program, std::move(frontier), Direction::out, Mode::any);
  }
}

Frontier InMemoryEngine::round(Program& program, Frontier&& frontier, Direction direction,
                               Mode mode) {
  const Stopwatch watch;
  const Direction reverse = direction == Direction::out ? Direction::in : Direction::out;
  const Traits traits = program.traits();
  const bool pulling = pulls(traits, frontier, lists(direction), mode);

  // Not a new one each round, which would cost a pass over its bits: a path of a million vertices
  // has a million rounds of one vertex.
  Frontier next = std::exchange(spare_, Frontier(0));
  if (next.id_space() != graph_.id_space) next = Frontier(graph_.id_space);
  std::vector<Collector> collectors(std::max(1U, options_.threads), Collector(next, pulling));
  const std::uint64_t edges =
      pulling ? pull(program, frontier, lists(direction), lists(reverse), collectors)
              : push(program, frontier, lists(direction), traits.takes_all_messages(/*pull=*/false),
                     collectors);
  if (traits.settles && !pulling) {
    for_ranges(graph_.id_space, options_.threads, [&](VertexRange range, int worker) {
      program.settle(range, collectors[static_cast<std::size_t>(worker)]);
    });
  }
  pulled_ = pulling ? frontier.size() : 0;
  if (!pulling) unfollowed_edges_ -= std::min(unfollowed_edges_, edges);
  finish_round(frontier, edges, pulling, collectors, next, watch.seconds());
  frontier.clear();
  spare_ = std::move(frontier);
  return next;
}

void InMemoryEngine::finish_round(const Frontier& frontier, std::uint64_t edges, bool pulled,
                                  std::span<Collector> collectors, Frontier& next, double seconds) {
  for (Collector& collector : collectors) {
    collector.drain();
    report_.activations += collector.reported();
  }
  next.adopt(collectors);
  report_.vertices_processed += frontier.size();
  report_.edges_processed += edges;
  report_.rounds.push_back(
      {.frontier = frontier.size(), .edges = edges, .pull = pulled, .seconds = seconds});
  if (options_.rounds_done != nullptr) ++*options_.rounds_done;
}

// Sums over a loop are relaxed, here and below: they are read after its barrier.
std::uint64_t InMemoryEngine::edges_of(const Frontier& frontier, const Lists& lists) const {
  if (frontier.size() == graph_.vertices) return graph_.edges;
  std::atomic<std::uint64_t> edges{0};
  for_batches(frontier, options_.threads, [&](std::span<const VertexId> batch, int) {
    std::uint64_t sum = 0;
    for (const VertexId v : batch) sum += lists.degree(v);
    edges.fetch_add(sum, std::memory_order_relaxed);
  });
  return edges;
}

bool InMemoryEngine::pulls(const Traits& traits, const Frontier& frontier, const Lists& lists,
                           Mode mode) const {
  if (!traits.combines || mode == Mode::push) return false;
  if (mode == Mode::pull || frontier.size() == graph_.vertices) return true;
  if (traits.hearing != Hearing::first) return false;
  if (pulled_ == 0) return edges_of(frontier, lists) > unfollowed_edges_ / kPullShare;
  return frontier.size() >= pulled_ || frontier.size() > graph_.vertices / kPushShare;
}

Messages InMemoryEngine::messages(std::size_t count, const Traits& traits) {
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

// `beforehand`: take all messages before any of them is heard.
std::uint64_t InMemoryEngine::push(Program& program, const Frontier& frontier, const Lists& lists,
                                   bool beforehand, std::vector<Collector>& out) {
  const Traits traits = program.traits();
  std::atomic<std::uint64_t> edges{0};
  const Access access = options_.threads > 1 ? Access::shared : Access::exclusive;
  const Messages dense = messages(beforehand ? graph_.id_space : 0, traits);
  if (beforehand) {
    for_batches(frontier, options_.threads, [&](std::span<const VertexId> batch, int) {
      take_messages(program, lists.index(), batch, dense);
    });
  }
  for_batches(frontier, options_.threads, [&](std::span<const VertexId> batch, int worker) {
    Piece pieces[kBatch];
    alignas(kLargestMessage) std::byte local[kBatch * kLargestMessage];
    const Messages taken = beforehand ? dense : Messages(local, traits.message_bytes);
    if (!beforehand) {
      Source sources[kBatch];
      for (std::size_t i = 0; i < batch.size(); ++i)
        sources[i] = source_of(lists.index(), batch[i]);
      program.begin({sources, batch.size()}, taken);
    }
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      pieces[i] = lists.whole(batch[i], beforehand ? batch[i] : static_cast<std::uint32_t>(i));
      sum += pieces[i].count;
    }
    program.scatter({{pieces, batch.size()}, access}, taken, out[static_cast<std::size_t>(worker)]);
    edges.fetch_add(sum, std::memory_order_relaxed);
  });
  return edges;
}

// Once the lists of a range's vertices are done, nothing more concerns these vertices, so they
// settle at once, while their state is still in the cache.
std::uint64_t InMemoryEngine::pull(Program& program, const Frontier& frontier,
                                   const Lists& out_lists, const Lists& in_lists,
                                   std::vector<Collector>& out) {
  const Traits traits = program.traits();
  const bool beforehand = traits.takes_all_messages(true);
  const Messages dense = messages(beforehand ? graph_.id_space : 0, traits);
  if (beforehand) {
    for_batches(frontier, options_.threads, [&](std::span<const VertexId> batch, int) {
      take_messages(program, out_lists.index(), batch, dense);
    });
  }
  const Bitmap* active = frontier.size() == graph_.vertices ? nullptr : &frontier.bits();
  Bitmap listening(graph_.id_space);
  std::atomic<std::uint64_t> edges{0};
  for_ranges(graph_.id_space, options_.threads, [&](VertexRange range, int worker) {
    program.listening(range, listening);
    listening.keep(range.begin, range.end, in_lists.linked());
    Piece pieces[kBatch];
    std::size_t count = 0;
    std::uint64_t sum = 0;
    const auto gather = [&] {
      for (std::size_t i = 0; i < count; ++i) sum += pieces[i].count;
      program.gather({{pieces, count}, Access::exclusive}, dense, active,
                     out[static_cast<std::size_t>(worker)]);
      count = 0;
    };
    listening.for_each(range.begin, range.end, [&](std::size_t v) {
      pieces[count++] = in_lists.whole(static_cast<VertexId>(v), 0);
      if (count == kBatch) gather();
    });
    gather();
    edges.fetch_add(sum, std::memory_order_relaxed);
    if (traits.settles) program.settle(range, out[static_cast<std::size_t>(worker)]);
  });
  return edges;
}

}  // namespace outcore
