// SPDX-License-Identifier: Apache-2.0
// ACGraph on paper (Chen, Wang, Guo, SIGMOD 2025): blocks, not vertices, are scheduled, and a block
// that is in memory is processed as long as it holds active vertices.
//
// A block is a disjoint set of vertices: those whose lists lie in one disk block, or one vertex
// whose list is longer than that and goes through the frames in pieces, or mini vertices whose
// lists stand in the index and need no frame (sections 4.1, 5). Executors pull blocks, process them
// and submit what was activated; there are no rounds. Its visibility is `immediate`; round() runs
// the same machine and keeps activations for a second worklist (section 4.3), which makes it
// `round`.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <set>
#include <tuple>

#include "common/executor.h"
#include "tests/prototypes/edge_blocks.h"

namespace outcore::toys {

enum class BlockState : std::uint8_t { inactive, uncached, cached, processing, reactivated };

// Metadata of a block (section 4.5); the lock bit is the worklist's mutex here.
struct Block {
  BlockState state = BlockState::inactive;
  Priority priority = kQuiet;      // the soonest of its active vertices
  std::uint64_t since = 0;         // when it became uncached: among equals the first comes first
  std::vector<VertexId> frontier;  // the adaptive frontier set
  std::size_t pieces = 0;          // disk blocks; none: mini vertices
  std::size_t pieces_left = 0;     // of the processing under way
  unsigned reuses = 0;
};

// What an executor is given: a block, and which piece of it is in memory.
struct BlockTask {
  std::size_t block = 0;
  std::size_t piece = 0;
};

// What the worklist did, for tests.
struct Event {
  enum class Kind : std::uint8_t { load, process, reactivate } kind;
  std::size_t block = 0;
  Priority priority = kQuiet;
  std::size_t pieces_left = 0;  // to process
};

class Worklist {
 public:
  Worklist(std::vector<std::size_t> pieces_of_blocks, std::size_t frames, unsigned early_stop)
      : blocks_(pieces_of_blocks.size()), frames_(frames), early_stop_(early_stop) {
    for (std::size_t b = 0; b < blocks_.size(); ++b) blocks_[b].pieces = pieces_of_blocks[b];
  }

  // A vertex of the block is active. What its program wrote before is seen by whoever takes it.
  void submit(std::size_t b, VertexId v, Priority priority) {
    const std::lock_guard lock(mutex_);
    Block& block = blocks_[b];
    if (std::find(block.frontier.begin(), block.frontier.end(), v) == block.frontier.end())
      block.frontier.push_back(v);
    const bool is_uncached = uncached_queue_.erase(place_of(b)) != 0;
    block.priority = std::min(block.priority, priority);
    if (block.state == BlockState::inactive) {
      ++active_;
      wait_for_memory(b);
      changed_.notify_one();
    } else if (block.state == BlockState::processing) {
      block.state = BlockState::reactivated;
      events.push_back({Event::Kind::reactivate, b, priority, block.pieces_left});
    } else if (is_uncached) {
      uncached_queue_.insert(place_of(b));
    }
  }

  // Only from the cached queue; nothing when no block is active.
  std::optional<BlockTask> pull(const Executor& executor) {
    std::unique_lock lock(mutex_);
    for (;;) {
      preload();
      if (active_ == 0 || executor.stopping()) return std::nullopt;
      if (!cached_queue_.empty()) break;
      changed_.wait(lock);
    }
    const BlockTask task = cached_queue_.front();
    cached_queue_.pop_front();
    return task;
  }

  // The first piece is taken up: its active vertices, in exchange for a frontier that is empty.
  std::vector<VertexId> take(std::size_t b) {
    const std::lock_guard lock(mutex_);
    Block& block = blocks_[b];
    events.push_back({Event::Kind::process, b, block.priority, block.pieces});
    block.state = BlockState::processing;
    block.priority = kQuiet;
    block.pieces_left = std::max<std::size_t>(block.pieces, 1);
    return std::exchange(block.frontier, {});
  }
  // Its messages are taken, so that other pieces may come, to any executor.
  void begun(std::size_t b) {
    const std::lock_guard lock(mutex_);
    for (std::size_t piece = 1; piece < blocks_[b].pieces; ++piece)
      piece_queue_.push_back({b, piece});
  }

  void finish(const BlockTask& task) {
    const std::lock_guard lock(mutex_);
    Block& block = blocks_[task.block];
    changed_.notify_all();
    const bool last = --block.pieces_left == 0;
    // A block of one piece keeps its frame while it is reused; a long list's pieces cannot wait.
    const bool reuse = last && block.state == BlockState::reactivated && block.pieces <= 1 &&
                       (early_stop_ == 0 || block.reuses < early_stop_);
    if (reuse) {
      ++block.reuses;
      block.state = BlockState::cached;
      cached_queue_.push_back({task.block, 0});
      return;
    }
    if (block.pieces > 0) ++frames_;
    if (!last) return;
    block.reuses = 0;
    if (block.state == BlockState::reactivated) {
      wait_for_memory(task.block);
    } else {
      block.state = BlockState::inactive;
      if (--active_ == 0) changed_.notify_all();
    }
  }

  std::vector<Event> events;

 private:
  using Place = std::tuple<Priority, std::uint64_t, std::size_t>;
  [[nodiscard]] Place place_of(std::size_t b) const {
    return {blocks_[b].priority, blocks_[b].since, b};
  }

  void wait_for_memory(std::size_t b) {
    if (blocks_[b].pieces == 0) {
      blocks_[b].state = BlockState::cached;
      cached_queue_.push_back({b, 0});
    } else {
      blocks_[b].state = BlockState::uncached;
      blocks_[b].since = ++activations_;
      uncached_queue_.insert(place_of(b));
    }
  }

  // Gives free frames to the pieces of blocks under way, then to the soonest uncached blocks. (Here
  // a read completes at once; a real one is reaped by a later preload, by any executor.)
  void preload() {
    for (; frames_ > 0 && !piece_queue_.empty(); --frames_) {
      cached_queue_.push_back(piece_queue_.front());
      piece_queue_.pop_front();
    }
    for (; frames_ > 0 && !uncached_queue_.empty(); --frames_) {
      const auto [priority, since, b] = *uncached_queue_.begin();
      uncached_queue_.erase(uncached_queue_.begin());
      events.push_back({Event::Kind::load, b, priority, blocks_[b].pieces});
      blocks_[b].state = BlockState::cached;
      cached_queue_.push_back({b, 0});
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Block> blocks_;
  std::deque<BlockTask> cached_queue_;
  std::set<Place> uncached_queue_;
  std::uint64_t activations_ = 0;
  std::deque<BlockTask> piece_queue_;
  std::size_t active_ = 0;  // blocks that are not inactive: none left means the end
  std::size_t frames_;
  unsigned early_stop_;
};

class AcGraph : public ToyEngine {
 public:
  struct Options {
    unsigned executors = 2;
    std::size_t frames = 2;
    unsigned early_stop = 0;  // reuses in a row; 0: without end
  };
  static constexpr std::uint32_t kBlock = 6;  // edges
  static constexpr std::uint32_t kMini = 2;   // delta_deg: lists up to it stand in the index

  AcGraph(const ToyGraph& g, const Options& options)
      : ToyEngine(g),
        options_(options),
        executor_(options.executors),
        blocks_(g.out, kBlock, kMini + 1),
        block_of_(g.id_space()) {
    // Disk blocks first, then one block for all mini vertices.
    pieces_of_blocks_.assign(blocks_.size() + 1, 1);
    pieces_of_blocks_.back() = 0;
    for (VertexId v = 0; v < g.id_space(); ++v) {
      const auto& parts = blocks_.parts(v);
      block_of_[v] = parts.empty() ? blocks_.size() : parts[0].block;
      if (parts.size() > 1) pieces_of_blocks_[block_of_[v]] = parts.size();
    }
  }

  [[nodiscard]] Capabilities capabilities() const override {
    return {.converge = Visibility::immediate};
  }
  [[nodiscard]] std::size_t block_of(VertexId v) const { return block_of_[v]; }

  void converge(Program& program, Frontier&& frontier) override {
    if (program.traits().settles) return ToyEngine::converge(program, std::move(frontier));
    Worklist worklist(pieces_of_blocks_, options_.frames, options_.early_stop);
    run(program, frontier, worklist, nullptr,
        [&](const Activations::Entry& e) { worklist.submit(block_of_[e.v], e.v, e.priority); });
  }

  Frontier round(Program& program, Frontier&& frontier, Direction /*out*/, Mode /*push*/) override {
    Worklist worklist(pieces_of_blocks_, options_.frames, options_.early_stop);
    Frontier second(g_.id_space());
    std::mutex mutex;
    MessageArray dense(g_.id_space(), program.traits().message_bytes);
    if (program.traits().emits_what_it_hears) {
      frontier.for_each([&](VertexId v) { begin_one(program, v, dense.view().from(v)); });
    }
    run(program, frontier, worklist, program.traits().emits_what_it_hears ? &dense : nullptr,
        [&](const Activations::Entry& e) {
          const std::lock_guard lock(mutex);
          second.add(e.v);
        });
    if (program.traits().settles) {
      Collector activations(second);
      program.settle({0, g_.id_space()}, activations);
      activations.drain();
    }
    return second;
  }

  std::vector<Event> events;  // of the last call

 private:
  using Submit = std::function<void(const Activations::Entry&)>;
  class Submitter : public Activations {
   public:
    explicit Submitter(const Submit& submit) : submit_(submit) {}

   protected:
    void take(std::span<const Entry> entries) override {
      for (const Entry& entry : entries) submit_(entry);
    }

   private:
    const Submit& submit_;
  };
  // What processing a block once works with; pieces of a long list share it.
  struct Processing {
    std::vector<VertexId> vertices;
    std::optional<MessageArray> messages;
  };

  [[nodiscard]] std::uint32_t degree(VertexId v) const {
    return static_cast<std::uint32_t>(g_.out[v].size());
  }
  void begin_one(Program& program, VertexId v, Messages out) const {
    const Source source{v, degree(v)};
    program.begin({&source, 1}, out);
  }

  // Algorithm 1 on every executor.
  void run(Program& program, const Frontier& first, Worklist& worklist, MessageArray* dense,
           const Submit& submit) {
    std::vector<Processing> processing(pieces_of_blocks_.size());
    first.for_each([&](VertexId v) { worklist.submit(block_of_[v], v, program.priority(v)); });
    executor_.run([&](unsigned) {
      Submitter activations(submit);
      while (const auto task = worklist.pull(executor_)) {
        Processing& now = processing[task->block];
        if (task->piece == 0) {
          now.vertices = worklist.take(task->block);
          now.messages.emplace(now.vertices.size(), program.traits().message_bytes);
          for (std::size_t i = 0; dense == nullptr && i < now.vertices.size(); ++i)
            begin_one(program, now.vertices[i], now.messages->view().from(i));
          worklist.begun(task->block);
        }
        process(program, *task, now, dense, activations);
        activations.drain();  // before finish: an activation not yet known must not end the run
        worklist.finish(*task);
      }
    });
    events = worklist.events;
  }

  void process(Program& program, const BlockTask& task, Processing& now, MessageArray* dense,
               Activations& activations) {
    std::vector<VertexId> data;
    std::vector<Piece> pieces;
    for (std::uint32_t i = 0; i < now.vertices.size(); ++i) {
      const VertexId v = now.vertices[i];
      const std::uint32_t slot = dense != nullptr ? v : i;
      const auto& parts = blocks_.parts(v);
      if (parts.empty()) {
        pieces.push_back({v, slot, 0, degree(v), degree(v), g_.out[v].data()});
        continue;
      }
      const EdgeBlocks::Part& part = parts[task.piece];
      if (data.empty()) data = blocks_.read(part.block);
      pieces.push_back({v, slot, part.first, part.count, degree(v), data.data() + part.slot});
    }
    const Access access = executor_.size() == 1 ? Access::exclusive : Access::shared;
    program.scatter({pieces, access}, dense != nullptr ? dense->view() : now.messages->view(),
                    activations);
  }

  Options options_;
  Executor executor_;
  EdgeBlocks blocks_;
  std::vector<std::size_t> block_of_;
  std::vector<std::size_t> pieces_of_blocks_;
};

}  // namespace outcore::toys
