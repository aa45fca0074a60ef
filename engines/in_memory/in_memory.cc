// SPDX-License-Identifier: Apache-2.0
#include "engines/in_memory/in_memory.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#include <exception>
#include <mutex>

#include "common/executor.h"
#include "common/stopwatch.h"
#include "engines/layout_graph.h"
#include "engines/task_stacks.h"

namespace outcore {

namespace {

constexpr std::size_t kBatch = 64;        // vertices a batch: one virtual call for each
constexpr std::size_t kAlone = 4096;      // vertices that are not worth waking other threads for
constexpr std::uint64_t kPullShare = 15;  // GAP's alpha

// Carries the first exception out of a parallel loop, which none may leave by itself.
class Guard {
 public:
  template <typename F>
  void run(F&& f) {
    if (failed_.load(std::memory_order_relaxed)) return;  // a hint; the exception is under the lock
    try {
      f();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      failed_.store(true, std::memory_order_relaxed);
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};
};

int worker_number() {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

// Calls f(batch of at most kBatch vertices, index of the first, worker) over the frontier, in
// parallel. Dense frontiers are cut by words of the bitmap.
template <typename F>
void for_batches(const Frontier& frontier, [[maybe_unused]] unsigned threads, F&& f) {
  Guard guard;
  if (frontier.is_sparse()) {
    const std::span<const VertexId> list = frontier.list();
    const std::size_t batches = (list.size() + kBatch - 1) / kBatch;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (list.size() > kAlone)
    for (std::size_t b = 0; b < batches; ++b) {
      guard.run([&] {
        f(list.subspan(b * kBatch, std::min(kBatch, list.size() - b * kBatch)), worker_number());
      });
    }
    guard.rethrow();
    return;
  }
  const std::size_t words = frontier.bits().words().size();
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
  for (std::size_t w = 0; w < words; ++w) {
    VertexId batch[kBatch];
    std::size_t count = 0;
    frontier.bits().for_each(w * 64, std::min(frontier.bits().size(), (w + 1) * 64),
                             [&](std::size_t v) { batch[count++] = static_cast<VertexId>(v); });
    guard.run([&] {
      if (count > 0) f(std::span<const VertexId>(batch, count), worker_number());
    });
  }
  guard.rethrow();
}

// The same over ranges of the whole id space.
template <typename F>
void for_ranges(VertexId id_space, [[maybe_unused]] unsigned threads, F&& f) {
  constexpr VertexId kRange = 4096;
  Guard guard;
  const std::size_t ranges = (std::size_t{id_space} + kRange - 1) / kRange;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::size_t r = 0; r < ranges; ++r) {
    const auto begin = static_cast<VertexId>(r * kRange);
    guard.run([&] {
      f(VertexRange{begin, begin + std::min(kRange, id_space - begin)}, worker_number());
    });
  }
  guard.rethrow();
}

}  // namespace

Piece InMemoryEngine::Lists::whole(VertexId v, std::uint32_t slot) const {
  const std::uint64_t degree = index->degree(v);
  if (index->is_inline(degree)) return inline_piece(*index, v, slot);
  Piece piece{.v = v,
              .slot = slot,
              .count = static_cast<std::uint32_t>(degree),
              .degree = static_cast<std::uint32_t>(degree)};
  if (starts.empty()) {
    piece.ids = slots + index->address(v).position;
  } else {
    piece.ids = ids.data() + starts[v];
    if (!weights.empty()) piece.weights = weights.data() + starts[v];
  }
  return piece;
}

std::uint64_t InMemoryEngine::Lists::memory_bytes() const {
  return starts.size() * sizeof(std::uint64_t) + ids.size() * sizeof(VertexId) +
         weights.size() * sizeof(float);
}

InMemoryEngine::InMemoryEngine(const Layout& layout, const EngineOptions& options)
    : layout_(layout), options_(options), graph_(graph_of(layout)) {
  out_ = load(layout.file(Direction::out), layout.index(Direction::out));
  if (!graph_.symmetric) in_ = load(layout.file(Direction::in), layout.index(Direction::in));
  std::uint64_t bytes = 0;
  for (const Side* side : {&out_, &in_}) {
    bytes += side->lists.memory_bytes() + (side->memory ? side->memory.get_deleter().bytes : 0);
  }
  report_.memory = {{"index", layout.index_bytes()}, {"lists", bytes}};
}

InMemoryEngine::Side InMemoryEngine::load(std::uint32_t file, const ListIndex& index) {
  constexpr std::uint32_t kRequest = 256 << 10;
  BackendOptions backend;
  backend.depth = options_.depth;
  backend.direct = options_.direct;
  backend.fault_plan = options_.fault_plan;
  Door door({layout_.block_files()[file]}, options_.backend, backend);
  const BlockFile& blocks = door.file(0);
  const std::size_t bytes = blocks.blocks() * blocks.block_bytes + kAlignment;  // room to decode
  Side side{.memory = numa::allocate(bytes, 0), .lists = {.index = &index, .slots = nullptr}};
  side.lists.slots = reinterpret_cast<const VertexId*>(side.memory.get());
  {
    DoorChannel channel(door, {side.memory.get(), bytes});
    const std::uint32_t step = std::max(1U, kRequest / blocks.block_bytes);
    std::vector<std::uint64_t> tags(options_.depth);
    for (BlockId first = 0; first < blocks.blocks() || channel.in_flight() > 0;) {
      while (first < blocks.blocks()) {
        const auto count =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(step, blocks.blocks() - first));
        if (!channel.read(0, first, count, side.memory.get() + first * blocks.block_bytes, first)) {
          break;
        }
        channel.touched(std::uint64_t{count} * blocks.block_bytes);
        first += count;
      }
      channel.flush();
      if (channel.in_flight() > 0) channel.reap(tags, 1);
    }
  }
  report_.io.add(door.counters());
  for (const std::string& note : door.backend().notes()) report_.notes.push_back(note);
  if (layout_.pieces().encoded() || layout_.pieces().weighted()) decode(side);
  return side;
}

// Lists that lie in blocks, each to its place in one array; then the blocks may go.
void InMemoryEngine::decode(Side& side) const {
  Lists& lists = side.lists;
  const PieceFormat& format = layout_.pieces();
  const std::size_t block_bytes = layout_.facts().block_bytes;
  lists.starts.resize(graph_.id_space);
  std::uint64_t edges = 0;
  for (VertexId v = 0; v < graph_.id_space; ++v) {
    lists.starts[v] = edges;
    const std::uint64_t degree = lists.index->degree(v);
    if (!lists.index->is_inline(degree)) edges += degree;
  }
  lists.ids.resize(edges);
  if (format.weighted()) lists.weights.resize(edges);
  for_ranges(graph_.id_space, options_.threads, [&](VertexRange range, int) {
    DecodeSpace space(format);
    for (VertexId v = range.begin; v < range.end; ++v) {
      if (lists.index->is_inline(lists.index->degree(v))) continue;
      const ListAddress list = lists.index->address(v);
      std::uint64_t at = lists.starts[v];
      const BlockId last = lists.index->last_block(list);
      for (BlockId block = lists.index->first_block(list); block <= last; ++block) {
        const DecodedPiece piece =
            format.read(lists.index->part(list, block), side.memory.get() + block * block_bytes,
                        space.behind(0));
        std::copy_n(piece.ids, piece.count, lists.ids.data() + at);
        if (format.weighted()) std::copy_n(piece.weights, piece.count, lists.weights.data() + at);
        at += piece.count;
      }
    }
  });
  side.memory.reset();
  lists.slots = nullptr;
}

const InMemoryEngine::Lists& InMemoryEngine::lists(Direction direction) const {
  return direction == Direction::in && !graph_.symmetric ? in_.lists : out_.lists;
}

Capabilities InMemoryEngine::capabilities() const {
  return {.converge = Visibility::round, .pull = true, .heads = true, .drive = true};
}

void InMemoryEngine::for_each_vertex(const VertexFn& f) {
  for_ranges(graph_.id_space, options_.threads, [&](VertexRange range, int) {
    std::vector<std::uint32_t> degrees(range.end - range.begin);
    for (VertexId v = range.begin; v < range.end; ++v) {
      degrees[v - range.begin] = source_of(*out_.lists.index, v).degree;
    }
    f(range, degrees);
  });
}

void InMemoryEngine::heads(unsigned k, const HeadsFn& f) {
  for_ranges(graph_.id_space, options_.threads, [&](VertexRange range, int) {
    for (VertexId v = range.begin; v < range.end; ++v) {
      const Piece list = out_.lists.whole(v, 0);
      f(v, {list.ids, std::min(k, list.count)});
    }
  });
}

// Lists are at hand, so a worker has one stack and the others wait for its halves.
void InMemoryEngine::drive(TaskProgram& program, std::span<const Task> tasks) {
  Executor executor(std::max(1U, options_.threads));
  TaskStacks stacks(tasks, executor.size(), program.stack_threshold());
  std::atomic<std::uint64_t> steps{0};
  std::atomic<std::uint64_t> edges{0};
  const auto run_stack = [&](TaskStacks::Stack stack) {
    std::uint64_t stack_steps = 0;
    std::uint64_t stack_edges = 0;
    while (!stack.empty() && !stacks.stopped()) {
      const Task task = stack.back();
      stack.pop_back();
      const Piece list = out_.lists.whole(task.v, 0);
      const Piece piece = clip(list, program.wants(task, list.degree));
      program.step(task, piece, stack);
      ++stack_steps;
      stack_edges += piece.count;
      if (program.done()) stacks.stop();
      stacks.share(stack);
    }
    // Relaxed: sums, read after the workers are done.
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
  report_.stack_splits += stacks.splits();
}

void InMemoryEngine::converge(Program& program, Frontier&& frontier) {
  unfollowed_edges_ = graph_.edges;
  while (!frontier.empty()) {
    frontier = round(program, std::move(frontier), Direction::out, Mode::any);
  }
}

Frontier InMemoryEngine::round(Program& program, Frontier&& frontier, Direction direction,
                               Mode mode) {
  const Stopwatch watch;
  const Direction reverse = direction == Direction::out ? Direction::in : Direction::out;
  const Traits traits = program.traits();
  const std::uint64_t frontier_edges = edges_of(frontier, lists(direction));
  const bool pulling = pulls(traits, frontier, frontier_edges, mode);

  Frontier next(graph_.id_space);
  std::vector<Collector> collectors(std::max(1U, options_.threads), Collector(next));
  if (pulling) {
    pull(program, frontier, lists(direction), lists(reverse), collectors);
  } else {
    push(program, frontier, lists(direction), collectors);
  }
  if (traits.settles) {
    for_ranges(graph_.id_space, options_.threads, [&](VertexRange range, int worker) {
      program.settle(range, collectors[static_cast<std::size_t>(worker)]);
    });
  }
  for (Collector& collector : collectors) {
    collector.drain();
    report_.activations += collector.reported();
  }
  next.adopt(collectors);
  unfollowed_edges_ -= std::min(unfollowed_edges_, frontier_edges);
  report_.vertices_processed += frontier.size();
  report_.edges_processed += frontier_edges;
  report_.rounds.push_back({.frontier = frontier.size(),
                            .edges = frontier_edges,
                            .pull = pulling,
                            .seconds = watch.seconds()});
  if (options_.rounds_done != nullptr) ++*options_.rounds_done;
  return next;
}

std::uint64_t InMemoryEngine::edges_of(const Frontier& frontier, const Lists& lists) const {
  if (frontier.size() == graph_.vertices) return graph_.edges;
  std::atomic<std::uint64_t> edges{0};
  for_batches(frontier, options_.threads, [&](std::span<const VertexId> batch, int) {
    std::uint64_t sum = 0;
    for (const VertexId v : batch) sum += lists.index->degree(v);
    edges.fetch_add(sum, std::memory_order_relaxed);  // a sum; read after the loop's barrier
  });
  return edges;
}

bool InMemoryEngine::pulls(const Traits& traits, const Frontier& frontier,
                           std::uint64_t frontier_edges, Mode mode) const {
  if (!traits.combines || mode == Mode::push) return false;
  if (mode == Mode::pull || frontier.size() == graph_.vertices) return true;
  return traits.first_is_enough && frontier_edges > unfollowed_edges_ / kPullShare;
}

Messages InMemoryEngine::messages(std::size_t count, const Traits& traits) {
  if (message_buffer_.size() < count * traits.message_bytes) {
    message_buffer_.resize(count * traits.message_bytes);
  }
  return {message_buffer_.data(), traits.message_bytes};
}

void InMemoryEngine::push(Program& program, const Frontier& frontier, const Lists& lists,
                          std::vector<Collector>& out) {
  const Traits traits = program.traits();
  // Visibility `round`: where emit reads what accept writes, all messages are taken beforehand.
  const bool beforehand = traits.emits_what_it_hears;
  const Messages dense = messages(beforehand ? graph_.id_space : 0, traits);
  if (beforehand) {
    for_batches(frontier, options_.threads, [&](std::span<const VertexId> batch, int) {
      take_messages(program, *lists.index, batch, dense);
    });
  }
  for_batches(frontier, options_.threads, [&](std::span<const VertexId> batch, int worker) {
    Piece pieces[kBatch];
    alignas(kLargestMessage) std::byte local[kBatch * kLargestMessage];
    const Messages taken = beforehand ? dense : Messages(local, traits.message_bytes);
    if (!beforehand) {
      Source sources[kBatch];
      for (std::size_t i = 0; i < batch.size(); ++i) sources[i] = source_of(*lists.index, batch[i]);
      program.begin({sources, batch.size()}, taken);
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      pieces[i] = lists.whole(batch[i], beforehand ? batch[i] : static_cast<std::uint32_t>(i));
    }
    program.scatter({{pieces, batch.size()}, Access::shared}, taken,
                    out[static_cast<std::size_t>(worker)]);
  });
}

void InMemoryEngine::pull(Program& program, const Frontier& frontier, const Lists& out_lists,
                          const Lists& in_lists, std::vector<Collector>& out) {
  const Traits traits = program.traits();
  const Messages dense = messages(graph_.id_space, traits);
  for_batches(frontier, options_.threads, [&](std::span<const VertexId> batch, int) {
    take_messages(program, *out_lists.index, batch, dense);
  });
  const Bitmap* active = frontier.size() == graph_.vertices ? nullptr : &frontier.bits();
  Bitmap listening(graph_.id_space);
  for_ranges(graph_.id_space, options_.threads, [&](VertexRange range, int worker) {
    program.listening(range, listening);
    Piece pieces[kBatch];
    std::size_t count = 0;
    const auto gather = [&] {
      program.gather({{pieces, count}, Access::exclusive}, dense, active,
                     out[static_cast<std::size_t>(worker)]);
      count = 0;
    };
    listening.for_each(range.begin, range.end, [&](std::size_t v) {
      pieces[count++] = in_lists.whole(static_cast<VertexId>(v), 0);
      if (count == kBatch) gather();
    });
    gather();
  });
}

}  // namespace outcore
