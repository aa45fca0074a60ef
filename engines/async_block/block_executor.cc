// SPDX-License-Identifier: Apache-2.0
// Executors (ACGraph, section 4.2, Algorithm 1). Each has its own ring and frames, and processes
// the blocks that it brought in; so a frame has one owner, and only the worklist is shared.
#include <mutex>
#include <thread>
#include <unordered_map>

#include "engines/async_block/async_block.h"
#include "engines/async_block/frame_ring.h"
#include "engines/worker_share.h"
#include "storage/trace/trace.h"

namespace outcore {

namespace {

constexpr std::size_t kBatch = 64;  // vertices a call of begin and scatter

}  // namespace

class AsyncBlockEngine::BlockExecutor {
 public:
  BlockExecutor(AsyncBlockEngine& engine, Run& run, unsigned worker)
      : engine_(engine),
        run_(run),
        assignment_(run.worklist.assignment()),
        worker_(worker),
        frames_(engine.rings_[worker]),
        own_(engine.own_[worker]),
        most_(std::max(1U, engine.options_.max_request_bytes / engine.layout_.facts().block_bytes)),
        ahead_(std::clamp<std::size_t>(frames_.size() / 2, 1, engine.knobs_.ahead)),
        channel_(engine.channels_[worker]),
        arrivals_(frames_.size()),
        tags_(engine.door_.options().depth),
        pulled_(std::max<std::size_t>(most_, engine.door_.options().depth)) {}

  // When an error stops the run, what is in flight must be waited for by the thread that asked for
  // it; the engine is then of no further use, so its channel goes.
  ~BlockExecutor() {
    if (channel_->in_flight() > 0) channel_.reset();
  }
  BlockExecutor(const BlockExecutor&) = delete;
  BlockExecutor& operator=(const BlockExecutor&) = delete;

  void work() {
    while (!engine_.executor_.stopping()) {
      preload();
      if (own_.residents() >= kBatch) process_residents();
      if (process_next() || process_residents()) continue;
      if (channel_->in_flight() > 0) {
        collect(1);
      } else if (!asking_.empty() || next_pulled_ < pulled_count_) {
        std::this_thread::yield();  // for frames that hold what others are processing
      } else if (!run_.worklist.wait()) {
        return;
      }
    }
  }

  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;

 private:
  // A long list under way.
  struct LongList {
    VertexId v = kNoVertex;
    ListAddress list;
    BlockId next = 0;  // disk block that is asked for next
    BlockId end = 0;
    BlockId left = 0;  // disk blocks to process
    bool begun = false;
    alignas(kLargestMessage) std::byte message[kLargestMessage] = {};
  };
  // What is read into frames.
  struct Arrival {
    std::uint32_t block = 0;   // the first, or the long list's
    BlockId disk_block = 0;    // the first
    std::uint32_t blocks = 0;  // on disk
  };

  // Takes what has come, then asks for more: lists under way before new blocks, or these would take
  // all frames and none of those would ever be finished.
  void preload() {
    if (channel_->in_flight() > 0) collect(0);
    // Several requests at once, for each time that the kernel is told of some costs.
    if (channel_->in_flight() > engine_.door_.options().depth * 3 / 4) return;
    ask_for_more();
    if (asking_.empty() && next_pulled_ == pulled_count_ && channel_has_room() &&
        own_.cached.size() < ahead_) {
      pulled_count_ = run_.worklist.pull(pulled_);
      next_pulled_ = 0;
      ask_for_more();
    }
    channel_->flush();
  }
  [[nodiscard]] bool channel_has_room() const {
    return channel_->in_flight() < engine_.door_.options().depth;
  }

  void ask_for_more() {
    while (channel_has_room()) {
      if (!asking_.empty()) {
        LongList& list = long_lists_[asking_.back()];
        const std::uint32_t asked = ask(asking_.back(), list.next, list.end - list.next);
        if (asked == 0) return;
        list.next += asked;
        if (list.next == list.end) asking_.pop_back();
      } else if (next_pulled_ < pulled_count_) {
        const std::uint32_t block = pulled_[next_pulled_];
        if (assignment_.is_long(block)) {
          begin_long(block);
          ++next_pulled_;
          continue;
        }
        const std::uint32_t asked = ask(block, block, neighbours());
        if (asked == 0) return;
        next_pulled_ += asked;
      } else {
        return;
      }
    }
  }

  // How many of the pulled blocks, from the next one, stand together on disk.
  [[nodiscard]] std::uint32_t neighbours() const {
    std::uint32_t count = 1;
    while (next_pulled_ + count < pulled_count_ &&
           pulled_[next_pulled_ + count] == pulled_[next_pulled_] + count &&
           !assignment_.is_long(pulled_[next_pulled_ + count])) {
      ++count;
    }
    return count;
  }

  // Asks for up to `wanted` disk blocks, as many as frames can be had and a request may have.
  std::uint32_t ask(std::uint32_t block, BlockId disk_block, std::uint64_t wanted) {
    const FrameRing::Run run =
        frames_.take(static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, most_)),
                     [&](std::uint32_t held, const std::byte* frame) {
                       return run_.worklist.let_go(held, frame);
                     });
    if (run.frames == 0) return 0;
    // It has room, so it takes the request.
    channel_->read(run_.file, disk_block, run.frames, frames_.frame(run.first), run.first);
    arrivals_[run.first] = {block, disk_block, run.frames};
    return run.frames;
  }

  void begin_long(std::uint32_t block) {
    LongList& list = long_lists_[block];
    list = {};
    list.v = assignment_.vertex(block, 0);
    list.list = run_.index.address(list.v);
    list.next = run_.index.first_block(list.list);
    list.end = run_.index.last_block(list.list) + 1;
    list.left = list.end - list.next;
    asking_.push_back(block);
  }

  void collect(std::size_t at_least) {
    const std::size_t arrived = channel_->reap(tags_, at_least);
    for (std::size_t i = 0; i < arrived; ++i) {
      const auto first = static_cast<std::uint32_t>(tags_[i]);
      const Arrival& arrival = arrivals_[first];
      if (assignment_.is_long(arrival.block)) {
        process_pieces(arrival, first);
        continue;
      }
      for (std::uint32_t j = 0; j < arrival.blocks; ++j)
        frames_.holds(first + j, arrival.block + j);
      run_.worklist.loaded(arrival.block, arrival.blocks, frames_.frame(first),
                           engine_.layout_.facts().block_bytes, own_);
    }
  }

  void note(const BlockRun& run) {
    note_access(engine_.options_, engine_.layout_, worker_, run_.file, run);
  }

  bool process_next() {
    const std::optional<std::uint32_t> block = run_.worklist.next_cached(own_);
    if (block) process(*block);
    return block.has_value();
  }

  void process(std::uint32_t block) {
    members_.clear();
    const std::byte* const data = run_.worklist.take(block, members_);
    note({block, 1});
    for (std::size_t first = 0; first < members_.size(); first += kBatch) {
      process_batch(block, data,
                    std::span(members_).subspan(first, std::min(kBatch, members_.size() - first)));
    }
    vertices += members_.size();
    out().drain();  // before finish: see Worklist, termination
    run_.worklist.finish(block, own_);
  }

  void process_batch(std::uint32_t block, const std::byte* data,
                     std::span<const std::uint32_t> members) {
    Piece pieces[kBatch];
    std::size_t decoded = 0;
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const VertexId v = assignment_.vertex(block, members[i]);
      pieces[i] = read_piece(v, run_.index.address(v), block, data, decoded, bytes);
      decoded += pieces[i].count;
      pieces[i].slot = run_.dense ? v : static_cast<std::uint32_t>(i);
      edges += pieces[i].count;
    }
    channel_->touched(bytes);
    alignas(kLargestMessage) std::byte taken[kBatch * kLargestMessage];
    hand_over({pieces, members.size()}, {taken, run_.message_bytes}, true);
  }

  // Some of the vertices whose lists stand in the index.
  bool process_residents() {
    VertexId taken[kBatch];
    const std::size_t count = run_.worklist.take_residents(taken, own_);
    if (count == 0) return false;
    Piece pieces[kBatch];
    for (std::size_t i = 0; i < count; ++i) {
      pieces[i] =
          inline_piece(run_.index, taken[i], run_.dense ? taken[i] : static_cast<std::uint32_t>(i));
      edges += pieces[i].count;
    }
    alignas(kLargestMessage) std::byte messages[kBatch * kLargestMessage];
    hand_over({pieces, count}, {messages, run_.message_bytes}, true);
    vertices += count;
    out().drain();
    run_.worklist.finish_residents({taken, count}, own_);
    return true;
  }

  Piece read_piece(VertexId v, const ListAddress& list, BlockId disk_block, const std::byte* data,
                   std::size_t decoded, std::uint64_t& bytes) {
    const DecodedPiece piece = engine_.layout_.pieces().read(
        run_.index.part(list, disk_block), data, engine_.decoded_[worker_].behind(decoded));
    bytes += piece.bytes;
    return {.v = v,
            .first = static_cast<std::uint32_t>(piece.first),
            .count = piece.count,
            .degree = static_cast<std::uint32_t>(list.degree),
            .ids = piece.ids,
            .weights = piece.weights};
  }

  void process_pieces(const Arrival& arrival, std::uint32_t first) {
    LongList& list = long_lists_[arrival.block];
    if (!list.begun) begin_message(arrival.block, list);
    note({arrival.disk_block, arrival.blocks});
    for (std::uint32_t i = 0; i < arrival.blocks; ++i) {
      process_piece(list, arrival.disk_block + i, frames_.frame(first + i));
      frames_.give(first + i);
    }
    list.left -= arrival.blocks;
    if (run_.pull && run_.first_is_enough && !run_.program.listens(list.v)) forget_rest(list);
    if (list.left > 0) return;
    out().drain();
    long_lists_.erase(arrival.block);
    run_.worklist.finish(arrival.block, own_);
  }

  // What was not asked for yet of a list whose vertex has heard enough.
  void forget_rest(LongList& list) {
    if (list.next == list.end) return;
    list.left -= list.end - list.next;
    list.next = list.end;
    std::erase_if(asking_, [&](std::uint32_t block) { return long_lists_[block].v == list.v; });
  }

  void begin_message(std::uint32_t block, LongList& list) {
    list.begun = true;
    members_.clear();
    run_.worklist.take(block, members_);
    ++vertices;
    const Source source{list.v, static_cast<std::uint32_t>(list.list.degree)};
    if (!run_.dense) run_.program.begin({&source, 1}, {list.message, run_.message_bytes});
  }

  void process_piece(LongList& list, BlockId disk_block, const std::byte* frame) {
    std::uint64_t bytes = 0;
    Piece piece = read_piece(list.v, list.list, disk_block, frame, 0, bytes);
    piece.slot = run_.dense ? list.v : 0;
    edges += piece.count;
    channel_->touched(bytes);
    hand_over({&piece, 1}, {list.message, run_.message_bytes}, false);
  }

  void hand_over(std::span<const Piece> pieces, Messages local, bool begin) {
    const Messages dense(engine_.messages_.data(), run_.message_bytes);
    if (run_.pull) {  // a vertex is processed by one executor at a time
      run_.program.gather({pieces, Access::exclusive}, dense, run_.active, out());
      return;
    }
    const Access access = engine_.executor_.size() == 1 ? Access::exclusive : Access::shared;
    if (begin && !run_.dense) {
      Source sources[kBatch];
      for (std::size_t i = 0; i < pieces.size(); ++i) sources[i] = {pieces[i].v, pieces[i].degree};
      run_.program.begin({sources, pieces.size()}, local);
    }
    run_.program.scatter({pieces, access}, run_.dense ? dense : local, out());
  }

  Activations& out() { return *run_.activations[worker_]; }

  AsyncBlockEngine& engine_;
  Run& run_;
  const Assignment& assignment_;
  unsigned worker_;
  FrameRing& frames_;
  Worklist::Own& own_;
  std::uint32_t most_;  // blocks of a request
  // Cached blocks above which no more are brought in: with all of its frames full of them (as in
  // the published code) the order in which blocks come is that of long ago.
  std::size_t ahead_;
  std::unique_ptr<DoorChannel>& channel_;
  std::vector<std::uint32_t> asking_;  // long lists with pieces that nobody asked for yet
  std::unordered_map<std::uint32_t, LongList> long_lists_;
  std::vector<Arrival> arrivals_;      // by the first frame
  std::vector<std::uint64_t> tags_;    // scratch
  std::vector<std::uint32_t> pulled_;  // blocks from the worklist, from next_pulled_ not asked for
  std::size_t next_pulled_ = 0;
  std::size_t pulled_count_ = 0;
  std::vector<std::uint32_t> members_;  // scratch
};

void AsyncBlockEngine::process_until_done(Run& run) {
  use(run);
  if (options_.trace != nullptr) options_.trace->begin_round(trace_rounds_++);
  std::mutex mutex;
  executor_.run([&](unsigned worker) {
    BlockExecutor executor(*this, run, worker);
    try {
      executor.work();
    } catch (...) {
      run.worklist.fail();
      throw;
    }
    const std::lock_guard lock(mutex);
    if (!run.pull) report_.vertices_processed += executor.vertices;
    report_.edges_processed += executor.edges;
  });
}

}  // namespace outcore
