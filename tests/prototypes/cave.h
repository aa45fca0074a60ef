// SPDX-License-Identifier: Apache-2.0
// CAVE on paper (Papon, Chen, Zhang, Athanassoulis, SIGMOD 2024): k_r independent block reads at a
// time, out of a concurrent pool with a clock.
//
// Within a subgraph (section 4.2): ProcessQueue gives the vertices of a frontier to k_r threads,
// ProcessQueueBlock first finds their blocks and gives those out, each once a round. Between
// subgraphs (4.7): a stack of tasks that grows beyond a threshold is split in two.
//
// Messages of the whole frontier are taken before the first is heard. Its visibility is `round`.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <unordered_map>

#include "common/executor.h"
#include "tests/prototypes/edge_blocks.h"

namespace outcore::toys {

// Section 5: one short global lock over the map and the clock hand. (The paper reads outside of it,
// under a slot's own lock.)
class CachePool {
 public:
  CachePool(EdgeBlocks& blocks, std::size_t slots) : blocks_(blocks), slots_(slots) {}
  [[nodiscard]] std::vector<VertexId> get(BlockId block) {
    const std::lock_guard lock(mutex_);
    const auto cached = map_.find(block);
    if (cached != map_.end()) {
      slots_[cached->second].referenced = true;
      return slots_[cached->second].data;
    }
    while (std::exchange(slots_[hand_].referenced, false)) hand_ = (hand_ + 1) % slots_.size();
    Slot& victim = slots_[hand_];
    map_.erase(victim.block);
    map_[block] = hand_;
    victim = {block, blocks_.read(block), true};
    return victim.data;
  }

 private:
  struct Slot {
    BlockId block = ~BlockId{0};
    std::vector<VertexId> data;
    bool referenced = false;
  };
  EdgeBlocks& blocks_;
  std::mutex mutex_;
  std::vector<Slot> slots_;
  std::unordered_map<BlockId, std::size_t> map_;
  std::size_t hand_ = 0;
};

class Cave : public ToyEngine {
 public:
  struct Options {
    bool blocked = true;
    unsigned k_r = 4;
    std::size_t cache_blocks = 3;
    std::size_t stack_threshold = 4;
  };
  static constexpr std::uint32_t kBlock = 6;  // edges; 1024 in the paper

  Cave(const ToyGraph& g, const Options& options)
      : ToyEngine(g),
        blocks(g.out, kBlock),
        options_(options),
        pool_(blocks, options.cache_blocks),
        executor_(options.k_r) {}

  [[nodiscard]] Capabilities capabilities() const override {
    return {.pull = g_.symmetric, .drive = true};
  }

  Frontier round(Program& program, Frontier&& frontier, Direction /*out*/, Mode mode) override {
    const Traits traits = program.traits();
    const bool pull = mode == Mode::pull;
    std::vector<Source> sources;
    frontier.for_each([&](VertexId v) { sources.push_back(source_of(v)); });
    MessageArray messages(pull ? g_.id_space() : sources.size(), traits.message_bytes);
    if (pull) {
      for (const Source& u : sources) program.begin({&u, 1}, messages.view().from(u.v));
      sources.clear();
      Bitmap listening(g_.id_space());
      program.listening({0, g_.id_space()}, listening);
      listening.for_each(0, g_.id_space(), [&](std::size_t v) {
        sources.push_back(source_of(static_cast<VertexId>(v)));
      });
    } else {
      program.begin(sources, messages.view());
    }

    Frontier next(g_.id_space());
    const Process process = [&](std::span<const Piece> pieces) {
      Frontier next_v(g_.id_space());
      Collector activations(next_v);
      const AdjacencyBatch batch{pieces, Access::shared};
      if (pull) {
        program.gather(batch, messages.view(), &frontier.bits(), activations);
      } else {
        program.scatter(batch, messages.view(), activations);
      }
      activations.drain();
      const std::lock_guard lock(mutex_);
      next_v.for_each([&](VertexId v) { next.add(v); });
    };
    options_.blocked ? process_queue_block(sources, process) : process_queue(sources, process);
    if (traits.settles) {
      Collector activations(next);
      program.settle({0, g_.id_space()}, activations);
      activations.drain();
    }
    return next;
  }

  void drive(TaskProgram& program, std::span<const Task> tasks) override {
    stacks_.assign(1, {});
    for (const Task& task : tasks) stacks_[0].push_back(task);
    stack_count_ = 1;
    executor_.run([&](unsigned) {
      while (auto stack = next_stack(program)) {
        run_stack(program, std::move(*stack));
        const std::lock_guard lock(mutex_);
        --stack_count_;
        changed_.notify_all();
      }
    });
  }

  EdgeBlocks blocks;
  std::atomic<unsigned> splits = 0;

 private:
  using Process = std::function<void(std::span<const Piece>)>;
  using Stack = TaskStack;

  [[nodiscard]] Source source_of(VertexId v) const {
    return {v, static_cast<std::uint32_t>(g_.out[v].size())};
  }
  static Piece piece_of(Source u, std::size_t slot, const EdgeBlocks::Part& part,
                        const std::vector<VertexId>& data) {
    return {u.v,      static_cast<std::uint32_t>(slot), part.first, part.count,
            u.degree, data.data() + part.slot};
  }

  void process_queue(std::span<const Source> frontier, const Process& process) {
    for_all(frontier.size(), [&](std::size_t i) {
      for (const auto& part : blocks.parts(frontier[i].v)) {
        const std::vector<VertexId> data = pool_.get(part.block);
        const Piece piece = piece_of(frontier[i], i, part, data);
        process({&piece, 1});
      }
    });
  }

  void process_queue_block(std::span<const Source> frontier, const Process& process) {
    std::map<BlockId, std::vector<std::pair<std::size_t, EdgeBlocks::Part>>> block_set;
    for (std::size_t i = 0; i < frontier.size(); ++i) {
      for (const auto& part : blocks.parts(frontier[i].v))
        block_set[part.block].push_back({i, part});
    }
    const std::vector block_list(block_set.begin(), block_set.end());
    for_all(block_list.size(), [&](std::size_t b) {
      const auto& [block, wanted] = block_list[b];
      const std::vector<VertexId> data = pool_.get(block);
      std::vector<Piece> pieces;
      for (const auto& [i, part] : wanted) pieces.push_back(piece_of(frontier[i], i, part, data));
      process(pieces);
    });
  }

  // f(i) for each i, on k_r threads.
  template <typename F>
  void for_all(std::size_t count, F&& f) {
    executor_.parallel_for(0, count, 1, [&](unsigned, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) f(i);
    });
  }

  std::optional<Stack> next_stack(const TaskProgram& program) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !stacks_.empty() || stack_count_ == 0; });
    if (stacks_.empty() || program.done()) {
      stack_count_ -= static_cast<unsigned>(stacks_.size());
      stacks_.clear();
      return std::nullopt;
    }
    Stack stack = std::move(stacks_.back());
    stacks_.pop_back();
    return stack;
  }

  // DFSTask of Algorithm 6.
  void run_stack(TaskProgram& program, Stack stack) {
    while (!stack.empty()) {
      const Task task = stack.pop_back();
      if (!read_and_step(program, task, stack)) return;
      if (stack.size() <= options_.stack_threshold) continue;
      const std::lock_guard lock(mutex_);
      if (stack_count_ >= options_.k_r) continue;
      stacks_.push_back(stack.split());
      ++stack_count_;
      ++splits;
      changed_.notify_one();
    }
  }

  // Reads no further than the task wants, nor than the program needs; false when it is done.
  bool read_and_step(TaskProgram& program, const Task& task, Stack& stack) {
    const Source u = source_of(task.v);
    const ListRange wanted = program.wants(task, u.degree);
    if (wanted.begin == wanted.end) program.step(task, {.v = u.v, .degree = u.degree}, stack);
    for (EdgeBlocks::Part part : blocks.parts(u.v)) {
      if (program.done()) return false;
      const std::uint32_t begin = std::max(wanted.begin, part.first);
      const std::uint32_t end = std::min(wanted.end, part.first + part.count);
      if (begin >= end) continue;
      part.slot += begin - part.first;
      part.first = begin;
      part.count = end - begin;
      const std::vector<VertexId> data = pool_.get(part.block);
      program.step(task, piece_of(u, 0, part, data), stack);
    }
    return !program.done();
  }

  Options options_;
  CachePool pool_;
  Executor executor_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Stack> stacks_;
  unsigned stack_count_ = 0;  // alive: waiting or run by somebody
};

}  // namespace outcore::toys
