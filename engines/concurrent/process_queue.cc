// SPDX-License-Identifier: Apache-2.0
// CAVE's ProcessQueue (section 4.2, Algorithm 1): what is in flight is lists, not blocks. A worker
// reads each of its lists from the first block to the last, a request at a time, and processes it.
// A block with the lists of several vertices is asked for by each of them, and read anew when the
// cache has lost it meanwhile.
#include "engines/concurrent/concurrent.h"
#include "engines/worker_share.h"

namespace outcore {

class ConcurrentEngine::ListReader {
 public:
  ListReader(ConcurrentEngine& engine, Round& round, unsigned worker)
      : engine_(engine),
        round_(round),
        worker_(worker),
        source_(*engine.sources_[worker]),
        lists_(source_.tickets()) {}

  void work() {
    while (!engine_.executor_.stopping()) {
      admit();
      if (source_.coming() == 0) return;
      process_lists(source_.arrived(true));
    }
  }

  std::uint64_t blocks = 0;  // asked for

 private:
  using Ticket = BlockSource::Ticket;

  struct List {
    ListRead read;
    alignas(kLargestMessage) std::byte message[kLargestMessage];  // push: its vertex's
  };

  // Asks for the first blocks of as many lists as may be under way, a turn's at once.
  void admit() {
    for (;;) {
      begin_lists();
      if (requests_.empty()) break;
      there_.clear();
      source_.ask(requests_, round_.file, there_);
      // What is missing is read while the rest is processed.
      source_.channel()->flush();
      process_lists(there_);
    }
    source_.channel()->flush();
  }

  void begin_lists() {
    requests_.clear();
    while (requests_.size() < VertexQueue::kTurn && source_.held() < source_.depth()) {
      if (turn_.empty()) turn_ = engine_.vertex_queue_.take();
      if (turn_.empty()) break;
      const Ticket ticket = source_.take();
      ListRead& read = lists_[ticket].read;
      read = ListRead::whole(round_.index, turn_.front());
      turn_ = turn_.subspan(1);
      fly(read);
      requests_.push_back({ticket, read.flight});
    }
  }

  void fly(ListRead& read) {
    read.fly(source_.most_blocks());
    blocks += read.flight.blocks;
    note_access(engine_.options_, engine_.layout_, worker_, round_.file, read.flight);
  }

  void process_lists(std::span<const Ticket> tickets) {
    while (!tickets.empty()) {
      const std::size_t count = std::min(kBatch, tickets.size());
      process_batch(tickets.first(count));
      tickets = tickets.subspan(count);
    }
  }

  // Lists that are there whole, as most are, are handed over together, so that the program may
  // fetch ahead what it needs of each.
  void process_batch(std::span<const Ticket> tickets) {
    std::array<Piece, kBatch>& pieces = engine_.batches_[worker_].pieces;
    std::array<Ticket, kBatch> whole;
    std::size_t count = 0;
    for (const Ticket ticket : tickets) {
      if (is_there_whole(ticket)) {
        pieces[count] = piece(ticket, 0);
        whole[count++] = ticket;
      } else {
        process_blocks(ticket);
        advance(ticket);
      }
    }
    engine_.scatter_block(round_, worker_, std::span(pieces).first(count));
    for (const Ticket ticket : std::span(whole).first(count)) {
      source_.release(ticket);
      source_.give_back(ticket);
    }
  }

  // And need not be decoded, for which there is room for those of one block.
  [[nodiscard]] bool is_there_whole(Ticket ticket) const {
    const ListRead& read = lists_[ticket].read;
    return !engine_.layout_.pieces().encoded() &&
           round_.index.first_block(read.list) + 1 == read.end;
  }

  // The part of its list in the i-th of the blocks that have come.
  Piece piece(Ticket ticket, std::uint32_t i) {
    const ListRead& read = lists_[ticket].read;
    const DecodedPiece decoded = read.decode(engine_.layout_, round_.index, source_.data(ticket), i,
                                             engine_.decoded_[worker_].behind(0));
    source_.channel()->touched(decoded.bytes);
    return read.piece(decoded);
  }

  // Goes on until blocks must be waited for, which it asks for, or the list is finished.
  void advance(Ticket ticket) {
    ListRead& read = lists_[ticket].read;
    while (read.next < read.end) {
      fly(read);
      if (!source_.ask(ticket, round_.file, read.flight)) return;
      process_blocks(ticket);
    }
    source_.give_back(ticket);
  }

  void process_blocks(Ticket ticket) {
    List& list = lists_[ticket];
    ListRead& read = list.read;
    for (std::uint32_t i = 0; i < read.flight.blocks; ++i) process_piece(list, piece(ticket, i));
    source_.release(ticket);
    if (round_.pull && !round_.program.listens(read.v)) read.end = read.next;
  }

  // All pieces of a list are this worker's, so that pull needs no atomics.
  void process_piece(List& list, const Piece& piece) {
    Collector& out = round_.collectors[worker_];
    const Messages shared = engine_.dense_messages(round_.traits);
    if (round_.pull) {
      if (piece.first > 0 && !round_.program.listens(piece.v)) return;
      round_.program.gather({{&piece, 1}, Access::exclusive}, shared, round_.active, out);
      return;
    }
    if (engine_.dense_messages_) {
      round_.program.scatter({{&piece, 1}, Access::shared}, shared, out);
      return;
    }
    const Messages own(list.message, round_.traits.message_bytes);
    if (piece.first == 0) {
      const Source source{piece.v, piece.degree};
      round_.program.begin({&source, 1}, own);
    }
    Piece first_slot = piece;
    first_slot.slot = 0;
    round_.program.scatter({{&first_slot, 1}, Access::shared}, own, out);
  }

  ConcurrentEngine& engine_;
  Round& round_;
  unsigned worker_;
  BlockSource& source_;
  std::vector<List> lists_;  // by ticket
  std::span<const VertexId> turn_;
  std::vector<BlockSource::Request> requests_;  // scratch
  std::vector<Ticket> there_;                   // scratch
  const AbandonAtEnd at_end_{source_};
};

void ConcurrentEngine::process_queue(Round& round) {
  begin_noted_round();
  std::atomic<std::uint64_t> blocks{0};
  const auto work = [&](unsigned worker) {
    ListReader reader(*this, round, worker);
    reader.work();
    blocks.fetch_add(reader.blocks, std::memory_order_relaxed);  // read when all have ended
  };
  if (vertex_queue_.vertices().size() <= VertexQueue::kTurn) {
    work(0);  // waking the others would cost more than it brings
  } else {
    executor_.run(work);
  }
  round.blocks = blocks;
}

}  // namespace outcore
