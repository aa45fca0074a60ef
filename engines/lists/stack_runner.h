// SPDX-License-Identifier: Apache-2.0
// One worker's share of the stacks of Engine::drive: CAVE's inter-subgraph parallelism (section
// 4.7, DFSTask of Algorithm 6). Every stack reads one list at a time, and as many stacks are alive
// as the device serves at once. Where the paper gives each stack a thread, a worker here has its
// share of k_r stacks, each with one request in flight.
//
// Threads: belongs to the worker.
#pragma once

#include <vector>

#include "engines/lists/hand_over.h"
#include "engines/lists/task_lists.h"
#include "engines/task_stacks.h"
#include "storage/io/merge.h"
#include "storage/source/block_source.h"

namespace outcore {

class StackRunner {
 public:
  StackRunner(TaskProgram& program, TaskStacks& stacks, TaskLists& lists, BlockSource& source,
              HandOver& hands);
  // Called at the end, or when an error stops this worker: others need not wait for its stacks
  // then.
  ~StackRunner();
  StackRunner(const StackRunner&) = delete;
  StackRunner& operator=(const StackRunner&) = delete;

  void work();

 private:
  using Ticket = BlockSource::Ticket;

  // A stack with the list that its topmost task reads.
  struct Live {
    TaskStack stack;
    Task task;
    TaskRead read;
    bool wants_more = false;  // than the part in hand
    BlockRun held;            // that the ticket holds, and of which file; none has no blocks
    std::uint32_t held_file = 0;
  };

  // Takes stacks while there are tickets; if it has no stack, waits for one. False at the end.
  bool admit();
  // Continues until blocks must be waited for, which it requests, or the stack is finished.
  void advance(Ticket ticket);
  // The next blocks of the list: are they there? They are if the ticket still holds them, because
  // the list before this one ends in the same block.
  bool ask(Ticket ticket);
  void drop(Ticket ticket);
  void begin_task(Live& live);
  bool next_part(Live& live);
  void step_blocks(Ticket ticket);
  void step_part(Live& live, const Piece& piece);
  void step(Live& live, const Piece& piece);

  TaskProgram& program_;
  TaskStacks& stacks_;
  TaskLists& lists_;
  BlockSource& source_;
  HandOver& hands_;
  std::vector<Live> live_;  // by ticket
  const AbandonAtEnd at_end_;
};

}  // namespace outcore
