// SPDX-License-Identifier: Apache-2.0
// CAVE's ProcessQueueBlock (section 4.2, Algorithm 1): every wanted block once, its vertices by the
// worker that read it.
#include "engines/concurrent/concurrent.h"
#include "engines/worker_share.h"

namespace outcore {

namespace {

constexpr std::size_t kRunsInATurn = 4;  // runs that a worker takes from the queue at once
// A worker asks again when one in so many of its requests has come, and not for each: they go to
// the device together.
constexpr std::size_t kRefillShare = 4;

}  // namespace

// Keeps this worker's share of k_r in flight and hands over each wanted block as it arrives.
class ConcurrentEngine::Reader {
 public:
  Reader(ConcurrentEngine& engine, Round& round, unsigned worker)
      : engine_(engine),
        round_(round),
        worker_(worker),
        source_(*engine.sources_[worker]),
        asked_for_(source_.tickets()) {}

  // Looks what has come after each request that it has processed, so that as many are under way
  // while it is busy.
  void work() {
    while (!engine_.executor_.stopping()) {
      if (source_.room() * kRefillShare >= source_.depth()) preload();
      if (source_.held() == 0) return;
      for (const BlockSource::Ticket ticket : source_.arrived(there_.empty())) {
        there_.push_back(ticket);
      }
      if (there_.empty()) continue;
      const BlockSource::Ticket ticket = there_.back();
      there_.pop_back();
      process(ticket);
    }
  }

 private:
  void preload() {
    while (source_.room() > 0 && take_run()) {
      const BlockRun& run = round_.runs[run_];
      if (round_.pull && round_.traits.first_is_enough && !anybody_listens()) {
        ++run_;
        continue;
      }
      const BlockSource::Ticket ticket = source_.take();
      const bool there = source_.ask(ticket, round_.file, run);
      asked_for_[ticket] = run_;
      engine_.note_run(worker_, round_, run_);  // in the order in which they are asked for
      ++run_;
      if (there) process(ticket);
    }
    source_.channel()->flush();
  }

  // Is there a run to read? Leaves it in run_.
  bool take_run() {
    if (run_ < last_run_) return true;
    // From both ends in turn: where lists are sorted by length, the first blocks are the device's
    // work and the last ones the processor's, and neither should wait for the other. Relaxed: hands
    // out disjoint runs; the runs themselves were published by the executor.
    const std::size_t turn = round_.next_turn.fetch_add(1, std::memory_order_relaxed);
    const std::size_t turns = (round_.runs.size() + kRunsInATurn - 1) / kRunsInATurn;
    if (turn >= turns) return false;
    const std::size_t place = turn % 2 == 0 ? turn / 2 : turns - 1 - turn / 2;
    run_ = place * kRunsInATurn;
    last_run_ = std::min(run_ + kRunsInATurn, round_.runs.size());
    return true;
  }

  // Pull: is any vertex of the next run still to be told something? Those whose lists lie in
  // several blocks may have heard enough from the first.
  [[nodiscard]] bool anybody_listens() const {
    for (std::size_t i = round_.first_queued[run_]; i < round_.first_queued[run_ + 1]; ++i) {
      for (const VertexId v : engine_.queue_.vertices(i)) {
        if (round_.program.listens(v)) return true;
      }
    }
    return false;
  }

  void process(BlockSource::Ticket ticket) {
    const std::size_t run = asked_for_[ticket];
    const std::byte* data = source_.data(ticket);
    const std::size_t block_bytes = engine_.layout_.facts().block_bytes;
    const std::size_t begin = round_.first_queued[run];
    const std::size_t end = round_.first_queued[run + 1];
    std::uint64_t bytes = 0;
    for (std::size_t queued = begin; queued < end; ++queued) {
      const std::uint64_t at = engine_.queue_.blocks()[queued] - round_.runs[run].first;
      bytes += engine_.process_block(round_, worker_, queued, data + at * block_bytes);
    }
    source_.channel()->touched(bytes);
    source_.channel()->holes((round_.runs[run].blocks - (end - begin)) * block_bytes);
    source_.release(ticket);
    source_.give_back(ticket);
  }

  ConcurrentEngine& engine_;
  Round& round_;
  unsigned worker_;
  BlockSource& source_;
  std::vector<std::size_t> asked_for_;      // which run, by ticket
  std::vector<BlockSource::Ticket> there_;  // come, and not yet processed
  std::size_t run_ = 0;                     // the next run of those taken from the queue
  std::size_t last_run_ = 0;
  const AbandonAtEnd at_end_{source_};
};

void ConcurrentEngine::merge_queue(Round& round) {
  const std::uint32_t block_bytes = layout_.facts().block_bytes;
  const std::span<const BlockId> blocks = queue_.blocks();
  round.runs = merge_blocks(blocks,
                            {.max_blocks = sources_[0]->most_blocks(),
                             .max_hole = options_.request_cost.hole_blocks(block_bytes)},
                            hole_budget_);
  round.first_queued.reserve(round.runs.size() + 1);
  std::size_t queued = 0;
  for (const BlockRun& run : round.runs) {
    round.first_queued.push_back(queued);
    while (queued < blocks.size() && blocks[queued] < run.first + run.blocks) ++queued;
  }
  round.first_queued.push_back(queued);
}

void ConcurrentEngine::note_run(unsigned worker, const Round& round, std::size_t run) {
  if (options_.trace == nullptr) return;
  const std::size_t begin = round.first_queued[run];
  const std::span<const BlockId> wanted =
      queue_.blocks().subspan(begin, round.first_queued[run + 1] - begin);
  const auto largest = static_cast<std::uint32_t>(round.runs[run].blocks);
  for (const BlockRun& part : merge_neighbours(wanted, largest)) {
    note_access(options_, layout_, worker, round.file, part);
  }
}

void ConcurrentEngine::process_queue_block(Round& round) {
  begin_noted_round();
  merge_queue(round);
  if (round.runs.size() <= kRunsInATurn) {
    Reader(*this, round, 0).work();  // waking the others would cost more than it brings
    return;
  }
  executor_.run([&](unsigned worker) { Reader(*this, round, worker).work(); });
}

std::uint64_t ConcurrentEngine::process_block(Round& round, unsigned worker, std::size_t queued,
                                              const std::byte* data) {
  const BlockId block = queue_.blocks()[queued];
  const PieceFormat& format = layout_.pieces();
  DecodeSpace& space = decoded_[worker];
  std::array<Piece, kBatch>& pieces = batches_[worker].pieces;
  std::size_t count = 0;
  std::size_t decoded = 0;
  std::uint64_t bytes = 0;
  for (const VertexId v : queue_.vertices(queued)) {
    const ListAddress list = round.index.address(v);
    const DecodedPiece piece =
        format.read(round.index.part(list, block), data, space.behind(decoded));
    pieces[count++] = decoded_piece(v, v, list, piece);
    decoded += piece.count;
    bytes += piece.bytes;
    if (count == kBatch) {
      scatter_block(round, worker, pieces);
      count = decoded = 0;
    }
  }
  scatter_block(round, worker, std::span(pieces).first(count));
  return bytes;
}

void ConcurrentEngine::scatter_block(Round& round, unsigned worker, std::span<const Piece> pieces) {
  if (pieces.empty()) return;
  Collector& out = round.collectors[worker];
  const std::size_t bytes = round.traits.message_bytes;
  const Messages shared(messages_.data(), bytes);
  if (round.pull) {
    gather_block(round, pieces, out);
    return;
  }
  if (dense_messages_) {
    round.program.scatter({pieces, Access::shared}, shared, out);
    return;
  }
  std::array<Piece, kBatch>& whole = batches_[worker].whole;
  std::array<Source, kBatch>& sources = batches_[worker].sources;
  std::size_t count = 0;
  for (Piece piece : pieces) {
    if (piece.count == piece.degree) {
      sources[count] = {piece.v, piece.degree};
      piece.slot = static_cast<std::uint32_t>(count);
      whole[count++] = piece;
    } else {
      const auto straddlers = queue_.straddlers();
      const auto at = std::lower_bound(straddlers.begin(), straddlers.end(), piece.v);
      piece.slot = static_cast<std::uint32_t>(at - straddlers.begin());
      round.program.scatter({{&piece, 1}, Access::shared}, shared, out);
    }
  }
  alignas(kLargestMessage) std::byte taken[kBatch * kLargestMessage];
  const Messages local(taken, bytes);
  round.program.begin(std::span(sources).first(count), local);
  round.program.scatter({std::span(whole).first(count), Access::shared}, local, out);
}

// Whole lists belong to this worker; one in pieces, the first or the last of its block, may be
// heard by several workers at once.
void ConcurrentEngine::gather_block(const Round& round, std::span<const Piece> pieces,
                                    Activations& out) {
  const Messages dense = dense_messages(round.traits);
  const auto whole = [](const Piece& piece) { return piece.count == piece.degree; };
  for (auto piece = pieces.begin(); piece != pieces.end();) {
    const auto end = std::find_if_not(piece, pieces.end(), whole);
    if (end != piece) {
      round.program.gather({{piece, end}, Access::exclusive}, dense, round.active, out);
      piece = end;
    } else {
      if (round.program.listens(piece->v)) {
        round.program.gather({{&*piece, 1}, Access::shared}, dense, round.active, out);
      }
      ++piece;
    }
  }
}

}  // namespace outcore
