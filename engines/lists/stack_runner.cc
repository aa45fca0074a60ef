// SPDX-License-Identifier: Apache-2.0
#include "engines/lists/stack_runner.h"

namespace outcore {

StackRunner::StackRunner(TaskProgram& program, TaskStacks& stacks, const DirectedLists& lists,
                         BlockSource& source, HandOver& hands, unsigned worker)
    : program_(program),
      stacks_(stacks),
      lists_(lists),
      source_(source),
      hands_(hands),
      worker_(worker),
      live_(source.tickets()),
      at_end_(source) {}

StackRunner::~StackRunner() { stacks_.stop(); }

void StackRunner::work() {
  while (admit()) {
    source_.channel()->flush();
    for (const Ticket ticket : source_.arrived(true)) {
      step_blocks(ticket);
      advance(ticket);
    }
  }
}

bool StackRunner::admit() {
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

void StackRunner::advance(Ticket ticket) {
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

bool StackRunner::ask(Ticket ticket) {
  ListRead& read = live_[ticket].read;
  read.fly(source_.most_blocks());
  lists_.note(worker_, read.flight);
  return source_.ask(ticket, lists_.file, read.flight);
}

void StackRunner::begin_task(Live& live) {
  live.task = live.stack.pop_back();
  hands_.begin_task();
  const VertexId v = live.task.v;
  const ListIndex& index = lists_.index;
  const Source source = source_of(index, v);
  live.wanted = program_.wants(live.task, source.degree);
  if (live.wanted.begin >= live.wanted.end || index.is_inline(source.degree)) {
    const Piece whole = index.is_inline(source.degree) ? inline_piece(index, v, 0)
                                                       : Piece{.v = v, .degree = source.degree};
    step(live, clip(whole, live.wanted));
    return;
  }
  live.read = ListRead::whole(index, v);
  if (lists_.layout.pieces().encoded()) return;  // which block an edge is in shows by reading
  const auto block_of = [&](std::uint64_t edge) {
    return (live.read.list.position + edge) / index.slots_per_block();
  };
  live.read.next = block_of(live.wanted.begin);
  live.read.end = block_of(live.wanted.end - 1) + 1;
}

void StackRunner::step_blocks(Ticket ticket) {
  Live& live = live_[ticket];
  ListRead& read = live.read;
  for (std::uint32_t i = 0; i < read.flight.blocks && !stacks_.stopped(); ++i) {
    const std::byte* data = source_.data(ticket) + i * std::size_t{lists_.block_bytes()};
    const Piece piece = hands_.read(lists_, read.v, read.list, read.flight.first + i, data);
    const Piece part = clip(piece, live.wanted);
    if (part.count > 0) step(live, part);
    if (std::uint64_t{piece.first} + piece.count >= live.wanted.end) read.end = read.next;
  }
  source_.release(ticket);
}

void StackRunner::step(Live& live, const Piece& piece) {
  hands_.step(program_, live.task, piece, live.stack);
  if (program_.done()) stacks_.stop();
}

}  // namespace outcore
