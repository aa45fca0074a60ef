// SPDX-License-Identifier: Apache-2.0
#include "engines/lists/stack_runner.h"

#include <algorithm>

namespace outcore {

StackRunner::StackRunner(TaskProgram& program, TaskStacks& stacks, TaskLists& lists,
                         BlockSource& source, HandOver& hands)
    : program_(program),
      stacks_(stacks),
      lists_(lists),
      source_(source),
      hands_(hands),
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
    if (live.read.blocks.next < live.read.blocks.end) {
      if (!ask(ticket)) return;
      step_blocks(ticket);
      continue;
    }
    if (live.wants_more && next_part(live)) continue;
    stacks_.share(live.stack);
    if (live.stack.empty()) break;
    begin_task(live);
  }
  stacks_.retire();
  drop(ticket);
  source_.give_back(ticket);
}

bool StackRunner::ask(Ticket ticket) {
  Live& live = live_[ticket];
  TaskRead& read = live.read;
  read.blocks.fly(source_.most_blocks());
  const BlockRun& wanted = read.blocks.flight;
  if (live.held_file == read.file && live.held.first <= wanted.first &&
      wanted.first + wanted.blocks <= live.held.first + live.held.blocks) {
    return true;
  }
  drop(ticket);
  live.held = wanted;
  live.held_file = read.file;
  lists_.note(read);
  return source_.ask(ticket, read.file, wanted);
}

void StackRunner::drop(Ticket ticket) {
  if (live_[ticket].held.blocks > 0) source_.release(ticket);
  live_[ticket].held = {};
}

void StackRunner::begin_task(Live& live) {
  live.task = live.stack.pop_back();
  hands_.begin_task();
  const VertexId v = live.task.v;
  const std::uint32_t degree = lists_.degree(v);
  live.read = TaskRead();
  live.read.v = v;
  live.read.wanted = program_.wants(live.task, degree);
  live.wants_more = live.read.wanted.begin < std::min(live.read.wanted.end, degree);
  if (!live.wants_more) step(live, {.v = v, .degree = degree});
}

bool StackRunner::next_part(Live& live) {
  const bool in_blocks =
      lists_.next_part(live.read, [&](const Piece& piece) { step_part(live, piece); });
  live.wants_more = live.wants_more && in_blocks;
  return live.wants_more;
}

void StackRunner::step_blocks(Ticket ticket) {
  Live& live = live_[ticket];
  const BlockRun& flight = live.read.blocks.flight;
  const std::size_t block_bytes = lists_.block_bytes();
  const std::byte* data = source_.data(ticket) + (flight.first - live.held.first) * block_bytes;
  for (std::uint32_t i = 0; i < flight.blocks && !stacks_.stopped(); ++i) {
    step_part(live, lists_.piece(live.read, flight.first + i, data + i * block_bytes));
  }
}

// Gives the task what it wants of a piece of its list.
void StackRunner::step_part(Live& live, const Piece& piece) {
  const Piece part = clip(piece, live.read.wanted);
  if (part.count > 0) step(live, part);
  if (std::uint64_t{piece.first} + piece.count < live.read.wanted.end) return;
  live.wants_more = false;
  live.read.blocks.end = live.read.blocks.next;
}

void StackRunner::step(Live& live, const Piece& piece) {
  hands_.step(program_, live.task, piece, live.stack);
  if (program_.done()) stacks_.stop();
}

}  // namespace outcore
