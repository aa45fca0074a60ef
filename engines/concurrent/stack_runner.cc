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
        source_(*engine.sources_[worker]),
        live_(source_.tickets()) {}

  // At the end, or when an error stops this worker: the others need not wait for its stacks.
  ~StackRunner() { stacks_.stop(); }
  StackRunner(const StackRunner&) = delete;
  StackRunner& operator=(const StackRunner&) = delete;

  void work() {
    while (admit()) {
      source_.channel()->flush();
      for (const Ticket ticket : source_.arrived(true)) {
        step_blocks(ticket);
        advance(ticket);
      }
    }
  }

  std::uint64_t steps = 0;
  std::uint64_t edges = 0;

 private:
  using Ticket = BlockSource::Ticket;

  // A stack with the list that its topmost task reads.
  struct Live {
    TaskStack stack;
    Task task;
    ListRange wanted;
    ListRead read;
  };

  // Takes stacks while there are tickets; when it has none, waits for one. False at the end.
  bool admit() {
    while (source_.held() < source_.depth()) {
      const bool idle = source_.coming() == 0;
      std::optional<TaskStack> stack = stacks_.take(idle);
      if (!stack) return !idle;
      const Ticket ticket = source_.take();
      live_[ticket] = {};
      live_[ticket].stack = std::move(*stack);
      advance(ticket);
    }
    return true;
  }

  // Goes on until blocks must be waited for, which it asks for, or the stack is finished.
  void advance(Ticket ticket) {
    Live& live = live_[ticket];
    while (!stacks_.stopped()) {
      if (live.read.next < live.read.end) {
        if (!ask(ticket)) return;
        step_blocks(ticket);
        continue;
      }
      stacks_.share(live.stack);
      if (live.stack.empty()) break;
      begin_task(live);
    }
    stacks_.retire();
    source_.give_back(ticket);
  }

  // The next blocks of the list: are they there?
  bool ask(Ticket ticket) {
    ListRead& read = live_[ticket].read;
    read.fly(source_.most_blocks());
    note_access(engine_.options_, engine_.layout_, worker_, file_, read.flight);
    return source_.ask(ticket, file_, read.flight);
  }

  void begin_task(Live& live) {
    live.task = live.stack.pop_back();
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
    live.read = ListRead::whole(index_, v);
    if (engine_.layout_.pieces().encoded()) return;  // which block an edge is in shows by reading
    const auto block_of = [&](std::uint64_t edge) {
      return (live.read.list.position + edge) / index_.slots_per_block();
    };
    live.read.next = block_of(live.wanted.begin);
    live.read.end = block_of(live.wanted.end - 1) + 1;
  }

  void step_blocks(Ticket ticket) {
    Live& live = live_[ticket];
    ListRead& read = live.read;
    for (std::uint32_t i = 0; i < read.flight.blocks && !stacks_.stopped(); ++i) {
      const DecodedPiece decoded = read.decode(engine_.layout_, index_, source_.data(ticket), i,
                                               engine_.decoded_[worker_].behind(0));
      const Piece part = clip(read.piece(decoded), live.wanted);
      source_.channel()->touched(decoded.bytes);
      if (part.count > 0) step(live, part);
      if (decoded.first + decoded.count >= live.wanted.end) read.end = read.next;
    }
    source_.release(ticket);
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
  BlockSource& source_;
  std::vector<Live> live_;  // by ticket
  const AbandonAtEnd at_end_{source_};
};

void ConcurrentEngine::drive(TaskProgram& program, std::span<const Task> tasks) {
  begin_noted_round();
  std::size_t most = 0;
  for (unsigned worker = 0; worker < executor_.size(); ++worker) {
    most += sources_[worker]->depth();
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
