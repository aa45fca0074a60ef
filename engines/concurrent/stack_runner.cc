// SPDX-License-Identifier: Apache-2.0
// CAVE's inter-subgraph parallelism (section 4.7, DFSTask of Algorithm 6): every stack reads one
// list at a time, and as many stacks are alive as the device serves at once. Where the paper gives
// each stack a thread, a worker here has its share of k_r stacks, each with one request in flight.
#include "engines/concurrent/concurrent.h"
#include "engines/task_stacks.h"
#include "engines/worker_share.h"

namespace outcore {

class ConcurrentEngine::StackRunner {
 public:
  StackRunner(ConcurrentEngine& engine, TaskProgram& program, TaskStacks& stacks, unsigned worker)
      : engine_(engine),
        program_(program),
        stacks_(stacks),
        worker_(worker),
        index_(engine.layout_.index(Direction::out)),
        file_(engine.layout_.file(Direction::out)),
        arena_(engine.frames_.arena(worker)),
        channel_(engine.channels_[worker]),
        live_(arena_.slots()) {}

  // At the end, or when an error stops this worker: the others need not wait for its stacks. What
  // is in flight then must be waited for by the thread that asked for it.
  ~StackRunner() {
    stacks_.stop();
    if (channel_->in_flight() > 0) channel_.reset();
  }
  StackRunner(const StackRunner&) = delete;
  StackRunner& operator=(const StackRunner&) = delete;

  void work() {
    std::vector<std::uint64_t> tags(arena_.slots());
    while (admit()) {
      channel_->flush();
      const std::size_t arrived = channel_->reap(tags, 1);
      for (std::size_t i = 0; i < arrived; ++i) step_blocks(live_[tags[i]]);
    }
  }

  std::uint64_t steps = 0;
  std::uint64_t edges = 0;

 private:
  // A stack with the list that its topmost task reads.
  struct Live {
    TaskStacks::Stack stack;
    Task task;
    ListRange wanted;
    ListAddress list;
    BlockId next = 0;  // block of the list that is asked for next
    BlockId end = 0;
    BlockRun flight;
    std::byte* slot = nullptr;
  };

  // Takes stacks while there are slots; with nothing in flight, waits for one. False at the end.
  bool admit() {
    while (arena_.free_slots() > 0) {
      const bool idle = channel_->in_flight() == 0;
      std::optional<TaskStacks::Stack> stack = stacks_.take(idle);
      if (!stack) return !idle;
      std::byte* slot = arena_.take();
      Live& live = live_[arena_.number(slot)];
      live = {};
      live.stack = std::move(*stack);
      live.slot = slot;
      advance(live);
    }
    return true;
  }

  // Goes on until blocks must be read, which it asks for, or the stack is finished.
  void advance(Live& live) {
    while (!stacks_.stopped()) {
      if (live.next < live.end) {
        ask(live);
        return;
      }
      stacks_.share(live.stack);
      if (live.stack.empty()) break;
      begin_task(live);
    }
    stacks_.retire();
    arena_.give(live.slot);
  }

  void ask(Live& live) {
    const std::uint64_t most = arena_.slot_bytes() / engine_.layout_.facts().block_bytes;
    live.flight = {live.next,
                   static_cast<std::uint32_t>(std::min<std::uint64_t>(most, live.end - live.next))};
    live.next += live.flight.blocks;
    // A slot a request: the channel has room.
    channel_->read(file_, live.flight.first, live.flight.blocks, live.slot,
                   arena_.number(live.slot));
    note_access(engine_.options_, engine_.layout_, worker_, file_, live.flight);
  }

  void begin_task(Live& live) {
    live.task = live.stack.back();
    live.stack.pop_back();
    ++steps;
    const VertexId v = live.task.v;
    const Source source = source_of(index_, v);
    live.wanted = program_.wants(live.task, source.degree);
    if (live.wanted.begin >= live.wanted.end || index_.is_inline(source.degree)) {
      const Piece whole = index_.is_inline(source.degree) ? inline_piece(index_, v, 0)
                                                          : Piece{.v = v, .degree = source.degree};
      step(live, clip(whole, live.wanted));
      return;
    }
    live.list = index_.address(v);
    live.next = index_.first_block(live.list);
    live.end = index_.last_block(live.list) + 1;
    if (engine_.layout_.pieces().encoded()) return;  // which block an edge is in shows by reading
    const auto block_of = [&](std::uint64_t edge) {
      return (live.list.position + edge) / index_.slots_per_block();
    };
    live.next = block_of(live.wanted.begin);
    live.end = block_of(live.wanted.end - 1) + 1;
  }

  void step_blocks(Live& live) {
    const std::size_t block_bytes = engine_.layout_.facts().block_bytes;
    for (std::uint32_t i = 0; i < live.flight.blocks && !stacks_.stopped(); ++i) {
      const DecodedPiece piece = engine_.layout_.pieces().read(
          index_.part(live.list, live.flight.first + i), live.slot + i * block_bytes,
          engine_.decoded_[worker_].behind(0));
      const Piece part = clip({.v = live.task.v,
                               .first = static_cast<std::uint32_t>(piece.first),
                               .count = piece.count,
                               .degree = static_cast<std::uint32_t>(live.list.degree),
                               .ids = piece.ids,
                               .weights = piece.weights},
                              live.wanted);
      channel_->touched(piece.bytes);
      if (part.count > 0) step(live, part);
      if (piece.first + piece.count >= live.wanted.end) live.end = live.next;
    }
    advance(live);
  }

  void step(Live& live, const Piece& piece) {
    edges += piece.count;
    program_.step(live.task, piece, live.stack);
    if (program_.done()) stacks_.stop();
  }

  ConcurrentEngine& engine_;
  TaskProgram& program_;
  TaskStacks& stacks_;
  unsigned worker_;
  const ListIndex& index_;
  std::uint32_t file_;
  FrameArena& arena_;
  std::unique_ptr<DoorChannel>& channel_;
  std::vector<Live> live_;  // by slot
};

void ConcurrentEngine::drive(TaskProgram& program, std::span<const Task> tasks) {
  begin_noted_round();
  std::size_t most = 0;
  for (unsigned worker = 0; worker < executor_.size(); ++worker) {
    most += frames_.arena(worker).slots();
  }
  TaskStacks stacks(tasks, most, program.stack_threshold());
  std::mutex mutex;
  executor_.run([&](unsigned worker) {
    StackRunner runner(*this, program, stacks, worker);
    runner.work();
    const std::lock_guard lock(mutex);
    report_.vertices_processed += runner.steps;
    report_.edges_processed += runner.edges;
  });
  report_.stack_splits += stacks.splits();
}

}  // namespace outcore
