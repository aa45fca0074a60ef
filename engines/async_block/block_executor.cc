// SPDX-License-Identifier: Apache-2.0
// Executors (ACGraph, section 4.2, Algorithm 1). Each has its own ring and frames, and processes
// the blocks that it brought in; so a frame has one owner, and only the worklist is shared.
#include <mutex>
#include <numeric>
#include <thread>
#include <unordered_map>
#include <utility>

#include "engines/async_block/async_block.h"
#include "engines/async_block/frame_ring.h"
#include "engines/async_block/wanted_blocks.h"
#include "engines/vertex_ranges.h"
#include "engines/worker_share.h"
#include "storage/trace/trace.h"

namespace outcore {

namespace {

constexpr std::size_t kHandedOver = 64;  // vertices a call of begin and scatter

// Messages for each vertex of a combiner until they are told: to go through its slots costs little
// beside that, and the messages are late by a small part of a sweep. PageRank by pushing on
// Kronecker 23 (`ahead=2048`, two runs each): 9.4 and 9.9 s with 16, 8.4 and 8.9 with 32, 8.4 twice
// with 64, 8.3 and 11.9 with 128, where hubs hear so late that they must be taken up once more.
constexpr std::uint64_t kHeld = 32;

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
        limits_(limits(engine)),
        hole_budget_(engine.options_.most_holes),
        depth_(share_of_depth(engine.options_, worker)),
        ahead_(blocks_ahead(engine.knobs_.ahead, run.again, frames_.size())),
        combiner_(run.combined),
        channel_(engine.channels_[worker]),
        arrivals_(depth_),
        free_arrivals_(depth_),
        tags_(depth_),
        pulled_(std::max(limits_.max_blocks, depth_)) {
    std::iota(free_arrivals_.rbegin(), free_arrivals_.rend(), 0U);
  }

  // When an error stops the run, what is in flight must be waited for by the thread that asked for
  // it; the engine is then of no further use, so its channel goes.
  ~BlockExecutor() {
    if (channel_->in_flight() > 0) channel_.reset();
  }
  BlockExecutor(const BlockExecutor&) = delete;
  BlockExecutor& operator=(const BlockExecutor&) = delete;

  void work() {
    submit_first();
    while (!engine_.executor_.stopping()) {
      preload();
      if (own_.residents() >= kHandedOver) process_residents();
      if (process_next() || process_residents()) continue;
      if (combiner_.held() > 0) {
        deliver();
      } else if (channel_->in_flight() > 0) {
        collect(1);
      } else if (!wanted_.empty()) {
        std::this_thread::yield();  // for frames that hold what others are processing
      } else if (!run_.worklist.wait()) {
        return;
      }
    }
  }

  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  std::uint64_t combined = 0;

 private:
  static MergeLimits limits(const AsyncBlockEngine& engine) {
    const std::uint32_t block = engine.layout_.facts().block_bytes;
    return {.max_blocks = std::max(1U, engine.options_.max_request_bytes / block),
            .max_hole = engine.options_.request_cost.hole_blocks(block)};
  }

  // Cached blocks above which no more are brought in: with all of its frames full of them (as in
  // the published code) the order in which blocks come is that of long ago. That costs where a
  // vertex which was processed before it had heard the best must be processed again: BFS on a grid
  // (8 blocks ahead) 2.1 s, with 32 4.6 s. Elsewhere a quarter of the frames keeps the device busy.
  static std::size_t blocks_ahead(std::size_t asked, bool again, std::size_t frames) {
    constexpr std::size_t kFresh = 8;
    if (asked == 0) asked = again ? kFresh : frames / 4;
    return std::clamp<std::size_t>(asked, 1, std::max<std::size_t>(frames / 2, 1));
  }

  // What is active at first, a range at a time. Vertices that need no block are processed on the
  // way, so that they do not pile up.
  void submit_first() {
    const Frontier& first = run_.first;
    const std::size_t all = first.is_sparse() ? first.list().size() : first.id_space();
    while (!engine_.executor_.stopping()) {
      // Relaxed: the counter hands out disjoint ranges and publishes no other data.
      const std::size_t begin = run_.submitted.fetch_add(kVertexRange, std::memory_order_relaxed);
      if (begin >= all) break;
      submit_range(begin, std::min<std::size_t>(all, begin + kVertexRange));
      while (own_.residents() >= kHandedOver) process_residents();
    }
    run_.worklist.has_submitted();
  }
  void submit_range(std::size_t begin, std::size_t end) {
    Activations::Entry entries[kHandedOver];
    Residents once;
    Residents others;
    std::size_t count = 0;
    const auto add = [&](std::size_t v) {
      const auto id = static_cast<VertexId>(v);
      // In a round nothing is activated again, so that who needs no block needs no state either:
      // three of a direction-optimising search's rounds on Kronecker 23 took 0.3 s to read nothing.
      // Nor is, ever, whom nobody has an edge to.
      const std::uint64_t degree = run_.index.degree(id);
      if (run_.index.is_inline(degree)) {
        if (run_.pull && degree == 0) return;  // there is nobody to hear
        const bool activated_once = !run_.ordered || (degree == 0 && engine_.graph_.symmetric);
        if (activated_once) {
          if (once.add(id)) process_inline(once.take());
        } else if (others.add(id)) {
          begin_residents(others.take());
        }
        return;
      }
      entries[count++] = {id, run_.ordered ? run_.program.priority(id) : 0};
      if (count == kHandedOver) run_.worklist.submit({entries, std::exchange(count, 0)}, own_);
    };
    if (run_.first.is_sparse()) {
      for (const VertexId v : run_.first.list().subspan(begin, end - begin)) add(v);
    } else {
      run_.first.bits().for_each(begin, end, add);
    }
    run_.worklist.submit({entries, count}, own_);
    process_inline(once.take());
    begin_residents(others.take());
  }
  // Of what is active at first, without a queue.
  void begin_residents(std::span<VertexId> residents) {
    const std::size_t count = run_.worklist.begin_residents(residents);
    process_and_finish(residents.first(count));
  }

  // Vertices that need no block, until they are a batch.
  class Residents {
   public:
    bool add(VertexId v) {
      vertices_[count_++] = v;
      return count_ == kHandedOver;
    }
    std::span<VertexId> take() { return {vertices_, std::exchange(count_, 0)}; }

   private:
    VertexId vertices_[kHandedOver];
    std::size_t count_ = 0;
  };

  // A long list under way.
  struct LongList {
    VertexId v = kNoVertex;
    ListAddress list;
    std::uint32_t left = 0;  // disk blocks to process
    bool begun = false;
    alignas(kLargestMessage) std::byte message[kLargestMessage] = {};
  };
  // A request that is in flight.
  struct Arrival {
    BlockId first = 0;  // disk block
    std::uint32_t blocks = 0;
    std::uint32_t frame = 0;  // of the first
    std::vector<WantedBlocks::Part> parts;
  };

  // Takes what has come, then asks for more: what was taken from the worklist before more is, or
  // new blocks would take all frames and no long list would ever be finished.
  void preload() {
    if (channel_->in_flight() > 0) collect(0);
    // Several requests at once, for each time that the kernel is told of some costs.
    if (channel_->in_flight() > depth_ * 3 / 4) return;
    ask();
    if (wanted_.empty() && channel_has_room() && own_.cached.size() < ahead_) {
      const std::size_t count = run_.worklist.pull(pulled_);
      for (const std::uint32_t block : std::span(pulled_).first(count)) want(block);
      ask();
    }
    channel_->flush();
  }
  [[nodiscard]] bool channel_has_room() const { return channel_->in_flight() < depth_; }

  void want(std::uint32_t block) {
    const BlockId first = assignment_.position(block);
    BlockId end = first + 1;
    if (assignment_.is_long(block)) {
      LongList& list = long_lists_[block];
      list = {};
      list.v = assignment_.vertex(block, 0);
      list.list = run_.index.address(list.v);
      end = run_.index.last_block(list.list) + 1;
      list.left = static_cast<std::uint32_t>(end - first);
    }
    wanted_.add({block, first, end});
  }

  // As much as there are requests and frames for.
  void ask() {
    while (channel_has_room() && !wanted_.empty()) {
      BlockRun run = wanted_.plan(limits_, hole_budget_.left());
      const FrameRing::Run frames =
          frames_.take(run.blocks, [&](std::uint32_t held, const std::byte* frame) {
            return run_.worklist.let_go(held, frame);
          });
      if (frames.frames == 0) return;
      run.blocks = frames.frames;
      const std::uint32_t number = free_arrivals_.back();
      free_arrivals_.pop_back();
      Arrival& arrival = arrivals_[number];
      arrival.first = run.first;
      arrival.blocks = run.blocks;
      arrival.frame = frames.first;
      const std::uint64_t holes = wanted_.take(run, arrival.parts);
      hole_budget_.need(run.blocks - holes);
      hole_budget_.spend(holes);
      channel_->holes(holes * engine_.layout_.facts().block_bytes);
      // It has room, so it takes the request.
      channel_->read(run_.file, run.first, run.blocks, frames_.frame(frames.first), number);
    }
  }

  void collect(std::size_t at_least) {
    const std::size_t arrived = channel_->reap(tags_, at_least);
    for (std::size_t i = 0; i < arrived; ++i) receive(static_cast<std::uint32_t>(tags_[i]));
  }

  // Pieces of long lists are processed where they lie, and blocks stay in their frames.
  void receive(std::uint32_t number) {
    Arrival& arrival = arrivals_[number];
    const std::uint32_t frame = arrival.frame;
    for (std::uint32_t i = 0; i < arrival.blocks; ++i) frames_.give(frame + i);
    for (const WantedBlocks::Part& part : arrival.parts) {
      const auto at = frame + static_cast<std::uint32_t>(part.begin - arrival.first);
      if (assignment_.is_long(part.block)) {
        process_pieces(part, at);
      } else {
        frames_.holds(at, part.block);
        run_.worklist.loaded(part.block, frames_.frame(at), own_);
      }
    }
    keep_holes(arrival);
    arrival.parts.clear();
    free_arrivals_.push_back(number);
  }

  // What came in holes may be wanted soon: neighbours in the file are often neighbours in the
  // graph.
  void keep_holes(const Arrival& arrival) {
    BlockId at = arrival.first;
    for (const WantedBlocks::Part& part : arrival.parts) {
      for (; at < part.begin; ++at) {
        const auto f = arrival.frame + static_cast<std::uint32_t>(at - arrival.first);
        const auto block = static_cast<std::uint32_t>(at);
        if (run_.worklist.offered(block, frames_.frame(f), own_)) frames_.holds(f, block);
      }
      at = std::max(at, part.end);
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
    for (std::size_t first = 0; first < members_.size(); first += kHandedOver) {
      process_batch(
          block, data,
          std::span(members_).subspan(first, std::min(kHandedOver, members_.size() - first)));
    }
    vertices += members_.size();
    out().drain();  // before finish: see Worklist, termination
    run_.worklist.finish(block, own_);
  }

  void process_batch(std::uint32_t block, const std::byte* data,
                     std::span<const std::uint32_t> members) {
    Piece pieces[kHandedOver];
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
    alignas(kLargestMessage) std::byte taken[kHandedOver * kLargestMessage];
    hand_over({pieces, members.size()}, {taken, run_.message_bytes}, true);
  }

  // Some of the vertices whose lists stand in the index.
  bool process_residents() {
    VertexId taken[kHandedOver];
    const std::size_t count = run_.worklist.take_residents(taken, own_);
    process_and_finish({taken, count});
    return count > 0;
  }
  void process_and_finish(std::span<const VertexId> residents) {
    if (residents.empty()) return;
    process_inline(residents);
    out().drain();  // before finish
    run_.worklist.finish_residents(residents, own_);
  }

  // No more than kHandedOver of them.
  void process_inline(std::span<const VertexId> residents) {
    if (residents.empty()) return;
    Piece pieces[kHandedOver];
    for (std::size_t i = 0; i < residents.size(); ++i) {
      const VertexId v = residents[i];
      pieces[i] = inline_piece(run_.index, v, run_.dense ? v : static_cast<std::uint32_t>(i));
      edges += pieces[i].count;
    }
    alignas(kLargestMessage) std::byte messages[kHandedOver * kLargestMessage];
    hand_over({pieces, residents.size()}, {messages, run_.message_bytes}, true);
    vertices += residents.size();
  }

  Piece read_piece(VertexId v, const ListAddress& list, BlockId disk_block, const std::byte* data,
                   std::size_t decoded, std::uint64_t& bytes) {
    const DecodedPiece piece = engine_.layout_.pieces().read(
        run_.index.part(list, disk_block), data, engine_.decoded_[worker_].behind(decoded));
    bytes += piece.bytes;
    return decoded_piece(v, 0, list, piece);
  }

  void process_pieces(const WantedBlocks::Part& part, std::uint32_t frame) {
    LongList& list = long_lists_[part.block];
    if (!list.begun) begin_message(part.block, list);
    note({part.begin, part.blocks()});
    for (std::uint32_t i = 0; i < part.blocks(); ++i) {
      process_piece(list, part.begin + i, frames_.frame(frame + i));
    }
    list.left -= part.blocks();
    // What was not asked for yet of a list whose vertex has heard enough.
    if (run_.pull && run_.first_is_enough && !run_.program.listens(list.v)) {
      list.left -= wanted_.forget(part.block);
    }
    if (list.left > 0) return;
    out().drain();
    long_lists_.erase(part.block);
    run_.worklist.finish(part.block, own_);
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
      Source sources[kHandedOver];
      for (std::size_t i = 0; i < pieces.size(); ++i) sources[i] = {pieces[i].v, pieces[i].degree};
      run_.program.begin({sources, pieces.size()}, local);
    }
    const bool held = combiner_.held() > 0;
    run_.program.scatter({pieces, access, combiner_.vertices() > 0 ? &combiner_ : nullptr},
                         run_.dense ? dense : local, out());
    if (!held && combiner_.held() > 0) run_.worklist.keeps_back();  // before finish
    if (combiner_.held() > kHeld * combiner_.vertices()) deliver();
  }

  void deliver() {
    combined += combiner_.held();
    run_.program.deliver(combiner_, out());
    out().drain();
    run_.worklist.has_told();
  }

  Activations& out() { return *run_.activations[worker_]; }

  AsyncBlockEngine& engine_;
  Run& run_;
  const Assignment& assignment_;
  unsigned worker_;
  FrameRing& frames_;
  Worklist::Own& own_;
  MergeLimits limits_;  // of a request
  HoleBudget hole_budget_;
  unsigned depth_;     // requests in flight, at most
  std::size_t ahead_;  // cached blocks above which no more are brought in
  Combiner combiner_;
  std::unique_ptr<DoorChannel>& channel_;
  WantedBlocks wanted_;
  std::unordered_map<std::uint32_t, LongList> long_lists_;
  std::vector<Arrival> arrivals_;
  std::vector<std::uint32_t> free_arrivals_;
  std::vector<std::uint64_t> tags_;     // scratch
  std::vector<std::uint32_t> pulled_;   // scratch
  std::vector<std::uint32_t> members_;  // scratch
};

void AsyncBlockEngine::process_until_done(Run& run) {
  use(run);
  if (options_.trace != nullptr) options_.trace->begin_round(trace_rounds_++);
  std::mutex mutex;
  run.worklist.expect(executor_.size());
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
    report_.messages_combined += executor.combined;
    if (executor.combined > 0) {
      combiner_bytes_ = std::size_t{run.combined} * run.message_bytes * executor_.size();
    }
  });
}

}  // namespace outcore
